import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let projectId: string;
let example: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  projectId = (await plane.state.createProject({ name: "shop" })).id;
  example = await StackUnderTest.of(plane, "wait", { config: { projectId } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

/** Starts an operation that takes five minutes, as a client does. */
const startOperation = (outcome = "finished") => {
  return plane.state.startOperations({ projectId, schedulingMs: 60_000, runningMs: 240_000, outcome });
};

test("wait: the key is created only after the project's operations have finished, and so is the next key", async () => {
  const before = (await plane.clock.read()).now;
  await startOperation();
  await example.run("up");
  const [key] = await plane.liveKeys();
  expect(Date.parse(key?.createdAt ?? "")).toBeGreaterThanOrEqual(before + 299_000);

  expect(await example.requestsOf(() => example.runIdle("preview"))).toEqual([]);
  await example.runIdle("refresh");

  await startOperation();
  await example.workspace.setConfig("release", "2");
  await example.run("up");
  const [next, ...others] = await plane.liveKeys();
  expect(others).toEqual([]);
  expect(Date.parse(next?.createdAt ?? "")).toBeGreaterThanOrEqual(before + 599_000);

  await example.destroy();
});

test("wait: a failed operation stops the run before any key is created, and the next run goes on", async () => {
  await startOperation("failed");
  const failed = await example.run("up", { mayFail: true });
  expect(failed.exit).not.toBe(0);
  expect(failed.diagnostics.map(({ message }) => message).join("\n")).toMatch(/start_compute.*failed/);
  expect(await plane.liveKeys()).toEqual([]);

  await example.run("up");
  expect(await plane.liveKeys()).toHaveLength(1);
  await example.destroy();
});

test("wait: the run gives up an operation that never ends at the deadline, and creates no key", async () => {
  const { ids } = await plane.state.startOperations({ projectId, runningMs: null });
  const failed = await example.run("up", { mayFail: true });
  expect(failed.exit).not.toBe(0);
  expect(failed.diagnostics.map(({ message }) => message).join("\n")).toMatch(/start_compute/);
  expect(await plane.liveKeys()).toEqual([]);

  await plane.state.endOperation(ids[0] ?? "");
  await example.run("up");
  await example.destroy();
});
