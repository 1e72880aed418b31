import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { archivesWith } from "./archives.mjs";

const root = new URL("../../../", import.meta.url);
const script = (name: string) => import(new URL(`scripts/${name}.mjs`, root).href);
const { flawsOfSchema } = await script("release/schema-flaws");
const { flawsOfIndex, flawsOfInstallation } = await script("release/page-flaws");
const { flawsOfArchives } = await script("release/archive-flaws");
const { archiveNameFor } = await script("plugin/archives");
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const { version } = JSON.parse(read("package.json"));

// biome-ignore lint/suspicious/noExplicitAny: the tests break the schema in ways that a type would not allow
type Loose = any;
const schemaWith = (change: (schema: Loose) => void): Loose => {
  const schema = JSON.parse(read("provider/plugin/schema.json"));
  change(schema);
  return schema;
};

test("the schema has no flaw", () => {
  expect(
    flawsOfSchema(
      schemaWith(() => {}),
      version,
    ),
  ).toEqual([]);
});

test.each<[string, (schema: Loose) => void, string]>([
  ["no display name", (s) => delete s.displayName, "displayName is missing"],
  ["no license", (s) => delete s.license, "license is missing"],
  [
    "an unknown category",
    (s) => Object.assign(s, { keywords: ["kind/native", "category/keys"] }),
    "keywords must have one of category/cloud",
  ],
  ["two categories", (s) => s.keywords.push("category/cloud"), "keywords must have one of category/cloud"],
  ["no kind", (s) => Object.assign(s, { keywords: ["category/cloud"] }), "keywords must have kind/native"],
  [
    "a description without the name",
    (s) => Object.assign(s, { description: "A provider." }),
    "description must contain keyplane",
  ],
  [
    "a logo by http",
    (s) => Object.assign(s, { logoUrl: "http://acme.dev/logo.svg" }),
    "logoUrl must begin with https://",
  ],
  ["no version", (s) => delete s.version, `version must be ${version}`],
  ["no settings of a language", (s) => delete s.language.java, "language has no settings for java"],
])("a schema with %s is refused", (_, change, words) => {
  expect(flawsOfSchema(schemaWith(change), version).join("\n")).toContain(words);
});

const index = read("docs/_index.md");
const installation = read("docs/installation-configuration.md");

test.each<[string, string, string]>([
  ["HTML", index.replace("## Example", "<b>Example</b>"), "it must not contain HTML: <b>"],
  ["a comment", index.replace("## Example", "<!-- Example -->"), "it must not contain HTML: <!--"],
  ["a relative image", index.replace("## Example", "![logo](logo.svg)"), "the image logo.svg must be absolute"],
  ["a relative link", index.replace("(https://neon.com)", "(neon.md)"), "the link neon.md must be absolute"],
  ["another title", index.replace("title: Keyplane", "title: keyplane"), 'its title must be "Keyplane"'],
  ["another layout", index.replace("layout: package", "layout: page"), 'its layout must be "package"'],
  ["no front matter", index.replace(/^---[\s\S]*?---\n/, ""), 'its title must be "Keyplane"'],
  [
    "a short summary",
    index.replace(/meta_desc: .*/, "meta_desc: Keys."),
    "its meta_desc must have 50 to 160 characters",
  ],
  ["a second title", index.replace("## Example", "# Example"), "it must have no heading of the first level"],
  ["an open block", index.replace("{{% /choosable %}}", ""), "a choosable is not closed"],
])("an overview with %s is refused", (_, page, words) => {
  expect(flawsOfIndex(page, "Keyplane").join("\n")).toContain(words);
});

test.each<[string, string, string]>([
  ["another title", installation.replace(" & ", " and "), 'its title must be "Keyplane Installation & Configuration"'],
  [
    "no command for the plugin",
    installation.replace("--server", "--file"),
    "it lacks the command that installs the plugin",
  ],
  ["another version", installation.replaceAll("0.2.0", "0.1.0"), "it lacks the command that generates an SDK"],
  [
    "a package less",
    installation.replaceAll("pulumi_keyplane", "keyplane"),
    "it lacks the name of a package: `pulumi_keyplane`",
  ],
])("a page on the installation with %s is refused", (_, page, words) => {
  const release = { displayName: "Keyplane", name: "keyplane", version: "0.2.0", packages: ["pulumi_keyplane"] };
  const at = { ...release, pluginDownloadURL: /--server (\S+)/.exec(installation)?.[1] };
  expect(flawsOfInstallation(installation, at)).toEqual([]);
  expect(flawsOfInstallation(page, at).join("\n")).toContain(words);
});

test("archives without a flaw, and those of another version, without a sum or with another content", () => {
  const systems = ["linux-x64", "win32-x64"];
  const archives = archivesWith(systems);
  const flawsOf = (files: Map<string, Buffer>): string => flawsOfArchives(files, systems).join("\n");
  const [linux = "", windows = ""] = systems.map((system): string => archiveNameFor(system));
  const another = linux.replace(version, "9.9.9");
  const onWindows = archives.get(windows) ?? Buffer.alloc(0);
  expect(flawsOf(archives)).toBe("");
  expect(flawsOf(new Map(archives).set(another, onWindows))).toBe(`${another} is no archive of version ${version}`);
  expect(flawsOf(archivesWith(["linux-x64"]))).toContain(`${windows} is missing`);
  expect(flawsOf(new Map(archives).set("SHA256SUMS", Buffer.from("")))).toContain(`SHA256SUMS does not prove ${linux}`);
  expect(flawsOf(new Map(archives).set(linux, onWindows))).toContain(
    `${linux}: pulumi-resource-.cmd does not belong there`,
  );
  expect(flawsOf(new Map(archives).set(linux, onWindows))).toContain(`SHA256SUMS does not prove ${linux}`);
});
