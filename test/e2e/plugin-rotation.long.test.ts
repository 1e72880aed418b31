import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PluginRun } from "./plugin-run";

const HOUR = 3_600_000;

let plane: ControlPlane;
let stack: PluginRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.run.workspace.remove();
  await plane.close();
});

const program = (trigger: string, args = "") =>
  `consumer("app", new RotatingApiKey("web", { rotationTriggers: { n: "${trigger}" }, gracePeriod: "1h" ${args} }));`;

/** Lets the grace end that begins with the first run that sees the new key everywhere. */
async function endGrace(): Promise<void> {
  for (let run = 1; run <= 2; run++) {
    await plane.clock.advance(2 * HOUR);
    await stack.up();
  }
}

test("a rotation hands the new key to the consumer, and the previous one is revoked after its grace, at the end of a run", async () => {
  stack = await PluginRun.create(plane, program("1"));
  await stack.up();
  const [old] = await stack.live();
  await stack.setProgram(program("2"));
  await stack.up();
  const [, current] = await stack.live();
  expect(await stack.history()).toEqual([`made ${old}`, `holds ${old}`, `made ${current}`, `holds ${current}`]);
  await stack.run.runIdle("up");

  await plane.clock.advance(2 * HOUR);
  expect(await stack.countsOf(() => stack.run.run("preview"))).toEqual({});
  const requests = await stack.countsOf(() => stack.up());
  expect(requests).toEqual({ "GET /api_keys": 1, "DELETE /api_keys/{key_id}": 1 });
  expect(await stack.live()).toEqual([current]);
  await stack.run.runIdle("up");
  await stack.run.destroy();
});

test("T3: while a consumer fails, no run revokes the previous key, and then the consumer gets the new key first", async () => {
  stack = await PluginRun.create(plane, program("1"));
  await stack.up();
  const [old] = await stack.live();
  await stack.setProgram(program("2"));
  await stack.failingUp();
  const both = await stack.live();
  const [current] = both.filter((id) => id !== old);
  await plane.clock.advance(2 * HOUR);
  for (let run = 1; run <= 3; run++) {
    await stack.failingUp();
    expect(await stack.live(), `after run ${run}`).toEqual(both);
  }
  await stack.up();
  expect(await stack.live(), "its grace begins with the run that gave everybody the new key").toEqual(both);
  await stack.run.runIdle("up");
  await endGrace();
  expect(await stack.history()).toEqual([
    `made ${old}`,
    `holds ${old}`,
    `made ${current}`,
    `holds ${current}`,
    `revoked ${old}`,
  ]);
  await stack.run.runIdle("up");
  await stack.run.destroy();
});

test.each<[readonly string[], NodeJS.ProcessEnv]>([
  [["--continue-on-error"], {}],
  [[], { PULUMI_CONTINUE_ON_ERROR: "true" }],
  [["--target", "urn:pulumi:dev::proj::keyplane:index:RotatingApiKey::web"], {}],
])("T3: a run with %j and %j keeps the previous key of a consumer that does not get the new one", async (args, env) => {
  stack = await PluginRun.create(plane, program("1"));
  await stack.up();
  await stack.setProgram(program("2"));
  await stack.failingUp();
  const both = await stack.live();
  await plane.clock.advance(2 * HOUR);
  for (let run = 1; run <= 2; run++) {
    // The plugin reads the command line of the engine.
    await stack.failingUp({ args, env, inProcess: false, mayFail: true });
    expect(await stack.live(), `after run ${run}`).toEqual(both);
  }
  await stack.up();
  expect(await stack.live()).toEqual(both);
  await endGrace();
  const [current] = both.slice(-1);
  expect((await stack.history()).slice(-2)).toEqual([`holds ${current}`, `revoked ${both[0]}`]);
  await stack.run.destroy();
});

test("a protected key retires its previous key in place", async () => {
  const inPlace = (trigger: string) =>
    program(trigger, ', retirement: "inPlace"').replace(" }));", " }, { protect: true }));");
  stack = await PluginRun.create(plane, inPlace("1"));
  await stack.up();
  await stack.setProgram(inPlace("2"));
  await stack.up();
  expect(await stack.live()).toHaveLength(2);
  await plane.clock.advance(2 * HOUR);
  await stack.up();
  const [key, ...others] = await stack.live();
  expect(others).toEqual([]);
  expect((await stack.history()).at(-2)).toBe(`holds ${key}`);
  await stack.run.run("destroy", { args: ["--ignore-protect"] });
  expect(await stack.live()).toEqual([]);
});
