import { type ControlPlane, type RunResult, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DELETE, POST } from "../routes";
import { StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let run: StackUnderTest;

const PROGRAM = { "index.js": 'const { ApiKey } = require("keyplane");\nexports.id = new ApiKey("ci").keyId;\n' };
/** An operation that ends only on request. */
const PENDING = [{ action: "start_compute", runningMs: null }];

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  run = await StackUnderTest.of(plane, PROGRAM);
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id));
const saidBy = ({ diagnostics }: RunResult) => diagnostics.map(({ message }) => message).join("\n");
const polls = async () => (await plane.log()).filter(({ route }) => route?.includes("/operations")).length;

/** Presses Ctrl+C once in a run as soon as it is `ready`, does `meanwhile`, and waits for the end of the run. */
async function cancel(command: "up" | "destroy", ready: () => Promise<unknown>, meanwhile = async () => {}) {
  const { done, kill } = run.workspace.start(command);
  await ready();
  kill("SIGINT");
  await meanwhile();
  const result = await done;
  expect(result.exit).not.toBe(0);
  return result;
}

/** The keys in the state, except those that wait for their deletion. */
async function recorded() {
  const { resources = [] } = (await run.workspace.exportState()).deployment;
  return resources.filter((each) => each.type.endsWith(":ApiKey") && each.delete !== true);
}

/** Ends the operations for which the recorded keys wait. */
async function endOperations() {
  for (const { outputs } of await recorded()) {
    for (const { operationId } of (outputs?.pending ?? []) as { operationId: string }[]) {
      await plane.state.endOperation(operationId);
    }
  }
}

test("Ctrl+C during a wait records the key as not ready, and the next up goes on with the same key", async () => {
  await plane.rules.add({ route: POST, operations: PENDING });
  const waiting = () => expect.poll(polls, { timeout: 60_000 }).toBeGreaterThan(0);
  const cancelled = await cancel("up", waiting);
  expect(saidBy(cancelled)).toMatch(/create ApiKey "ci": aborted while waiting for start_compute.*KP-NOT-READY/);
  const [id] = await live();
  const [key] = await recorded();
  expect(key).toMatchObject({ id, outputs: { pending: [{ action: "start_compute" }] } });
  expect(key?.initErrors).toEqual([expect.stringContaining("aborted")]);
  expect(JSON.stringify(key?.outputs?.key)).toContain("ciphertext");
  await run.expectNoSecrets();

  await endOperations();
  await run.run("up");
  expect((await run.workspace.outputs()).id).toBe(id);
  expect(await live()).toEqual([id]);
  expect(await plane.count("POST", "/api_keys")).toBe(1);
  await run.destroy();
});

test("Ctrl+C during a creation lets it finish and be recorded, and the next up creates no other key", async () => {
  await run.workspace.setProgram({
    "index.js": 'const { ApiKey } = require("keyplane");\nnew ApiKey("one");\nnew ApiKey("two");\n',
  });
  await plane.rules.add({ route: POST, operations: PENDING });
  await plane.rules.add({ route: POST, hold: "after" });
  const bothAreUnderWay = async () => {
    await plane.held.wait(1, 60_000);
    await expect.poll(polls, { timeout: 60_000 }).toBeGreaterThan(0);
  };
  await cancel("up", bothAreUnderWay, async () => {
    // One key's wait has ended, so the host has received the cancellation.
    const notReady = async () => (await recorded()).filter(({ initErrors = [] }) => initErrors.length > 0);
    await expect.poll(notReady, { timeout: 60_000 }).toHaveLength(1);
    await plane.held.release();
  });
  const ids = await live();
  expect((await recorded()).map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(ids).toHaveLength(2);
  await endOperations();
  await run.run("up");
  expect(await live()).toEqual(ids);
  expect(await plane.count("POST", "/api_keys")).toBe(2);
  await run.destroy();
});

test("Ctrl+C during the wait of a replacement leaves the replaced key live until the next up", async () => {
  const program = (version: number) => ({
    "index.js":
      'const { ApiKey } = require("keyplane");\n' +
      `exports.id = new ApiKey("ci", { rotationTriggers: { version: ${version} } }).keyId;\n`,
  });
  await run.workspace.setProgram(program(1));
  await run.run("up");
  const [old] = await live();
  await plane.rules.add({ route: POST, operations: PENDING });
  await run.workspace.setProgram(program(2));
  await cancel("up", () => expect.poll(polls, { timeout: 60_000 }).toBeGreaterThan(0));
  const keys = await live();
  expect(keys).toHaveLength(2);
  expect(keys).toContain(old);

  await endOperations();
  await run.run("up");
  expect(await live()).toEqual(keys.filter((id) => id !== old));
  expect(await plane.count("POST", "/api_keys")).toBe(2);
  await run.destroy();
});

test("Ctrl+C during a creation whose answer drips ends within the request timeout, and the next up finds the lost key", async () => {
  await run.workspace.setConfig("keyplane:requestTimeout", "2s");
  await plane.rules.add({ route: POST, fault: "drip-body" });
  let begun = 0;
  const cancelled = await cancel(
    "up",
    () => expect.poll(() => plane.count("POST"), { timeout: 60_000 }).toBe(1),
    async () => {
      begun = performance.now();
    },
  );
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(saidBy(cancelled)).toContain("KP-UNSETTLED");
  const [lost] = await live();
  await run.run("up");
  const [id, ...others] = await live();
  expect(others).toEqual([]);
  expect(id).not.toBe(lost);
  expect((await run.workspace.outputs()).id).toBe(id);
  await run.destroy();
});

test("Ctrl+C while a destroy waits to revoke a key leaves it in the state, and the next destroy revokes it", async () => {
  await run.run("up");
  const [id] = await live();
  await plane.rules.add({ route: DELETE, count: null, status: 503, retryAfter: 60 });
  const cancelled = await cancel("destroy", () =>
    expect.poll(() => plane.count("DELETE"), { timeout: 60_000 }).toBe(1),
  );
  expect(saidBy(cancelled)).toContain("aborted");
  expect(await recorded()).toMatchObject([{ id }]);
  await plane.rules.clear();
  await run.destroy();
});
