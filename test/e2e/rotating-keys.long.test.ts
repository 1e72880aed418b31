import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const POST = "POST /api_keys";
const DELETE = "DELETE /api_keys/{key_id}";
const LIST = "GET /api_keys";

/** Rotating keys in a component. The stack's configuration sets their number and arguments. */
const PROGRAM = `
  const pulumi = require("@pulumi/pulumi");
  const { RotatingApiKey } = require("keyplane");
  const config = new pulumi.Config();
  const parent = new pulumi.ComponentResource("test:Keys", "keys");
  const args = config.getObject("args") ?? {};
  const keys = Array.from({ length: config.requireNumber("count") }, (_, index) => {
    return new RotatingApiKey("key" + index, args, { parent });
  });
  exports.ids = keys.map((key) => key.keyId);
  exports.keys = keys.map((key) => ({ current: key.key, previous: key.previousKey }));`;

let plane: ControlPlane;
let run: ExampleRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

const configure = (args: object) => run.workspace.setConfig("args", JSON.stringify(args));

/** On a busy machine, this many runs take a long time. */
const LONG = 300_000;

/** How often each request was sent. The order is not fixed, because several keys are handled at the same time. */
async function countsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const request of await run.requestsOf(work)) counts[request] = (counts[request] ?? 0) + 1;
  return counts;
}

test(
  "rotating N keys takes N POST and one list, retiring them N DELETE and one list, and runs in between cost nothing",
  async () => {
    const count = 12;
    run = await ExampleRun.create(plane, { "index.js": PROGRAM }, { config: { count: `${count}` } });
    await configure({ rotateAfter: "30d" });
    expect(await countsOf(() => run.run("up"))).toEqual({ [POST]: count, [LIST]: 1 });
    expect(await countsOf(() => run.runIdle("up"))).toEqual({});
    expect(await countsOf(() => run.runIdle("preview"))).toEqual({});
    expect(await countsOf(() => run.runIdle("refresh"))).toEqual({ [LIST]: 1 });

    await plane.clock.advance(30 * DAY);
    const preview = await run.run("preview");
    expect(preview.changes).toHaveLength(count + 1);
    expect(preview.stdout + preview.stderr).toMatch(/due since \S+Z: 30d old/);
    expect((await run.run("refresh", { args: ["--expect-no-changes"] })).exit).toBe(0);
    expect(await countsOf(() => run.run("up"))).toEqual({ [POST]: count, [LIST]: 1 });
    await plane.clock.advance(HOUR);
    expect(await countsOf(() => run.runIdle("up"))).toEqual({});
    await run.runIdle("refresh");

    await plane.clock.advance(DAY);
    expect(await countsOf(() => run.run("up"))).toEqual({ [DELETE]: count, [LIST]: 1 });
    expect(await plane.liveKeys()).toHaveLength(count);
    await run.runIdle("up");
    await run.destroy();
  },
  LONG,
);

test("both secrets of a rotating key are ciphertext in the state, and work until their key is revoked", async () => {
  run = await ExampleRun.create(plane, { "index.js": PROGRAM }, { config: { count: "1" } });
  await configure({ rotationTriggers: { run: 1 } });
  await run.run("up");
  await configure({ rotationTriggers: { run: 2 } });
  await run.run("up");
  const { keys } = (await run.workspace.outputs({ showSecrets: true })) as {
    keys: { current: string; previous: string }[];
  };
  const [pair] = keys;
  const statusOf = async (key: string | undefined) => {
    const answer = await fetch(`${plane.url}/projects`, { headers: { authorization: `Bearer ${key}` } });
    await answer.arrayBuffer();
    return answer.status;
  };
  expect(await Promise.all([statusOf(pair?.current), statusOf(pair?.previous)])).toEqual([200, 200]);
  await run.expectNoSecrets();
  await plane.clock.advance(2 * DAY);
  await run.run("up");
  expect(await Promise.all([statusOf(pair?.current), statusOf(pair?.previous)])).toEqual([200, 401]);
  await run.destroy();
});

test("a single run replaces a compromised key everywhere in the stack and then revokes it", async () => {
  run = await ExampleRun.create(plane, { "index.js": PROGRAM }, { config: { count: "1" } });
  await run.run("up");
  const [old] = await plane.liveKeys();
  await configure({ revokeNow: `${old?.id}` });
  expect(await run.requestsOf(() => run.run("up"))).toEqual([POST, LIST, DELETE]);
  const [left, ...others] = await plane.liveKeys();
  expect(others).toEqual([]);
  expect(left?.id).not.toBe(old?.id);
  await run.run("up");
  await run.runIdle("up");
  await run.destroy();
});

