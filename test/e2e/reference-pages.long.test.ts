import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

const docs = join(__dirname, "..", "..", "docs");
const pages = ["resources", "data-sources"].flatMap((folder) =>
  readdirSync(join(docs, folder)).map((name) => join(docs, folder, name)),
);

let plane: ControlPlane;
let example: ExampleRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

/** The first program of a page. */
function programOf(page: string): string {
  const [, program] = /^```ts\n([\s\S]*?)^```/m.exec(readFileSync(page, "utf8")) ?? expect.fail(`${page} has none`);
  return program ?? "";
}

test("the programs on the pages of the reference can be deployed and destroyed together", async () => {
  const names = pages.map((page) => basename(page, ".md"));
  await plane.state.createProject({ id: "my-project-1a2b3c" });
  await plane.state.createProject({ name: "shop", regionId: "test-1" });
  example = await ExampleRun.create(plane, {
    "index.ts": names.map((name, at) => `export * as page${at} from "./${name}";\n`).join(""),
    ...Object.fromEntries(pages.map((page, at) => [`${names[at]}.ts`, programOf(page)])),
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
