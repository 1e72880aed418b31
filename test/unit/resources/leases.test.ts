import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { deadlineIn } from "../../../provider/keys/lease";
import { check } from "../../../provider/schema/check";
import { diff } from "../../../provider/schema/diff";
import { UNKNOWN } from "../../../provider/schema/field-types";
import type { Properties } from "../../../provider/schema/outputs";
import { RECIPIENTS } from "../../recipients";
import { json, type Made, StackHarness } from "./harness";
import { DAY, HOUR, RotatingStack } from "./rotating-stack";

/** What an `up` plans for an ApiKey some time later. */
function plan({ outputs }: Made, inputs: Properties, now: number) {
  const terms = { now, hasLedger: true, driftOnly: false };
  return diff(resourceTypes.ApiKey, outputs, json({ owner: outputs.owner, ...inputs }), terms);
}

/** How long the deadline in a name is after the creation of the key, in milliseconds. */
function leaseOf({ name, createdAt }: Properties): number {
  return (deadlineIn(String(name)) ?? 0) - Date.parse(String(createdAt));
}

describe("an ApiKey with maxAge", () => {
  it("has a deadline in its name, which a list of this run or an earlier answer dates", async () => {
    const harness = await StackHarness.start();
    const made = await harness.createKey({ maxAge: "30d" });
    expect(await harness.requests()).toEqual(["GET /api_keys", "POST /api_keys"]);
    expect(leaseOf(made.outputs)).toBeLessThanOrEqual(30 * DAY);
    expect(leaseOf(made.outputs)).toBeGreaterThan(30 * DAY - 2 * 60_000);
    expect(Date.parse(String(made.outputs.expiresAt))).toBe(deadlineIn(String(made.outputs.name)));
    await harness.createKey({ maxAge: "30d" });
    expect(await harness.requests()).toEqual(["GET /api_keys", "POST /api_keys", "POST /api_keys"]);
  });

  it("gets its deadline from the service's clock if this machine's clock is wrong", async () => {
    const harness = await StackHarness.start();
    await harness.plane.clock.set({ offsetMs: 3 * DAY });
    const made = await harness.createKey({ maxAge: "30d" });
    expect(Math.abs(leaseOf(made.outputs) - 30 * DAY)).toBeLessThan(2 * 60_000);
  });

  it("is due after two thirds of its life, or after rotateAfter", async () => {
    const harness = await StackHarness.start();
    const made = await harness.createKey({ maxAge: "30d" });
    const created = Date.parse(String(made.outputs.createdAt));
    expect(Date.parse(String(made.outputs.rotateAt))).toBe(created + 20 * DAY);
    expect(plan(made, { maxAge: "30d" }, created + 20 * DAY - 1).changes).toBe(false);
    expect(plan(made, { maxAge: "30d" }, created + 20 * DAY).replaces).toEqual(["rotateAfter"]);
    expect(plan(made, { maxAge: "30d", rotateAfter: "10d" }, created + 10 * DAY).replaces).toEqual(["rotateAfter"]);
  });

  it.each<[string, Properties, Properties, readonly string[]]>([
    ["another length", { maxAge: "30d" }, { maxAge: "60d" }, ["maxAge"]],
    ["the same length in other words", { maxAge: "30d" }, { maxAge: "720h" }, []],
    ["a first one", {}, { maxAge: "30d" }, ["maxAge"]],
    ["none any more", { maxAge: "30d" }, {}, ["maxAge"]],
    ["a value that is not known yet", { maxAge: "30d" }, { maxAge: UNKNOWN }, ["maxAge"]],
  ])("is replaced for another deadline: %s", async (_, before, after, replaces) => {
    const harness = await StackHarness.start();
    const made = await harness.createKey(before);
    expect(plan(made, after, harness.clock.now()).replaces).toEqual(replaces);
  });

  it("cannot have an exact name", async () => {
    const harness = await StackHarness.start();
    const inputs = { owner: harness.identity, name: "ci", maxAge: "30d" };
    const { failures } = check(resourceTypes.ApiKey, inputs, harness.context);
    expect(failures).toEqual([{ property: "maxAge", reason: expect.stringContaining("Use namePrefix") }]);
  });

  it("whose answer is lost is found by its name", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: "POST /api_keys", fault: "reset", commit: "before" });
    const made = await harness.createKey({ maxAge: "30d" });
    expect(await harness.liveIds()).toEqual([made.id]);
    expect(deadlineIn(String(made.outputs.name))).toBeDefined();
  });
});

