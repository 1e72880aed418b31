import { readFileSync } from "node:fs";

/** The longest ending of a Go module's path: the generated SDK is in this folder of the repository. */
const GO_FOLDER = "sdk/go/keyplane";

const ADDRESS = [/^https:\/\/[^\s/]+\.[^\s/]+(\/\S*)?$/, "an address that begins with https://"];

/** Each setting of scripts/release/names.json, with the form of its value and what the form is called. */
const FORMS = {
  repository: [/^[A-Za-z0-9](-?[A-Za-z0-9])*\/[\w.-]+$/, "OWNER/REPOSITORY, as on GitHub"],
  publisher: [/^\S.*\S$/, "the name of a person or an organization"],
  homepage: ADDRESS,
  logoUrl: [/^https:\/\/\S+\.svg$/, "the https:// address of an SVG"],
  pluginDownloadURL: [
    /^(github:\/\/api\.github\.com\/[\w.-]+\/[\w.-]+|https:\/\/\S+)$/,
    "github://api.github.com/OWNER/REPOSITORY or https://",
  ],
  "packages.nodejs": [/^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/, "the name of an npm package"],
  "packages.python": [/^[a-z][a-z0-9_]*$/, "the name of a Python module"],
  "packages.go": [/^[\w-]+(\.[\w-]+)+(\/[\w.-]+)*\/keyplane$/, "the path of a Go module that ends in /keyplane"],
  "packages.java": [
    /^[a-z]\w*(\.[a-z]\w*)+$/,
    "a Java package, which is also the group in Maven, such as io.github.OWNER",
  ],
  "packages.dotnet": [/^[A-Z]\w*(\.[A-Z]\w*)*$/, "a .NET namespace"],
};

/** The names that stand in for those that are not set. Nobody can own a domain of this name. */
export const PLACEHOLDERS = {
  "packages.nodejs": "@keyplane/plugin",
  "packages.python": "pulumi_keyplane",
  "packages.go": `example.com/pulumi-keyplane/${GO_FOLDER}`,
  "packages.java": "com.example",
  "packages.dotnet": "Example",
};

/** The settings in names.json, beside this file. */
export function readSettings(file = new URL("./names.json", import.meta.url)) {
  return parseSettings(readFileSync(file, "utf8"));
}

/**
 * Parses scripts/release/names.json, in which whoever publishes keyplane writes their names and addresses. `null` is a setting that is
 * not set. A setting without a value follows from `repository`, if it can.
 *
 * @param {string} text - The text of the file.
 * @returns The value of each setting or `undefined`, by its name, such as `packages.go`.
 */
export function parseSettings(text) {
  const given = flat(JSON.parse(text));
  const wrong = Object.entries(given).flatMap(([name, value]) => {
    if (!Object.hasOwn(FORMS, name))
      return [`it has ${name}, which is no setting. The settings are ${Object.keys(FORMS).join(", ")}`];
    const [form, words] = FORMS[name];
    return value === null || (typeof value === "string" && form.test(value))
      ? []
      : [`${name} must be ${words}, or null`];
  });
  if (wrong.length > 0) throw new Error(`scripts/release/names.json is invalid: ${wrong.join(". ")}.`);
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const settings = { ...derivedFrom(set.repository), ...set };
  return Object.fromEntries(Object.keys(FORMS).map((name) => [name, settings[name]]));
}

/** The names of the settings that have no value. */
export function unsetIn(settings) {
  return Object.keys(settings).filter((name) => settings[name] === undefined);
}

/** What follows from the repository. A name that its owner cannot have in a language is left out. */
function derivedFrom(repository) {
  if (repository === undefined) return {};
  const [owner = ""] = repository.split("/");
  const pascal = owner.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase());
  return {
    homepage: `https://github.com/${repository}`,
    logoUrl: `https://raw.githubusercontent.com/${repository}/main/docs/logo.svg`,
    pluginDownloadURL: `github://api.github.com/${repository}`,
    "packages.nodejs": `@${owner.toLowerCase()}/keyplane-plugin`,
    "packages.python": PLACEHOLDERS["packages.python"],
    "packages.go": `github.com/${repository}/${GO_FOLDER}`,
    ...(/^[A-Za-z]\w*$/.test(owner) && { "packages.java": `io.github.${owner.toLowerCase()}` }),
    ...(/^[A-Z]/.test(pascal) && { "packages.dotnet": pascal }),
  };
}

/** The members of an object and of the objects in it, by their paths. */
function flat(object, before = "") {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => {
      const path = `${before}${name}`;
      return value !== null && typeof value === "object" ? Object.entries(flat(value, `${path}.`)) : [[path, value]];
    }),
  );
}
