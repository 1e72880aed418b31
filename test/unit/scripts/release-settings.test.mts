import { expect, test } from "vitest";

const script = (name: string) => import(new URL(`../../../scripts/release/${name}.mjs`, import.meta.url).href);
const { parseSettings, unsetIn } = await script("settings");
const { namesOf, rename } = await script("names");
const { manifestWith } = await script("fill");

const parse = (settings: object): Record<string, string | undefined> => parseSettings(JSON.stringify(settings));

test("whoever publishes sets the repository and the publisher, and all other names and addresses follow", () => {
  const settings = parse({
    repository: "Acme-Labs/keyplane",
    publisher: "Acme",
    packages: { java: "dev.acme", go: null },
  });
  expect(settings).toEqual({
    repository: "Acme-Labs/keyplane",
    publisher: "Acme",
    homepage: "https://github.com/Acme-Labs/keyplane",
    logoUrl: "https://raw.githubusercontent.com/Acme-Labs/keyplane/main/docs/logo.svg",
    pluginDownloadURL: "github://api.github.com/Acme-Labs/keyplane",
    "packages.nodejs": "@acme-labs/keyplane-plugin",
    "packages.python": "pulumi_keyplane",
    "packages.go": "github.com/Acme-Labs/keyplane/sdk/go/keyplane",
    "packages.java": "dev.acme",
    "packages.dotnet": "AcmeLabs",
  });
  expect(unsetIn(settings)).toEqual([]);
});

test("without a repository nothing is set, and a name that its owner cannot have in a language stays unset", () => {
  expect(unsetIn(parse({ repository: null }))).toHaveLength(10);
  const hyphen = parse({ repository: "acme-labs/keyplane", publisher: "Acme" });
  expect(unsetIn(hyphen)).toEqual(["packages.java"]);
  const digit = parse({ repository: "4acme/keyplane", publisher: "Acme" });
  expect(unsetIn(digit)).toEqual(["packages.java", "packages.dotnet"]);
});

test.each([
  [{ repository: "https://github.com/acme/keyplane" }, "repository must be OWNER/REPOSITORY, as on GitHub, or null"],
  [{ owner: "acme" }, "it has owner, which is no setting. The settings are repository, publisher"],
  [{ packages: { rust: "keyplane" } }, "it has packages.rust, which is no setting"],
  [{ homepage: "http://acme.dev" }, "homepage must be an address that begins with https://"],
  [{ logoUrl: "https://acme.dev/logo.png" }, "logoUrl must be the https:// address of an SVG"],
  [
    { pluginDownloadURL: "github://acme/keyplane" },
    "pluginDownloadURL must be github://api.github.com/OWNER/REPOSITORY",
  ],
  [{ publisher: " " }, "publisher must be the name of a person or an organization"],
  [{ publisher: 7 }, "publisher must be the name of a person or an organization"],
  [{ packages: { go: "github.com/acme/sdk" } }, "packages.go must be the path of a Go module that ends in /keyplane"],
  [{ packages: { java: "acme-labs" } }, "packages.java must be a Java package"],
  [{ packages: { dotnet: "acme" } }, "packages.dotnet must be a .NET namespace"],
  [{ packages: { nodejs: "Acme" } }, "packages.nodejs must be the name of an npm package"],
  [{ packages: { python: "acme-keyplane" } }, "packages.python must be the name of a Python module"],
])("%j is refused", (settings, words) => {
  expect(() => parse(settings)).toThrow(words);
});

const text = `In a clone of the repository, gh --repo OWNER/REPOSITORY, https://github.com/OWNER/REPOSITORY/blob,
"example.com/pulumi-keyplane/sdk/go/keyplane" import com.example.keyplane.ApiKey; Example.Keyplane; com.example:keyplane;
import pulumi_keyplane as keyplane; registry.example.com/web; @keyplane/plugin; https://eu.example.com/api/v2`;

test("names in texts become those of scripts/release/names.json, and later those of another owner", () => {
  const unset = namesOf(parse({}));
  const acme = namesOf(parse({ repository: "acme/keyplane", publisher: "Acme" }));
  const other = namesOf(parse({ repository: "other/pulumi-keyplane", publisher: "Other", packages: { python: "kp" } }));
  const first = rename(text, unset, acme);
  expect(
    first,
  ).toBe(`In a clone of https://github.com/acme/keyplane, gh --repo acme/keyplane, https://github.com/acme/keyplane/blob,
"github.com/acme/keyplane/sdk/go/keyplane" import io.github.acme.keyplane.ApiKey; Acme.Keyplane; io.github.acme:keyplane;
import pulumi_keyplane as keyplane; registry.example.com/web; @acme/keyplane-plugin; https://eu.example.com/api/v2`);
  const second = rename(first, acme, other);
  expect(second).toContain("import kp as keyplane");
  expect(second).not.toMatch(/acme/i);
  expect(rename(second, other, unset)).toBe(text);
});

test("package.json gets the repository, the homepage and the page for bugs, and loses them again", () => {
  const manifest = { name: "keyplane", license: "Apache-2.0", type: "commonjs" };
  const filled = manifestWith(manifest, parse({ repository: "acme/keyplane", homepage: "https://acme.dev" }));
  expect(JSON.stringify(filled)).toBe(
    JSON.stringify({
      name: "keyplane",
      license: "Apache-2.0",
      homepage: "https://acme.dev",
      repository: { type: "git", url: "git+https://github.com/acme/keyplane.git" },
      bugs: { url: "https://github.com/acme/keyplane/issues" },
      type: "commonjs",
    }),
  );
  expect(manifestWith(filled, parse({}))).toEqual(manifest);
});
