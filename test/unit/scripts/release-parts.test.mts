import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { archivesWith } from "./archives.mjs";

interface Part {
  readonly name: string;
  readonly judge: (context: object) => readonly string[] | Promise<readonly string[]>;
}

const script = (name: string) => import(new URL(`../../../scripts/${name}.mjs`, import.meta.url).href);
const { PARTS } = (await script("release/parts")) as { PARTS: readonly Part[] };
const { archiveNameFor } = await script("plugin/archives");
const { THIS_SYSTEM } = await script("plugin/node");
const { version } = (await import("../../../package.json")).default;

const judged = async (name: string, context: object): Promise<readonly string[]> => {
  const part = PARTS.find((each) => each.name === name);
  if (part === undefined) throw new Error(`the check has no part ${name}`);
  return part.judge({ version, schema: { name: "keyplane" }, settings: {}, isRelease: false, ...context });
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-parts-"));
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
  const systems = ["linux-x64", "darwin-arm64"];
  const part = "the archives of the plugin";
  const [built, others] = ["1", "2"].map((code) => archivesWith(systems, code));
  expect(await judged(part, { systems, built: () => built, archives: () => built })).toEqual([]);
  const flaws = systems.map((system) => `${archiveNameFor(system)} was not built from these sources`);
  expect(await judged(part, { systems, built: () => built, archives: () => others })).toEqual(
    expect.arrayContaining(flaws),
  );
});

test.skipIf(process.platform === "win32")(
  "a plugin that does not say on which port it serves is refused, and so is one that needs node on the PATH",
  async () => {
    const flawsWith = (code: string) => {
      const archives = () => archivesWith([THIS_SYSTEM], code);
      return judged("the plugin in the archive starts", { archives, folder: mkdtempSync(join(folder, "started-")) });
    };
    expect(await flawsWith("#!/bin/sh\necho 4711\n")).toEqual([]);
    for (const code of ["#!/bin/sh\necho broken\n", "#!/usr/bin/env node\nconsole.log(4711);\n"]) {
      const [flaw] = await flawsWith(code);
      expect(flaw).toMatch(/^it said ".*, and not the port on which it serves$/);
    }
  },
);