test("a refresh reports a key that was revoked outside Pulumi, and the next run creates another one and keeps the previous key", async () => {
  run = await ExampleRun.create(plane, { "index.js": PROGRAM }, { config: { count: "1" } });
  await configure({ rotationTriggers: { run: 1 } });
  await run.run("up");
  await configure({ rotationTriggers: { run: 2 } });
  await run.run("up");
  const [current, previous] = await plane.liveKeys();
  await plane.state.revokeKey(current?.id ?? 0);
  const refresh = await run.run("refresh", { args: ["--expect-no-changes"], mayFail: true });
  expect(refresh.exit).not.toBe(0);
  expect((await run.run("up", { args: ["--refresh"] })).changes).toContain("update key0");
  expect((await plane.liveKeys()).map(({ id }) => id)).toContain(previous?.id);
  expect(await plane.liveKeys()).toHaveLength(2);
  await run.runIdle("up");
  await run.destroy();
});

test("T12: keyplane's own key is replaced in three steps, and is not rotated without selfRotation", async () => {
  run = await ExampleRun.create(plane, { "index.js": PROGRAM }, { config: { count: "1" } });
  await configure({ rotationTriggers: { run: 1 } });
  await run.run("up");
  const takeOver = async () => {
    const { keys } = (await run.workspace.outputs({ showSecrets: true })) as { keys: { current: string }[] };
    await run.workspace.setConfig("keyplane:apiKey", keys[0]?.current ?? "", { secret: true });
  };
  await takeOver();
  await configure({ rotationTriggers: { run: 2 } });
  const refused = await run.run("up", { mayFail: true });
  expect(refused.exit).not.toBe(0);
  expect(refused.stdout + refused.stderr).toMatch(
    /is due for rotation, but keyplane authenticates with it.*selfRotation to true/,
  );
  expect(await plane.liveKeys()).toHaveLength(1);

  await configure({ rotationTriggers: { run: 2 }, selfRotation: true });
  const told = (await run.run("up")).diagnostics.map(({ message }) => message).join("\n");
  expect(told).toMatch(/\(1\) export .*\(2\) give it to keyplane: .*\(3\) run `pulumi up` after/);
  const [, old] = await plane.liveKeys();
  await plane.clock.advance(8 * DAY);
  const waiting = (await run.run("up")).diagnostics.map(({ message }) => message).join("\n");
  expect(waiting).toMatch(new RegExp(`key ${old?.id} is due to be revoked, but keyplane still authenticates with it`));
  expect(await plane.liveKeys()).toHaveLength(2);

  await takeOver();
  await plane.clock.advance(2 * HOUR);
  await run.run("up");
  const [left, ...others] = await plane.liveKeys();
  expect(others).toEqual([]);
  expect((await plane.log({ method: "DELETE" })).map(({ keyId }) => keyId)).toEqual([left?.id]);
  await run.workspace.setConfig("keyplane:apiKey", plane.apiKey, { secret: true });
  // A destroy runs no program, and the CLI uses the configuration of the last `up`.
  await run.run("up");
  await run.destroy();
});

test.each([
  ["quietPeriod", { quietPeriod: "3d" }, { quietPeriod: "1h" }],
  ["maxOverlap", { quietPeriod: "3d" }, { quietPeriod: "3d", maxOverlap: "1h" }],
])(
  "a shortened %s takes effect in the next run, even for a key that an earlier run found in use",
  async (_, long, short) => {
    run = await ExampleRun.create(plane, { "index.js": PROGRAM }, { config: { count: "1" } });
    const args = (n: number, periods: object) => ({ rotationTriggers: { n }, gracePeriod: "1h", ...periods });
    await configure(args(1, long));
    await run.run("up");
    const [old] = await plane.liveKeys();
    await configure(args(2, long));
    await run.run("up");
    await plane.clock.advance(2 * HOUR);
    await plane.state.useKey(old?.id ?? 0);
    const { diagnostics } = await run.run("up");
    expect(diagnostics.map(({ message }) => message).join()).toContain("was last used");
    await plane.clock.advance(2 * HOUR);
    expect(await run.requestsOf(() => run.runIdle("up"))).toEqual([]);
    await configure(args(2, short));
    expect(await run.requestsOf(() => run.run("up"))).toEqual([LIST, DELETE]);
    expect((await plane.liveKeys()).map(({ id }) => id)).not.toContain(old?.id);
    await run.runIdle("up");
    await run.destroy();
  },
  LONG,
);