describe("a RotatingApiKey with maxAge", () => {
  it("rotates before the deadline, so that the grace has ended by then", async () => {
    const stack = await RotatingStack.start({ maxAge: "30d" });
    const first = stack.outputs;
    expect(Math.abs(leaseOf(first ?? {}) - 30 * DAY)).toBeLessThan(2 * 60_000);
    expect(stack.outputs?.nextAction).toBe(`rotate after ${stack.outputs?.rotateAt}`);
    await stack.harness.clock.pass(20 * DAY);
    expect((await stack.up()).reasons).toEqual([`due since ${first?.rotateAt}: 20d old`]);
    expect(Date.parse(String(stack.outputs?.retireAfter))).toBeLessThan(deadlineIn(String(first?.name)) ?? 0);
    expect(stack.outputs?.expiresAt).not.toBe(first?.expiresAt);
  });

  it.each([
    [29.5, "stays live at least until its deadline"],
    [31, "is past its deadline"],
  ])("says that the previous key keeps its deadline if the rotation comes late: after %s days", async (days, says) => {
    const stack = await RotatingStack.start({ maxAge: "30d" });
    const { expiresAt, keyId } = stack.outputs ?? {};
    await stack.harness.clock.pass(days * DAY);
    await stack.up();
    expect(stack.harness.told.info.join("\n")).toContain(`Key ${keyId} ${says}, ${expiresAt}, because`);
  });

  it.each<[string, Properties, Properties, string]>([
    ["another length", { maxAge: "30d" }, { maxAge: "60d" }, "from 30d to 60d"],
    ["a first one", {}, { maxAge: "30d" }, "from none to 30d"],
    ["none any more", { maxAge: "30d" }, {}, "from 30d to none"],
  ])("rotates for another deadline: %s", async (_, before, after, change) => {
    const stack = await RotatingStack.start(before);
    expect((await stack.up(after)).reasons).toEqual([expect.stringContaining(change)]);
    expect(deadlineIn(String(stack.outputs?.name)) !== undefined).toBe("maxAge" in after);
    expect(await stack.up(after)).toEqual({ changed: false, reasons: [] });
  });

  it("does not rotate for the same length in other words", async () => {
    const stack = await RotatingStack.start({ maxAge: "30d" });
    const { current } = stack;
    await stack.up({ maxAge: "720h" });
    expect(stack.current).toBe(current);
  });

  it("says that another deadline has to wait for the previous key, and then rotates", async () => {
    const stack = await RotatingStack.start({ maxAge: "30d", rotationTriggers: { a: 1 } });
    await stack.up({ maxAge: "30d", rotationTriggers: { a: 2 } });
    const { current, previous } = stack;
    await stack.up({ maxAge: "60d", rotationTriggers: { a: 2 } });
    expect(stack.current).toBe(current);
    expect(stack.harness.told.info.join("\n")).toContain(
      `maxAge has changed. The key rotates as soon as the previous key`,
    );
    expect(stack.outputs?.nextAction).toContain(`rotate as soon as key ${previous} is revoked`);
    await stack.harness.clock.pass(25 * HOUR);
    await stack.up();
    await stack.up();
    expect(stack.current).not.toBe(current);
    expect(leaseOf(stack.outputs ?? {})).toBeGreaterThan(59 * DAY);
  });

  it("rotates an adopted key, whose name has no deadline, in the run after its adoption", async () => {
    const harness = await StackHarness.start();
    const { id, key } = await harness.plane.state.createKey("by-hand");
    const adopt = { id: String(id), key };
    const stack = await RotatingStack.start({ maxAge: "30d", adopt }, harness);
    expect(stack.current).toBe(String(id));
    expect(stack.outputs?.expiresAt).toBeUndefined();
    expect((await stack.up()).reasons).toEqual([expect.stringContaining("from none to 30d")]);
    expect(deadlineIn(String(stack.outputs?.name))).toBeDefined();
  });

  it("rotates in time although somebody still uses the key before it, which stays live until maxOverlap", async () => {
    const harness = await StackHarness.start();
    const { id, key } = await harness.plane.state.createKey("by-hand");
    const adopt = { id: String(id), key };
    const stack = await RotatingStack.start({ maxAge: "3d", gracePeriod: "12h", adopt }, harness);
    await stack.up();
    const { current } = stack;
    const passDays = async (days: number) => {
      for (let half = 0; half < 2 * days; half++) {
        await harness.clock.pass(DAY / 2);
        await harness.plane.state.useKey(id);
        await stack.up();
      }
    };
    await passDays(2.5);
    expect(stack.current).not.toBe(current);
    expect(await harness.liveIds()).toEqual([String(id), stack.current]);
    await passDays(4);
    expect(await harness.liveIds()).toContain(String(id));
    await harness.clock.pass(DAY);
    await stack.up();
    expect(await harness.liveIds()).not.toContain(String(id));
  });

  it("refuses a life that ends before its grace", async () => {
    const { context, identity } = await StackHarness.start();
    const inputs = { owner: identity, maxAge: "2d", gracePeriod: "20h" };
    expect(check(resourceTypes.RotatingApiKey, inputs, context).failures).toEqual([
      { property: "maxAge", reason: expect.stringContaining("gracePeriod (20 h)") },
    ]);
  });
});

describe("a rotation that waits while somebody uses the previous key", () => {
  const before = { maxAge: "3d", gracePeriod: "12h", rotationTriggers: { a: "1" }, sealTo: RECIPIENTS[0] };

  it.each<[string, Properties]>([
    ["a trigger", { ...before, rotationTriggers: { a: "2" } }],
    ["a longer maxAge", { ...before, maxAge: "30d" }],
    ["no maxAge", { ...before, maxAge: undefined }],
    ["other recipients", { ...before, sealTo: RECIPIENTS[1] }],
  ])("for %s does not wait until the deadline of the current key", async (_, changed) => {
    const harness = await StackHarness.start();
    const { id, key } = await harness.plane.state.createKey("by-hand");
    const { sealTo, ...readable } = before;
    const stack = await RotatingStack.start({ ...readable, adopt: { id: String(id), key } }, harness);
    await stack.up(before);
    const { current } = stack;
    const deadline = Date.parse(String(stack.outputs?.expiresAt));
    await stack.up(changed);
    expect(stack.current).toBe(current);
    while (harness.clock.now() < deadline - DAY / 2) {
      await harness.clock.pass(DAY / 2);
      await harness.plane.state.useKey(id);
      await stack.up();
    }
    expect(stack.current).not.toBe(current);
    expect(await harness.liveIds()).toContain(stack.current);
  });
});
