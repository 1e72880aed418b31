import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { extract, list, type ReadEntry } from "tar";
import { afterAll, beforeAll, expect, test } from "vitest";

// These tests make an executable for each system, which takes minutes. The check of releases judges one in `npm test`.
const root = new URL("../../../", import.meta.url);
const script = (name: string) => import(new URL(`scripts/${name}.mjs`, root).href);
const { archiveNameFor, archivesOf, writeArchives } = await script("plugin/archives");
const { flawsOfArchives } = await script("release/archive-flaws");
const { SYSTEMS, THIS_SYSTEM } = (await script("plugin/node")) as { SYSTEMS: readonly string[]; THIS_SYSTEM: string };
const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

let folder: string;
let archives: string;
const archiveOf = (system: string) => join(archives, archiveNameFor(system));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-archives-"));
  archives = join(folder, "archives");
  writeArchives(archives);
}, 600_000);

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
  const files = new Map(readdirSync(archives).map((name) => [name, readFileSync(join(archives, name))]));
  expect(flawsOfArchives(files, SYSTEMS)).toEqual([]);
});

test("archives of the same sources are the same, byte for byte", () => {
  const again = archivesOf([THIS_SYSTEM, "darwin-arm64"]) as ReadonlyMap<string, Buffer>;
  for (const system of [THIS_SYSTEM, "darwin-arm64"]) {
    const name = archiveNameFor(system);
    expect(again.get(name)?.equals(readFileSync(join(archives, name))), name).toBe(true);
  }
});

test("an archive has only the executable, which is none of another system, its starter and the licenses", () => {
  const MAGIC = { linux: "7f454c46", darwin: "cffaedfe", win32: "4d5a" };
  for (const system of SYSTEMS) {
    const isWindows = system.startsWith("win32");
    const [starter, plugin] = ["pulumi-resource-", "pulumi-resource-keyplane"];
    const files = isWindows ? [`${starter}.cmd`, `${plugin}.exe`] : [starter, plugin];
    const content = mkdtempSync(join(folder, "content-"));
    extract({ sync: true, file: archiveOf(system), cwd: content });
    expect(entriesOf(archiveOf(system)).map(({ path }) => path)).toEqual(["LICENSES.txt", ...files]);
    const bytes = readFileSync(join(content, files[1] ?? ""));
    const magic = Object.entries(MAGIC).find(([name]) => system.startsWith(name))?.[1] ?? "";
    expect(bytes.toString("hex", 0, magic.length / 2), system).toBe(magic);
    for (const text of [fileURLToPath(root), "registry.npm", "/tmp/keyplane"]) {
      expect(bytes.includes(text), `${system}: ${text}`).toBe(false);
    }
    rmSync(content, { recursive: true });
  }
}, 300_000);

function entriesOf(file: string): ReadEntry[] {
  const entries: ReadEntry[] = [];
  list({ sync: true, file, onReadEntry: (entry) => entries.push(entry) });
  return entries;
}
