import { describe, expect, it } from "vitest";
import { rotatingApiKey } from "../../../provider/resources/rotating-api-key";
import { UNKNOWN } from "../../../provider/schema/field-types";
import type { Properties } from "../../../provider/schema/outputs";
import { failureOf } from "./harness";
import { DAY, HOUR, QUIET, RotatingStack } from "./rotating-stack";

const first = { rotationTriggers: { quarter: "Q1" } };
const second = { rotationTriggers: { quarter: "Q2" } };
const third = { rotationTriggers: { quarter: "Q3" } };

describe("a rotation", () => {
  it.each(["rotationTriggers", "maxAge"])("is what a preview shows if it does not know %s at all", async (input) => {
    const { outputs = {} } = await RotatingStack.start(first);
    const stable = (inputs: Properties) => rotatingApiKey.stable?.(outputs, inputs, Date.now());
    expect(stable({ ...first })).toContain("keyId");
    expect(stable({ ...first, [input]: UNKNOWN })).toEqual([]);
  });

  it("T1: leaves the old key in use and revokes nothing if no key can be created", async () => {
    const stack = await RotatingStack.start(first);
    const { current, outputs } = stack;
    await stack.harness.plane.rules.add({ route: "POST /api_keys", status: 400, count: null });
    await expect(stack.up(second)).rejects.toThrow(/POST \/api_keys.*400/);
    expect(stack.outputs).toBe(outputs);
    expect(await stack.harness.liveIds()).toEqual([current]);
    await stack.harness.plane.rules.clear();
    await stack.up();
    expect(stack.previous).toBe(current);
  });

  it("T1: leaves the old key in use and no other key if every answer is lost", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.harness.plane.rules.add({ route: "POST /api_keys", fault: "reset", commit: "before", count: null });
    await expect(stack.up(second)).rejects.toThrow(/No key was created/);
    expect(await stack.harness.liveIds()).toEqual([current]);
    expect(await stack.harness.plane.count("DELETE")).toBe(3);
  });

  it("T2: is repeated after a crash before the key is saved, and the next run sweeps the lost key", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.crashedUp(second);
    expect(await stack.harness.liveIds()).toHaveLength(2);
    await stack.up();
    expect(stack.previous).toBe(current);
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
  });

  it("T3: creates no third key in the next run if its consumers fail half-way", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.failedUp(second);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    expect(await stack.harness.plane.count("POST")).toBe(2);
  });

  it("T4: is queued during the grace period, reported once, and runs when the previous key is revoked", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    await stack.harness.clock.pass(HOUR);
    expect(await stack.up(third)).toMatchObject({ changed: true });
    expect(stack.outputs?.nextAction).toContain(`rotate as soon as key ${previous} is revoked`);
    expect(stack.harness.told.info.at(-1)).toMatch(/key rotates as soon as the previous key/);
    for (let run = 0; run < 3; run++) {
      await stack.harness.clock.pass(HOUR);
      expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    }
    expect(await stack.harness.liveIds()).toEqual([previous, current]);
    await stack.harness.clock.pass(DAY);
    expect(await stack.up()).toMatchObject({
      changed: true,
      reasons: [expect.stringMatching(/grace/), expect.anything()],
    });
    expect(stack.previous).toBe(current);
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
  });

  it("T4: stores triggers only as digests, even queued ones", async () => {
    const stack = await RotatingStack.start({ rotationTriggers: { quarter: "hush-1" } });
    await stack.up({ rotationTriggers: { quarter: "hush-2" } });
    await stack.up({ rotationTriggers: { renamed: ["hush-3", { deep: "hush-4" }] } });
    expect(stack.outputs).toHaveProperty("queuedTriggersDigest");
    expect(JSON.stringify(stack.outputs)).not.toContain("hush");
  });

  it("T4: removes plain-text triggers from a state of version 0.1, and still carries out what they request", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.up(third);
    const { triggersDigest, queuedTriggersDigest, ...rest } = stack.outputs ?? {};
    const old = { rotationTriggers: second.rotationTriggers, queuedTriggers: third.rotationTriggers };
    for (const run of [() => stack.refresh(), () => stack.up()]) {
      stack.outputs = { ...rest, ...old };
      await run();
      for (const name of Object.keys(old)) expect(stack.outputs).not.toHaveProperty(name);
    }
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    const { current } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.up();
    expect(stack.previous).toBe(current);
  });

  it("T4: does not happen if it is requested and withdrawn during the grace period", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.up(third);
    await stack.up(second);
    await stack.harness.clock.pass(2 * DAY);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    expect(await stack.harness.plane.count("POST")).toBe(2);
  });

  it("T5: stands if the previous key cannot be revoked, which is tried again without creating another key", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    await stack.harness.clock.pass(DAY);
    const rule = await stack.harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 500, count: null });
    expect(await stack.up()).not.toHaveProperty("notReady");
    expect(stack.warnings).toMatch(new RegExp(`could not revoke key ${previous}; the next .* tries again`));
    expect(await stack.harness.liveIds()).toEqual([previous, current]);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([previous, current]);
    await stack.harness.plane.rules.remove(rule.id);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.liveIds()).toEqual([current]);
    expect(stack.current).toBe(current);
    const { length } = await stack.harness.requests();
    await stack.up();
    expect(await stack.harness.requests(length)).toEqual([]);
  });

  it("creates a third key until the end of the run if a key is retired in the same run", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.failedUp(third);
    expect(await stack.harness.liveIds()).toEqual([previous, current, stack.current]);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
  });

  it("revokes a key only after a grace that starts with the first run that gives its successor to the whole stack", async () => {
    const stack = await RotatingStack.start(first);
    await stack.failedUp(second);
    const { current, previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.failedUp();
    expect(stack.outputs).toMatchObject({
      retired: [previous],
      nextAction: `make sure that key ${previous} is revoked`,
    });
    expect(stack.previous).toBe("");
    // Only this run gives the successor to consumers outside the stack.
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    await stack.harness.clock.pass(DAY - 1_000);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([previous, current]);
    await stack.harness.clock.pass(1_000);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.liveIds()).toEqual([current]);
  });

  it("counts maxOverlap from the delivery, too, so that consumers have the time to change to the successor", async () => {
    const inputs = { ...second, gracePeriod: "1h", maxOverlap: "2h" };
    const stack = await RotatingStack.start({ ...first, gracePeriod: "1h", maxOverlap: "2h" });
    await stack.failedUp(inputs);
    const { previous } = stack;
    await stack.harness.clock.pass(3 * HOUR);
    await stack.failedUp();
    await stack.harness.plane.state.useKey(previous);
    await stack.up();
    await stack.harness.clock.pass(2 * HOUR - 1_000);
    await stack.harness.plane.state.useKey(previous);
    await stack.up();
    expect(await stack.harness.liveIds()).toContain(previous);
    await stack.harness.clock.pass(1_000);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("keeps a retired key that was used after its retirement, because a failed run has not revoked it", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.failedUp();
    expect(stack.outputs).toMatchObject({ retired: [previous] });
    await stack.harness.clock.pass(60_000);
    await stack.harness.plane.state.useKey(previous);
    await stack.up();
    expect(stack.warnings).toMatch(
      new RegExp(`key ${previous} .*is retired, but stays live, because it is still used`),
    );
    expect(stack.warnings).toContain(`Give its users key ${stack.current}`);
    expect(await stack.harness.liveIds()).toContain(previous);
    await stack.harness.clock.pass(QUIET + 1_000);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("starts the grace again if the successor is compromised, because its users need yet another key", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    await stack.harness.clock.pass(DAY - HOUR);
    await stack.failedUp({ ...second, revokeNow: current });
    await stack.harness.clock.pass(DAY);
    // The grace since the rotation is over, but nobody outside has the new key before this run.
    await stack.up({ ...second, revokeNow: current });
    expect(await stack.harness.liveIds()).toEqual([previous, stack.current]);
    await stack.harness.clock.pass(DAY);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("records a key that is retired even if it fails, and the next run revokes that key", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.harness.plane.rules.add({ route: "POST /api_keys", status: 400, count: null });
    expect((await stack.up(third)).notReady).toMatch(/POST \/api_keys.*400/);
    expect(stack.outputs).toMatchObject({ keyId: current, retired: [previous] });
    expect(await stack.harness.liveIds()).toEqual([previous, current]);
    await stack.harness.plane.rules.clear();
    await stack.up();
    expect(stack.previous).toBe(current);
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
  });

  it("keeps its keys and both lost names in the state if every answer of two rotations is lost without a key", async () => {
    const stack = await RotatingStack.start(first);
    const { current, outputs } = stack;
    await stack.harness.plane.rules.add({ route: "POST /api_keys", fault: "close", commit: "never", count: null });
    expect((await stack.up(second)).notReady).toMatch(/No key was created/);
    expect(stack.outputs).toMatchObject({ keyId: current, key: outputs?.key });
    const early = stack.outputs?.lostNames;
    expect(early).toHaveLength(3);
    expect((await stack.up()).notReady).toMatch(/No key was created/);
    expect(stack.outputs?.lostNames).toEqual(stack.harness.names.slice(1));
    expect(stack.outputs?.lostNames).toEqual(expect.arrayContaining(early as string[]));
    expect(await stack.harness.liveIds()).toEqual([current]);
  });

  it("forgets retired keys when a list shows that they are gone", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.up(third);
    expect(stack.outputs).toMatchObject({ retired: [previous] });
    const old = stack.previous;
    await stack.harness.clock.pass(DAY);
    await stack.up();
    expect(stack.outputs).toMatchObject({ retired: [old] });
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("remembers a retired key that one list lacks", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const retired = [stack.previous];
    await stack.harness.clock.pass(DAY);
    await stack.failedUp(third);
    retired.push(stack.previous);
    await stack.harness.clock.pass(DAY);
    // The newest key is the first one in a list.
    await stack.harness.plane.rules.add({ route: "GET /api_keys", lacks: 2, count: 1 });
    await stack.failedUp();
    expect(stack.outputs).toMatchObject({ retired });
    await stack.finishRun();
    expect(await stack.harness.liveIds()).toEqual([retired[1], stack.current]);
  });

  it("keeps the id of a retired live key in a refresh that finds no other key, so that the deletion revokes it", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.harness.clock.pass(DAY);
    const { previous } = stack;
    await stack.failedUp();
    await stack.harness.plane.state.revokeKey(stack.current);
    // One list that lacks it proves nothing.
    await stack.harness.plane.rules.add({ route: "GET /api_keys", lacks: 0, count: 1 });
    expect(await stack.refresh()).toBe(true);
    expect(stack.outputs).toMatchObject({ retired: [previous] });
    expect(await stack.harness.liveIds()).toEqual([previous]);
    await stack.failedUp();
    expect(await stack.harness.liveIds()).toEqual([previous, stack.current]);
    await stack.destroy();
    expect(await stack.harness.liveIds()).toEqual([]);
  });

  it("T6: goes on if a crashed run has already revoked the previous key", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.harness.clock.pass(DAY);
    const { previous } = stack;
    await stack.crashedLastUp();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    await stack.up();
    expect(stack.previous).toBe("");
    expect(stack.ledger).not.toHaveProperty("unrevoked");
    expect(stack.warnings).toMatch(
      new RegExp(`^two lists lack key ${previous} [^\n]*npx keyplane revoke ${previous}\`$`),
    );
  });

  it.each([1, 8])("keeps a previous key that works although two lists lack it %i days later", async (days) => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    await stack.harness.clock.pass(days * DAY);
    await stack.harness.plane.rules.add({ route: "GET /api_keys", lacks: 1, count: 2 });
    await stack.up();
    expect(stack.previous).toBe(previous);
    expect(await stack.harness.liveIds()).toEqual([previous, stack.current]);
    expect(stack.warnings).toMatch(new RegExp(`the last use of key ${previous} is unknown: .*but the key works`));
  });

  it("T7: keeps a previous key in use, says who used it and when, and revokes it when it is quiet", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.harness.plane.state.useKey(previous, QUIET / 2, "203.0.113.9");
    await stack.up();
    expect(stack.warnings).toMatch(
      new RegExp(`key ${previous} .*last used \\S+Z from 203\\.0\\.113\\.9\\. It is kept`),
    );
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.liveIds()).toContain(previous);
    await stack.harness.clock.pass(QUIET / 2 + 1_000);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T7: a key in constant use whose last use is an hour late outlives its grace, unless quietPeriod is as short", async () => {
    for (const [inputs, isKept] of [
      [first, true],
      [{ ...first, quietPeriod: "30m" }, false],
    ] as const) {
      const stack = await RotatingStack.start(inputs);
      await stack.harness.plane.state.switch({ lastUsedThrottleMs: HOUR });
      await stack.up({ ...inputs, rotationTriggers: second.rotationTriggers });
      const { previous } = stack;
      const secret = String(stack.outputs.previousKey);
      // The last use that is recorded is 59 minutes before the grace is over.
      await stack.harness.clock.pass(DAY - HOUR);
      for (const minutes of [1, 29, 29]) {
        await stack.harness.clock.pass(minutes * 60_000);
        await fetch(`${stack.harness.plane.url}/api_keys`, { headers: { authorization: `Bearer ${secret}` } });
      }
      await stack.harness.clock.pass(60_000);
      await stack.up();
      expect([(await stack.harness.liveIds()).includes(previous), inputs.quietPeriod]).toEqual([
        isKept,
        inputs.quietPeriod,
      ]);
    }
  });

  it("T7: revokes a previous key in use when maxOverlap is over, and not before", async () => {
    const stack = await RotatingStack.start({ ...first, maxOverlap: "2d" });
    await stack.up({ ...second, maxOverlap: "2d" });
    const { previous } = stack;
    for (let hours = 24; hours < 48; hours += 2) {
      await stack.harness.clock.pass(hours === 24 ? DAY : 2 * HOUR);
      await stack.harness.plane.state.useKey(previous);
      await stack.up();
      expect(await stack.harness.liveIds()).toContain(previous);
    }
    await stack.harness.clock.pass(2 * HOUR);
    await stack.harness.plane.state.useKey(previous);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    expect(stack.warnings).toMatch(/revoked anyway, because maxOverlap is over/);
  });

  it.each([
    ["quietPeriod", { quietPeriod: "1h" }],
    ["maxOverlap", { quietPeriod: "3d", maxOverlap: "25h" }],
  ])("T7: applies a shortened %s at once, even to a key that was found in use", async (_, short) => {
    const long = { quietPeriod: "3d" };
    const stack = await RotatingStack.start({ ...first, ...long });
    await stack.up({ ...second, ...long });
    await stack.harness.clock.pass(DAY);
    await stack.harness.plane.state.useKey(stack.previous);
    await stack.up();
    await stack.harness.clock.pass(2 * HOUR);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    await stack.up({ ...second, ...short });
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T7: keeps a previous key whose last use is unknown", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    await stack.harness.clock.pass(DAY);
    const rule = await stack.harness.plane.rules.add({ route: "GET /api_keys", status: 500, count: null });
    await stack.up();
    expect(stack.warnings).toMatch(new RegExp(`the last use of key ${previous} is unknown`));
    expect(await stack.harness.liveIds()).toContain(previous);
    await stack.harness.plane.rules.remove(rule.id);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T8: creates a new key if both keys were revoked, and reports that they are gone", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    for (const id of [current, previous]) await stack.harness.plane.state.revokeKey(id);
    expect(await stack.refresh()).toBe(true);
    expect(stack.outputs).toBeUndefined();
    const named = `key ${current} \\(ci-.*\\) and key ${previous} \\(ci-.*\\) are gone from the account\\. `;
    expect(stack.warnings).toMatch(new RegExp(named));
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T9: replaces a missing current key and keeps the previous one for a new grace period", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    await stack.harness.plane.state.revokeKey(current);
    await stack.harness.clock.pass(23 * HOUR);
    expect(await stack.refresh()).toBe(true);
    expect(stack.current).toBe(current);
    expect(await stack.up()).toMatchObject({ reasons: [`key ${current} is gone from the account`] });
    expect(stack.previous).toBe(previous);
    expect(await stack.harness.liveIds()).toEqual([previous, stack.current]);
    await stack.harness.clock.pass(2 * HOUR);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    await stack.harness.clock.pass(DAY);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T9: never revokes the previous key before a missing current key is replaced, even after the grace period", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    await stack.harness.plane.state.revokeKey(stack.current);
    await stack.harness.clock.pass(2 * DAY);
    await stack.refresh();
    await stack.crashedUp();
    expect(await stack.harness.liveIds()).toContain(previous);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([previous, stack.current]);
  });

  it("T9: forgets a missing previous key without creating a new one", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.harness.plane.state.revokeKey(stack.previous);
    await stack.refresh();
    expect(stack.previous).toBe("");
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T10: waits if an answer shows that only a wrong local clock makes it due, and happens as soon as the service agrees", async () => {
    const stack = await RotatingStack.start({ rotateAfter: "30d" });
    const { current } = stack;
    stack.harness.clock.advance(31 * DAY);
    await stack.harness.account.keys.list({ fresh: true });
    expect(stack.plan().reasons).toEqual([expect.stringMatching(/^due since .*31d old$/)]);
    await stack.up();
    expect(stack.warnings).toMatch(
      /^the key is due for rotation at \S+Z, but it is not rotated yet, because this machine's clock shows \S+Z, but the service's shows \S+Z\. Correct/,
    );
    expect(await stack.harness.liveIds()).toEqual([current]);
    expect(await stack.harness.plane.count("POST", "/api_keys")).toBe(1);
    await stack.harness.plane.clock.set({ offsetMs: 31 * DAY });
    await stack.harness.account.keys.list({ fresh: true });
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
  });

  it("T10: happens once and revokes nothing if no answer has shown the service's clock before", async () => {
    const stack = await RotatingStack.start({ rotateAfter: "30d" });
    const { current } = stack;
    stack.harness.clock.advance(31 * DAY);
    await stack.up();
    for (let day = 0; day < 3; day++) {
      stack.harness.clock.advance(DAY);
      await stack.up();
    }
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    expect(await stack.harness.plane.count("DELETE")).toBe(0);
  });

  it("T10: does not end the grace period early because of a wrong local clock", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    stack.harness.clock.advance(2 * DAY);
    await stack.up();
    expect(stack.warnings).toMatch(/is kept until \S+Z: this machine's clock shows \S+Z, but the service's shows \S+Z/);
    expect(await stack.harness.liveIds()).toEqual([stack.previous, stack.current]);
  });

  it("T10: keeps its scheduled times if the local clock jumps back", async () => {
    const stack = await RotatingStack.start({ ...first, rotateAfter: "30d" });
    await stack.up({ ...second, rotateAfter: "30d" });
    const times = [stack.outputs?.rotateAt, stack.outputs?.retireAfter, stack.outputs?.nextAction];
    stack.harness.clock.advance(-DAY);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    await stack.up({ ...second, rotateAfter: "30d", verify: true });
    expect([stack.outputs?.rotateAt, stack.outputs?.retireAfter, stack.outputs?.nextAction]).toEqual(times);
  });

  it("T11: creates a new key if an old state contains a revoked one, and reports the unknown key in use", async () => {
    const stack = await RotatingStack.start(first);
    const old = stack.outputs;
    await stack.up(second);
    const lost = stack.current;
    await stack.harness.plane.state.useKey(lost);
    await stack.harness.clock.pass(DAY);
    await stack.up();
    const restored = await RotatingStack.start(first, stack.harness);
    restored.outputs = old;
    expect(await restored.refresh()).toBe(true);
    expect(restored.outputs).toBeUndefined();
    await restored.up();
    expect(restored.current).not.toBe(lost);
    expect(await stack.harness.liveIds()).toContain(lost);
    expect(stack.warnings).toMatch(new RegExp(`key ${lost} .*It stays live, because it was used`));
  });
});

