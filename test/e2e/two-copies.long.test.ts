import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

const root = join(__dirname, "..", "..");

/** A program and a package that it uses, each with its own copy of keyplane. */
const PROGRAM = `
const { ApiKey, RotatingApiKey } = require("keyplane");
const other = require("other");
if (ApiKey === other.keyplane.ApiKey) throw new Error("there is one copy only");
const own = [new ApiKey("own"), new RotatingApiKey("own-app")];
const theirs = [new other.keyplane.ApiKey("theirs"), new other.keyplane.RotatingApiKey("their-app")];
exports.alike = theirs.every((key) => ApiKey.isInstance(key) || RotatingApiKey.isInstance(key));
`;

let plane: ControlPlane;
let example: ExampleRun;
let folder: string;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  await mkdir(join(root, ".tmp"), { recursive: true });
  // They are inside the repository, where both find their dependencies.
  folder = await mkdtemp(join(root, ".tmp", "copies-"));
  const [mine, other] = [join(folder, "keyplane"), join(folder, "other")];
  for (const copy of [mine, join(other, "node_modules", "keyplane")]) {
    await cp(join(root, "dist"), join(copy, "dist"), { recursive: true });
    await cp(join(root, "package.json"), join(copy, "package.json"));
  }
  await writeFile(join(other, "package.json"), '{ "name": "other" }\n');
  await writeFile(join(other, "index.js"), 'exports.keyplane = require("keyplane");\n');
  example = await ExampleRun.create(plane, { "index.js": PROGRAM }, { packages: { keyplane: mine, other } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
  await rm(folder, { recursive: true });
});

test("two copies of the package in one program share one owner and one ledger", async () => {
  const requests = await example.requestsOf(() => example.run("up"));
  expect(requests.sort()).toEqual(["GET /api_keys", ...Array<string>(4).fill("POST /api_keys")]);
  expect(await example.workspace.outputs()).toEqual({ alike: true });
  expect(await example.requestsOf(() => example.runIdle("up"))).toEqual([]);
  await example.destroy();
});

test("a copy that cannot work with the other one is refused, and the error names the folders of both", async () => {
  const copy = join(folder, "other", "node_modules", "keyplane");
  const file = join(copy, "dist", "sdk", "nodejs", "run", "program-run.js");
  await writeFile(file, (await readFile(file, "utf8")).replace(/PROTOCOL = \d+/, "PROTOCOL = 99"));
  const { exit, stdout, stderr } = await example.run("up", { mayFail: true });
  expect(exit, stdout + stderr).not.toBe(0);
  const said = (stdout + stderr).replace(/\s+/g, " ");
  expect(said).toContain("KP-TWO-VERSIONS");
  expect(said).toContain(join(folder, "keyplane"));
  expect(said).toContain(copy);
  expect(said).toContain("`npm ls keyplane`");
});
