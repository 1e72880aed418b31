import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { extract, list, type ReadEntry } from "tar";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = new URL("../../../", import.meta.url);
const { writeArchives } = await import(new URL("scripts/plugin/archives.mjs", root).href);
const { licensesOf } = await import(new URL("scripts/plugin/licenses.mjs", root).href);
const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

let folder: string;
let archives: string;
const archiveOf = (system: string) => join(archives, `pulumi-resource-keyplane-v${version}-${system}-amd64.tar.gz`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-archives-"));
  archives = join(folder, "archives");
  writeArchives(archives);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a release has an archive for each system and architecture, and a checksum that proves each one", () => {
  const names = readdirSync(archives).filter((name) => name !== "SHA256SUMS");
  expect(names).toEqual(
    ["darwin", "linux", "windows"].flatMap((system) => {
      return ["amd64", "arm64"].map((each) => `pulumi-resource-keyplane-v${version}-${system}-${each}.tar.gz`);
    }),
  );
  const sums = names.map((name) => {
    const digest = createHash("sha256").update(readFileSync(join(archives, name)));
    return `${digest.digest("hex")}  ${name}\n`;
  });
  const listed = readFileSync(join(archives, "SHA256SUMS"), "utf8");
  expect(listed.split("\n").sort()).toEqual(sums.join("").split("\n").sort());
});

test("archives of the same sources are the same, byte for byte", () => {
  const again = join(folder, "again");
  writeArchives(again);
  for (const name of readdirSync(archives)) {
    expect(readFileSync(join(again, name)).equals(readFileSync(join(archives, name))), name).toBe(true);
  }
});

test("an archive contains regular files only, because older versions of Pulumi reject links", () => {
  const plain = ["LICENSES.txt", "package.json", "pulumi-resource-", "pulumi-resource-keyplane"];
  const onWindows = [...plain, "pulumi-resource-.cmd", "pulumi-resource-keyplane.cmd"].sort();
  expect(entriesOf(archiveOf("linux")).map(({ path }) => path)).toEqual(plain);
  expect(entriesOf(archiveOf("windows")).map(({ path }) => path)).toEqual(onWindows);
  expect(entriesOf(archiveOf("windows")).map(({ type }) => type)).toEqual(onWindows.map(() => "File"));
});

test.skipIf(process.platform === "win32")(
  "an archive's executables are executable, and its other files are not",
  () => {
    expect(entriesOf(archiveOf("darwin")).map(({ mode }) => mode)).toEqual([0o644, 0o644, 0o755, 0o755]);
  },
);

test("the plugin starts node from the PATH on Windows, and not a program that the current folder holds", () => {
  extract({ sync: true, file: archiveOf("windows"), cwd: folder });
  for (const name of ["pulumi-resource-.cmd", "pulumi-resource-keyplane.cmd"]) {
    expect(readFileSync(join(folder, name), "utf8").split("\r\n")).toEqual([
      "@setlocal",
      '@set "NoDefaultCurrentDirectoryInExePath=1"',
      '@node "%~dp0pulumi-resource-keyplane" %*',
      "",
    ]);
  }
});

test("an archive names no folder of the machine that built it, and no registry", () => {
  extract({ sync: true, file: archiveOf("windows"), cwd: folder });
  const texts = entriesOf(archiveOf("windows")).map(({ path }) => readFileSync(join(folder, path), "utf8"));
  for (const text of texts) {
    expect(text.includes(fileURLToPath(root))).toBe(false);
    expect(/registry[.]npm/.test(text)).toBe(false);
  }
});

test("the licenses in an archive include those of keyplane and of the packages that it loads", () => {
  extract({ sync: true, file: archiveOf("linux"), cwd: folder });
  const text = readFileSync(join(folder, "LICENSES.txt"), "utf8");
  expect(text.startsWith(`keyplane ${version} (Apache-2.0)\n`)).toBe(true);
  for (const name of ["@grpc/grpc-js", "@pulumi/pulumi", "google-protobuf", "undici"]) {
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, "m"));
  }
  expect(text).toContain("Permission is hereby granted, free of charge");
});

test("packages with the same license text share it, and a package without a text is still named", () => {
  const project = projectWith({
    "": { name: "own", license: "Apache-2.0", text: "Apache" },
    "node_modules/a": { name: "a", license: "MIT", text: "MIT" },
    "node_modules/a/node_modules/@s/b": { name: "@s/b", license: "MIT", text: "MIT\r\n" },
    "node_modules/c": { name: "c", license: "ISC" },
    "node_modules/unused": { name: "unused", license: "MIT", text: "unused" },
  });
  const inputs = ["main.js", "node_modules/a/x.js", "node_modules/a/node_modules/@s/b/y.js", "node_modules/c/z.js"];
  const parts = licensesOf(inputs, project).split(/\n\n-+\n\n/);
  expect(parts).toEqual([
    "own 1.0.0 (Apache-2.0)\n\nApache",
    "a 1.0.0 (MIT)\n@s/b 1.0.0 (MIT)\n\nMIT",
    "c 1.0.0 (ISC)\n\nc declares the license ISC and contains no text of it.",
    "",
  ]);
});

test("a package without a license is not bundled", () => {
  const project = projectWith({ "": { name: "own", license: "Apache-2.0" }, "node_modules/a": { name: "a" } });
  expect(() => licensesOf(["node_modules/a/x.js"], project)).toThrow("a 1.0.0 has no license");
});

function entriesOf(file: string): ReadEntry[] {
  const entries: ReadEntry[] = [];
  list({ sync: true, file, onReadEntry: (entry) => entries.push(entry) });
  return entries;
}

/** A project with these packages, by their folders. */
function projectWith(packages: Record<string, { name: string; license?: string; text?: string }>): string {
  const project = mkdtempSync(join(folder, "project-"));
  for (const [path, { text, ...manifest }] of Object.entries(packages)) {
    const at = join(project, path);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), JSON.stringify({ ...manifest, version: "1.0.0" }));
    if (text !== undefined) writeFileSync(join(at, "LICENSE"), text);
  }
  return project;
}
