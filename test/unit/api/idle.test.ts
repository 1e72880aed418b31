import { afterEach, describe, expect, test } from "vitest";
import type { OperationFailedError, TimeoutError } from "../../../provider/errors";
import { LIST_OPERATIONS } from "../../routes";
import { DAY, HOUR } from "../../times";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

/** A project whose first operations are two days old, and a clock that advances by a second with every poll. */
async function start() {
  const setup = await startAccount();
  const { plane } = setup;
  await plane.clock.set({ mode: "auto", stepMs: 1000, offsetMs: -2 * DAY });
  const { id: projectId } = await plane.state.createProject();
  await plane.clock.set({ offsetMs: 0 });
  const wait = (options: Parameters<typeof setup.account.operations.waitUntilIdle>[1] = {}) =>
    setup.account.operations.waitUntilIdle(projectId, options);
  return { ...setup, projectId, wait };
}

describe("waiting until a project is idle", () => {
  test("takes one request if nothing is pending", async () => {
    const { plane, wait } = await start();
    expect(await wait()).toEqual([]);
    expect(await plane.count()).toBe(1);
  });

  test("covers all pending operations, no matter who started them", async () => {
    const { plane, projectId, wait, clock } = await start();
    await plane.state.startOperations({ projectId, action: "apply_config" });
    await plane.state.startOperations({ projectId, action: "start_compute", runningMs: 5000 });
    const ended = await wait();
    expect(ended.map((each) => each.action).sort()).toEqual(["apply_config", "start_compute"]);
    expect(clock.sleeps.length).toBeGreaterThan(0);
  });

  test("ignores the platform's background work by default", async () => {
    const { plane, projectId, wait } = await start();
    for (const action of ["check_availability", "suspend_compute"]) {
      await plane.state.startOperations({ projectId, action, runningMs: null });
    }
    expect(await wait()).toEqual([]);
    const error = await caught<TimeoutError>(wait({ ignoreActions: ["check_availability"], timeoutMs: 9000 }));
    expect(error.pending).toMatchObject([{ action: "suspend_compute", status: "running" }]);
  });

  test("ignores operations that failed before the wait began", async () => {
    const { plane, projectId, wait } = await start();
    await plane.state.startOperations({ projectId, schedulingMs: 0, runningMs: 0, outcome: "failed" });
    expect(await wait()).toEqual([]);
  });

  test("fails with an operation that fails during the wait", async () => {
    const { plane, projectId, wait } = await start();
    const { ids } = await plane.state.startOperations({ projectId, outcome: "failed" });
    const error = await caught<OperationFailedError>(wait());
    expect(error).toMatchObject({ kind: "operation", failed: [{ id: ids[0], action: "start_compute" }] });
  });

  test("also covers operations that start during the wait, even if they have failed by the next poll", async () => {
    const { plane, projectId, wait, clock } = await start();
    await plane.state.startOperations({ projectId, runningMs: 60_000 });
    (clock as { auto: boolean }).auto = false;
    const waiting = caught<OperationFailedError>(wait({ timeoutMs: 600_000 }));
    while (clock.sleeping === 0) await new Promise(setImmediate);
    const { ids } = await plane.state.startOperations({ projectId, runningMs: 0, schedulingMs: 0, outcome: "error" });
    clock.advance(5000);
    expect(await waiting).toMatchObject({ failed: [{ id: ids[0], status: "error" }] });
  });

  test("finds a pending operation behind pages of newer ones, and stops reading at the horizon", async () => {
    const { plane, projectId, wait } = await start();
    const old = await plane.state.startOperations({
      projectId,
      action: "delete_tenant",
      runningMs: null,
      ageMs: HOUR,
    });
    await plane.state.startOperations({ projectId, count: 250, schedulingMs: 0, runningMs: 0, gapMs: 1000 });
    const error = await caught<TimeoutError>(wait({ timeoutMs: 1000 }));
    expect(error.pending.map((each) => each.id)).toEqual(old.ids);
    const before = await plane.count();
    await wait({ horizonMs: 60_000 });
    expect((await plane.count()) - before).toBe(2);
  });

  test("is shared by all callers that wait for the same project at the same time", async () => {
    const { plane, projectId, wait } = await start();
    await plane.state.startOperations({ projectId });
    await Promise.all(Array.from({ length: 50 }, () => wait()));
    expect(await plane.count()).toBeLessThanOrEqual(6);
  });

  test("fails if the project stays unknown", async () => {
    const { account, clock } = await startAccount();
    const error = await caught(account.operations.waitUntilIdle("no-such-project"));
    expect(error).toMatchObject({ kind: "not_found" });
    expect(clock.sleeps).toEqual([5000, 5000, 5000]);
  });

  test("gives a project that stayed unknown no further polls, but asks once, until it is known", async () => {
    const { account, clock, plane, projectId } = await start();
    await plane.rules.add({ route: LIST_OPERATIONS, status: 404, count: 5 });
    const waits = (count: number) => Array.from({ length: count }, () => account.operations.waitUntilIdle(projectId));
    const unknown = (count: number) => Promise.all(waits(count).map(caught));
    const notFound = Array(10).fill({ kind: "not_found" });
    expect(await unknown(10)).toMatchObject(notFound);
    expect(await plane.count()).toBe(4);
    expect(await unknown(10)).toMatchObject(notFound);
    // Each of the ten waits has slept three times.
    expect([await plane.count(), clock.sleeps.length]).toEqual([5, 30]);
    await Promise.all(waits(10));
    await plane.rules.add({ route: LIST_OPERATIONS, status: 404 });
    await Promise.all(waits(10));
    expect([await plane.count(), clock.sleeps.length]).toEqual([8, 40]);
  });

  test("continues through a temporary failure of the service", async () => {
    const { plane, wait } = await start();
    await plane.rules.add({ route: LIST_OPERATIONS, status: 502, count: 7 });
    expect(await wait({ timeoutMs: 600_000 })).toEqual([]);
  });
});

test("a wait ignores an operation that failed before it began, which another wait of the project looks back to", async () => {
  const { plane, clock, projectId, wait } = await start();
  const ended = { projectId, schedulingMs: 0, runningMs: 0 };
  await plane.state.startOperations({ ...ended, outcome: "failed", ageMs: 10 * HOUR });
  await plane.state.startOperations({ ...ended, count: 250, ageMs: 5 * HOUR, gapMs: 1000 });
  await plane.state.startOperations({ projectId, runningMs: 40_000 });
  Object.assign(clock, { auto: false });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 20));
  const one = wait({ horizonMs: HOUR, timeoutMs: 600_000 });
  while (clock.sleeping === 0) await turn();
  let over = false;
  const both = Promise.allSettled([one, wait({ timeoutMs: 600_000 })]).finally(() => {
    over = true;
  });
  for (let polls = 0; polls < 100 && !over; polls++) {
    clock.advance(5000);
    await turn();
  }
  expect(await both).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
});
