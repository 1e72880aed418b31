import { rm } from "node:fs/promises";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownerTag, tagOf } from "../../provider/keys/names";
import { envOf, folderWith, run } from "../unit/cli/support";
import { ExampleRun } from "./run-example";

const PROGRAM = `
const { ApiKey, RotatingApiKey } = require("keyplane");
new ApiKey("ci");
new RotatingApiKey("app", { rotateAfter: "30d" });
`;

let plane: ControlPlane;
let lost: ExampleRun;
let kept: ExampleRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  lost = await ExampleRun.create(plane, { "index.js": PROGRAM }, { stack: "lost" });
  kept = await ExampleRun.create(plane, { "index.js": PROGRAM }, { stack: "kept" });
});

afterEach(async () => {
  await Promise.all([lost.workspace.remove(), kept.workspace.remove()]);
  await plane.close();
});

/** The id of the stack's Owner resource. */
async function ownerOf({ workspace }: ExampleRun): Promise<string> {
  const { resources = [] } = (await workspace.exportState()).deployment;
  return resources.find(({ type }) => type.endsWith(":Owner"))?.id ?? "";
}

async function revoked(): Promise<number[]> {
  const log = await plane.log();
  const all = log.flatMap(({ effects }) => effects.filter((effect) => effect.kind === "key-revoked"));
  return all.map(({ id }) => id).sort();
}

test("if the state is lost, sweep finds exactly the keys of that stack, and keys marks them", async () => {
  await lost.run("up");
  const owner = await ownerOf(lost);
  const [used = 0, unused = 0] = (await plane.liveKeys()).map(({ id }) => id).sort();
  await kept.run("up");
  const stranger = await plane.state.createKey("a-stranger");
  await plane.clock.advance(3_600_000);
  await plane.state.useKey(used, 1_800_000);
  await rm(lost.workspace.stateFile);

  const folder = await folderWith({ "kept.json": await kept.workspace.exportState() });
  const surroundings = { env: envOf(plane), cwd: folder };
  const marked = await run(["keys", "--state", "kept.json", "--json"], surroundings);
  const { keys } = JSON.parse(marked.stdout) as { keys: { id: string; name: string; flags: string[] }[] };
  const unmanaged = keys.filter(({ flags, name }) => flags.includes("unmanaged") && name !== "admin");
  expect(unmanaged.map(({ id }) => Number(id)).sort()).toEqual([used, unused, stranger.id]);
  // The names of the keys show the owner, even if the state is lost.
  expect(unmanaged.map(({ name }) => tagOf(name))).toEqual([undefined, ownerTag(owner), ownerTag(owner)]);

  const sweep = (...args: string[]) => run(["sweep", "--owner", owner, "--json", ...args], surroundings);
  const plan = JSON.parse((await sweep()).stdout) as { planned: { id: string }[]; kept: { id: string }[] };
  expect([plan.planned.map(({ id }) => Number(id)), plan.kept.map(({ id }) => Number(id))]).toEqual([[unused], [used]]);
  expect(await revoked()).toEqual([]);

  expect((await sweep("--yes")).code).toBe(0);
  expect(await revoked()).toEqual([unused]);
  expect((await sweep("--yes", "--include-used")).code).toBe(0);
  expect(await revoked()).toEqual([used, unused]);
  await kept.runIdle("up");
  await kept.run("destroy");
  expect((await plane.liveKeys()).map(({ id }) => id)).toEqual([stranger.id]);
});
