import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import { afterAll, beforeAll, expect, test } from "vitest";

interface Part {
  readonly name: string;
  readonly judge: (context: object) => readonly string[] | Promise<readonly string[]>;
}

const script = (name: string) => import(new URL(`../../../scripts/${name}.mjs`, import.meta.url).href);
const { PARTS } = (await script("release/parts")) as { PARTS: readonly Part[] };
const { archivesOf } = await script("plugin/archives");
const { version } = (await import("../../../package.json")).default;

const judged = async (name: string, context: object): Promise<readonly string[]> => {
  const part = PARTS.find((each) => each.name === name);
  if (part === undefined) throw new Error(`the check has no part ${name}`);
  return part.judge({ version, schema: { name: "keyplane" }, settings: {}, isRelease: false, ...context });
};

const linux = `pulumi-resource-keyplane-v${version}-linux-amd64.tar.gz`;
let folder: string;
let archives: Map<string, Buffer>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-parts-"));
  archives = archivesOf();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a version that the changelog lacks, another tag and another repository are refused", async () => {
  expect(await judged("the version", { tag: `v${version}` })).toEqual([]);
  expect(await judged("the version", { version: "9.9.9" })).toEqual(["CHANGELOG.md has no section 9.9.9"]);
  expect(await judged("the version", { tag: "v9.9.9" })).toEqual([`the tag v9.9.9 is not v${version}`]);
  const fork = { isRelease: true, here: "fork/keyplane", settings: { repository: "acme/keyplane" } };
  expect(await judged("the version", fork)).toContain(
    "this is fork/keyplane, but the repository in scripts/release/names.json is acme/keyplane",
  );
});

test("archives that were not built from these sources are refused, even if the checksums prove them", async () => {
  const part = "the archives of the plugin";
  const changed = archiveWith("process.stdout.write('1\\n')");
  const sums = archives
    .get("SHA256SUMS")
    ?.toString()
    .replace(new RegExp(`.*  ${linux}`), `${digest(changed)}  ${linux}`);
  const others = new Map(archives).set(linux, changed).set("SHA256SUMS", Buffer.from(sums ?? ""));
  expect(await judged(part, { archives: () => archives })).toEqual([]);
  expect(await judged(part, { archives: () => others })).toContain(`${linux} was not built from these sources`);
});

test("a plugin that does not say on which port it serves is refused", async () => {
  const part = "the plugin in the archive starts";
  const broken = new Map([[linux, archiveWith("throw new Error('broken')")]]);
  expect(await judged(part, { archives: () => archives, folder: mkdtempSync(join(folder, "good-")) })).toEqual([]);
  const [flaw] = await judged(part, { archives: () => broken, folder: mkdtempSync(join(folder, "bad-")) });
  expect(flaw).toMatch(/^it said ".*, and not the port on which it serves$/);
});

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** An archive with a plugin of this code. */
function archiveWith(code: string): Buffer {
  const cwd = mkdtempSync(join(folder, "content-"));
  for (const name of ["LICENSES.txt", "package.json"]) writeFileSync(join(cwd, name), "{}");
  const executables = ["pulumi-resource-", "pulumi-resource-keyplane"];
  for (const name of executables) writeFileSync(join(cwd, name), code, { mode: 0o755 });
  const names = ["LICENSES.txt", "package.json", ...executables];
  return create({ sync: true, gzip: true, portable: true, cwd }, names).read() as Buffer;
}