describe("the key with which keyplane authenticates", () => {
  async function ownStack(inputs: object = {}): Promise<RotatingStack> {
    const stack = await RotatingStack.start({ ...first, ...inputs });
    stack.harness = stack.harness.beside({ apiKey: String(stack.outputs?.key) });
    return stack;
  }

  it("T12: is not rotated without selfRotation", async () => {
    const stack = await ownStack();
    const { current } = stack;
    expect((await failureOf(stack.up(second))).message).toMatch(/selfRotation to true/);
    await expect(stack.up({ ...first, revokeNow: current })).rejects.toThrow(/selfRotation/);
    await expect(stack.destroy()).rejects.toThrow(/lock keyplane out/);
    expect(await stack.harness.liveIds()).toEqual([current]);
    expect(await stack.harness.plane.count("POST")).toBe(1);
  });

  it("T12: is rotated step by step, with a trial of the new key, and revoked only by its successor", async () => {
    const inputs = { ...second, selfRotation: true };
    const stack = await ownStack({ selfRotation: true });
    const { current } = stack;
    await stack.up(inputs);
    expect(stack.previous).toBe(current);
    expect(
      (await stack.harness.plane.liveKeys()).find((key) => String(key.id) === stack.current)?.lastUsedAt,
    ).not.toBeNull();
    expect(stack.warnings).toMatch(/\(1\).*\(2\).*pulumi config set --secret keyplane:apiKey.*\(3\).*pulumi up/);

    await stack.harness.clock.pass(8 * DAY);
    await stack.up();
    expect(stack.warnings).toMatch(new RegExp(`key ${current} is due to be revoked, but keyplane still authenticates`));
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);

    stack.harness = stack.harness.beside({ apiKey: String(stack.outputs?.key) });
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    const [last] = await stack.harness.plane.log({ method: "DELETE" });
    expect(last?.keyId).toBe(Number(stack.current));
  });

  it("T12: stays live with its successor if the rotation is interrupted at any point", async () => {
    const inputs = { ...second, selfRotation: true };
    const stack = await ownStack({ selfRotation: true });
    const { current } = stack;
    await stack.crashedUp(inputs);
    expect(await stack.harness.liveIds()).toContain(current);
    await stack.up();
    await stack.harness.clock.pass(2 * DAY);
    await stack.crashedUp();
    expect(await stack.harness.liveIds()).toEqual(expect.arrayContaining([current, stack.current]));
  });

  it("T12: is replaced at once if it is compromised, but revoked only by its successor", async () => {
    const stack = await ownStack({ selfRotation: true });
    const { current } = stack;
    const inputs = { ...first, selfRotation: true, revokeNow: current };
    await stack.up(inputs);
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    stack.harness = stack.harness.beside({ apiKey: String(stack.outputs?.key) });
    await stack.up(inputs);
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T12: stays the previous key if its successor rotates because of its deadline, also beyond maxOverlap", async () => {
    const inputs = { rotateAfter: "20d", maxAge: "30d", selfRotation: true, maxOverlap: "40d" };
    const stack = await ownStack(inputs);
    const own = stack.current;
    await stack.harness.clock.pass(20 * DAY);
    await stack.up();
    expect(stack.previous).toBe(own);
    await stack.harness.clock.pass(20 * DAY);
    const { current } = stack;
    await stack.up();
    expect(stack.previous).toBe(own);
    await stack.harness.clock.pass(2 * DAY);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([own, stack.current].sort());
    expect(stack.current).not.toBe(current);
  });

  it("T12: keeps the key before it for its grace if it is compromised, because nobody has named that one", async () => {
    const stack = await RotatingStack.start({ ...first, selfRotation: true });
    const inputs = { ...second, selfRotation: true };
    await stack.up(inputs);
    const { current, previous } = stack;
    stack.harness = stack.harness.beside({ apiKey: String(stack.outputs?.key) });
    await stack.harness.clock.pass(HOUR);
    await stack.harness.plane.state.useKey(previous);
    await stack.up({ ...inputs, revokeNow: current });
    expect(await stack.harness.liveIds()).toEqual([previous, current, stack.current]);
    stack.harness = stack.harness.beside({ apiKey: String(stack.outputs?.key) });
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([previous, stack.current]);
    await stack.harness.clock.pass(DAY);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });
});
