import { describe, expect, it } from "vitest";
import type { Properties } from "../../../provider/schema/outputs";
import { StackHarness } from "./harness";
import { DAY, HOUR, RotatingStack } from "./rotating-stack";

const first = { rotationTriggers: { quarter: "Q1" } };
const second = { rotationTriggers: { quarter: "Q2" } };

describe("a new key that must become ready", () => {
  it("is revoked if the service refuses it, and then the old key stays and the next run tries again", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.harness.plane.rules.add({ route: "GET /projects", status: 401, count: null });
    await expect(stack.up({ ...second, verify: true })).rejects.toThrow(
      /is revoked again: the service does not accept key \d+\. The next `pulumi up` creates another one$/,
    );
    expect(await stack.harness.liveIds()).toEqual([current]);
    await stack.harness.plane.rules.clear();
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
  });

  it("is revoked when its first minute is over, if the service refuses it and finds it nowhere before", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const { clock, plane } = stack.harness;
    await plane.rules.add({ route: "GET /projects", status: 401, count: null });
    // The newest key is the first one in a list.
    await plane.rules.add({ route: "GET /api_keys", lacks: 0, count: null });
    await plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 404, count: null });
    const since = clock.now();
    // The trials of a refused key end after 7.5 seconds.
    clock.meanwhile = async () => {
      if (clock.now() - since > 7_000) await plane.rules.clear();
    };
    await expect(stack.up({ ...second, verify: true })).rejects.toThrow("is revoked again");
    expect(await stack.harness.liveIds()).toEqual([current]);
  });

  it("is not given up by a destroy within its first minute, in which the service may find it nowhere", async () => {
    const stack = await RotatingStack.start(first);
    const { rules } = stack.harness.plane;
    await rules.add({ route: "GET /api_keys", lacks: 0, count: null });
    await rules.add({ route: "DELETE /api_keys/{key_id}", status: 404, count: null });
    await expect(stack.destroy()).rejects.toThrow("does not list key");
    await rules.clear();
    await stack.destroy();
    expect(await stack.harness.liveIds()).toEqual([]);
  });

  it("is recorded if it is refused and cannot be revoked, and the next run revokes it", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.harness.plane.rules.add({ route: "GET /projects", status: 401, count: null });
    await stack.harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 500, count: null });
    const { notReady } = await stack.up({ ...second, verify: true });
    expect(notReady).toMatch(/was not delivered and is still to be revoked: the service does not accept key \d+\./);
    expect(stack.current).toBe(current);
    expect(stack.outputs?.pendingRevocations).toHaveLength(1);
    await stack.harness.plane.rules.clear();
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
  });

  it("is kept with its secret if its operations do not end in time, and the grace period starts when it is ready", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const inputs = { ...second, operationTimeout: "1m" };
    await stack.harness.plane.state.createProject();
    await stack.harness.plane.rules.add({
      route: "POST /api_keys",
      operations: [{ action: "start_compute", runningMs: 2 * DAY }],
    });
    expect(await stack.up(inputs)).toHaveProperty("notReady");
    expect(stack.previous).toBe(current);
    expect(stack.outputs).toMatchObject({
      key: expect.any(String),
      nextAction: expect.stringMatching(/^wait until key/),
    });
    await stack.harness.clock.pass(DAY + HOUR);
    expect(await stack.up()).toMatchObject({ reasons: [expect.stringMatching(/not ready yet: .*start_compute/)] });
    expect(await stack.harness.liveIds()).toContain(current);
    await stack.harness.clock.pass(DAY);
    expect(await stack.up()).not.toHaveProperty("notReady");
    await stack.harness.clock.pass(23 * HOUR);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    await stack.harness.clock.pass(HOUR);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    expect(await stack.harness.plane.count("POST")).toBe(2);
  });

  it("is replaced if its operations fail in a later run, and the previous key is kept", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const inputs = { ...second, operationTimeout: "1m" };
    await stack.harness.plane.state.createProject();
    await stack.harness.plane.rules.add({
      route: "POST /api_keys",
      operations: [{ action: "start_compute", runningMs: HOUR, outcome: "failed" }],
    });
    await stack.up(inputs);
    const broken = stack.current;
    await stack.harness.clock.pass(HOUR);
    expect(await stack.up()).toMatchObject({ notReady: expect.stringMatching(/failed/) });
    expect(await stack.up()).toMatchObject({ reasons: [expect.stringMatching(/start_compute.*failed/)] });
    expect(stack.current).not.toBe(broken);
    expect(stack.previous).toBe(current);
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
  });

  it("is revoked if its operations fail at once, and no consumer receives it", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.harness.plane.state.createProject();
    await stack.harness.plane.rules.add({
      route: "POST /api_keys",
      operations: [{ action: "start_compute", outcome: "failed" }],
    });
    await expect(stack.up(second)).rejects.toThrow(/revoked again.*start_compute.*failed/);
    expect(await stack.harness.liveIds()).toEqual([current]);
  });

  it("shows each step in the resource's row", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up({ ...second, verify: true });
    await stack.harness.clock.pass(DAY);
    await stack.up();
    expect(stack.harness.told.progress).toEqual([
      "creating a new key",
      "creating a new key",
      `verifying key ${stack.current}`,
      expect.stringMatching(/^revoking key \d+$/),
    ]);
  });
});

