import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StackUnderTest } from "./stack-under-test";

const docs = join(__dirname, "..", "..", "docs");
const resources = readdirSync(join(docs, "resources")).map((name) => join(docs, "resources", name));

let plane: ControlPlane;
let example: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

/** The programs of a page. */
function programsOf(page: string): string[] {
  return Array.from(readFileSync(page, "utf8").matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, program = ""]) => program);
}

/** The first program of the page of each resource, and all those of the data sources, by name. */
function programs(): Record<string, string> {
  const [apiKeys = "", projects = "", operations = "", wait = "", ...others] = programsOf(
    join(docs, "data-sources.md"),
  );
  expect(others).toEqual([]);
  return {
    ...Object.fromEntries(resources.map((page) => [basename(page, ".md"), programsOf(page)[0] ?? expect.fail(page)])),
    "api-keys": apiKeys,
    projects,
    operations,
    "wait-for-operations": wait,
  };
}

test("the programs on the pages of the reference can be deployed and destroyed together", async () => {
  const all = programs();
  const names = Object.keys(all);
  await plane.state.createProject({ id: "my-project-1a2b3c" });
  await plane.state.createProject({ name: "shop", regionId: "test-1" });
  example = await StackUnderTest.of(plane, {
    "index.ts": names.map((name, at) => `export * as page${at} from "./${name}";\n`).join(""),
    ...Object.fromEntries(names.map((name) => [`${name}.ts`, all[name] ?? ""])),
  });

  await example.run("up");
  const outputs = await example.workspace.outputs();
  expect(Object.fromEntries(names.map((name, at) => [name, outputs[`page${at}`]]))).toEqual({
    "api-key": {
      deployKeyName: expect.stringMatching(/^deploy-/),
      keys: "[secret]",
    },
    "rotating-api-key": {
      workerKeys: "[secret]",
      workerNext: expect.stringMatching(/^rotate after /),
    },
    "project-ready": { readerKey: "[secret]" },
    "api-keys": { lastUsed: null, unused: expect.arrayContaining([expect.stringMatching(/^listed-/)]) },
    projects: {
      shopRegion: "test-1",
      shopKeyName: expect.stringMatching(/^shop-/),
      projectNames: expect.arrayContaining(["shop"]),
    },
    operations: { failures: [], latest: expect.stringMatching(/: finished$/) },
    "wait-for-operations": { waitedFor: [] },
  });

  // A preview knows that there is no previous key before the first rotation.
  const preview = await example.run("preview");
  expect(preview.changes).toEqual([]);
  expect(preview.stdout + preview.stderr).not.toMatch(/\[unknown\]|Undefined value/);
  await example.destroy();
});
