import { PLACEHOLDERS } from "./settings.mjs";

/**
 * The names of a release in texts, by the language or the purpose: those that are set, and placeholders for the others.
 *
 * @param {ReturnType<import("./settings.mjs").parseSettings>} settings
 */
export function namesOf(settings) {
  const { repository, ...others } = { ...PLACEHOLDERS, ...withoutUnset(settings) };
  return {
    repository,
    nodejs: others["packages.nodejs"],
    python: others["packages.python"],
    go: others["packages.go"],
    java: others["packages.java"],
    dotnet: others["packages.dotnet"],
  };
}

/** The names that a generated schema has. */
export function namesInSchema({ repository, language: { nodejs, python, go, java, csharp } }) {
  return {
    repository: repository?.replace("https://github.com/", ""),
    nodejs: nodejs.packageName,
    python: python.packageName,
    go: go.importBasePath,
    java: java.basePackage,
    dotnet: csharp.rootNamespace,
  };
}

/** Every form in which documents and examples contain the names, in the same order for all names. */
function formsOf({ repository, nodejs, python, go, java, dotnet }) {
  return [
    repository === undefined ? "a clone of the repository" : `a clone of https://github.com/${repository}`,
    repository ?? "OWNER/REPOSITORY",
    nodejs,
    python,
    go,
    `${java}.keyplane`,
    `${java}:keyplane`,
    `${dotnet}.Keyplane`,
  ];
}

/**
 * Replaces the names in a text by others.
 *
 * @param {string} text
 * @param {ReturnType<typeof namesOf>} before - The names that the text has.
 * @param {ReturnType<typeof namesOf>} after - The names that it gets.
 */
export function rename(text, before, after) {
  const [from, to] = [formsOf(before), formsOf(after)];
  const changed = from.flatMap((form, index) => (form === to[index] ? [] : [{ form, other: to[index] }]));
  if (changed.length === 0) return text;
  const pattern = new RegExp(`(?<![\\w@.-])(?:${changed.map(({ form }) => escaped(form)).join("|")})(?![\\w-])`, "g");
  return text.replace(pattern, (found) => changed.find(({ form }) => form === found).other);
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

function withoutUnset(settings) {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