describe("a first key", () => {
  it("that is unusable leaves nothing behind", async () => {
    const stack = await RotatingStack.start();
    await stack.destroy();
    await stack.harness.plane.rules.add({ route: "GET /projects", status: 401, count: null });
    await expect(stack.up({ verify: true })).rejects.toThrow(/does not accept key \d+/);
    expect(await stack.harness.liveIds()).toEqual([]);
  });

  it("that is unusable and cannot be revoked is recorded, the next run replaces it, and the one after that revokes it", async () => {
    const stack = await RotatingStack.start();
    await stack.destroy();
    const { rules } = stack.harness.plane;
    await rules.add({ route: "POST /api_keys", fault: "reset", commit: "before", count: null });
    await rules.add({ route: "DELETE /api_keys/{key_id}", status: 500, count: null });
    expect(await stack.up()).toHaveProperty("notReady");
    expect(stack.id).toMatch(/^[0-9a-f-]{36}$/);
    await rules.clear();
    await stack.refresh();
    await stack.up();
    expect(stack.outputs?.pendingRevocations).toHaveLength(3);
    expect(await stack.up()).toMatchObject({ changed: true });
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
  });
});

describe("a key in use that is to stay live after its resource is deleted, and that the service refuses for seconds", () => {
  const start = async (kept: Properties) => {
    const stack = await RotatingStack.start(first);
    const { plane, clock } = stack.harness;
    await clock.pass(30 * DAY);
    await plane.rules.add({ route: "GET /projects", status: 401, count: 5 });
    expect((await stack.up({ ...first, ...kept })).notReady).toContain("does not accept key");
    await plane.rules.clear();
    await plane.state.useKey(stack.current);
    return stack;
  };

  it.each([{ revokeOnDelete: false }, { retained: true }])("is kept by the next run (%o)", async (kept) => {
    const stack = await start(kept);
    const { current } = stack;
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([current]);
    expect(stack.outputs?.pending).toBeUndefined();
  });

  it("is replaced after a refresh if it is gone", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous, harness } = stack;
    await harness.plane.rules.add({ route: "GET /projects", status: 401, count: null });
    expect((await stack.up({ ...second, revokeOnDelete: false })).notReady).toContain("run `pulumi up --refresh`");
    await harness.plane.rules.clear();
    await harness.plane.state.revokeKey(current);
    await stack.refresh();
    await stack.up();
    expect(stack.current).not.toBe(current);
    expect(await harness.liveIds()).toEqual([previous, stack.current].sort());
  });

  it("is kept by a destroy", async () => {
    const stack = await start({ revokeOnDelete: false });
    const { current } = stack;
    await stack.destroy();
    expect(await stack.harness.liveIds()).toEqual([current]);
  });

  it("is kept by the deletion of an ApiKey", async () => {
    const harness = await StackHarness.start();
    const made = await harness.createKey();
    await harness.plane.rules.add({ route: "GET /projects", status: 401, count: 5 });
    const updated = await harness.updateKey(made, { revokeOnDelete: false });
    await harness.deleteKey(updated);
    expect(await harness.liveIds()).toEqual([made.id]);
  });
});
