import { describe, expect, it } from "vitest";
import { failureOf } from "./harness";
import { DAY, HOUR, RotatingStack } from "./rotating-stack";

const first = { rotationTriggers: { quarter: "Q1" } };
const second = { rotationTriggers: { quarter: "Q2" } };
const third = { rotationTriggers: { quarter: "Q3" } };

describe("a rotation", () => {
  it("T1: that cannot make a key leaves the old one in use and revokes nothing", async () => {
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

  it("T1: whose every answer is lost leaves the old one in use, and no other key behind", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.harness.plane.rules.add({ route: "POST /api_keys", fault: "reset", commit: "before", count: null });
    await expect(stack.up(second)).rejects.toThrow(/No key was created/);
    expect(await stack.harness.liveIds()).toEqual([current]);
    expect(await stack.harness.plane.count("DELETE")).toBe(3);
  });

  it("T2: that crashes before its key is saved is made anew by the next run, which sweeps the lost key", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.crashedUp(second);
    expect(await stack.harness.liveIds()).toHaveLength(2);
    await stack.up();
    expect(stack.previous).toBe(current);
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
  });

  it("T3: whose consumers fail half-way makes no third key in the next run", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.failedUp(second);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    expect(await stack.harness.plane.count("POST")).toBe(2);
  });

  it("T4: asked for during the grace period is queued, said once, and runs when the previous key is revoked", async () => {
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

  it("T4: remembers triggers only as digests, also those that are queued", async () => {
    const stack = await RotatingStack.start({ rotationTriggers: { quarter: "hush-1" } });
    await stack.up({ rotationTriggers: { quarter: "hush-2" } });
    await stack.up({ rotationTriggers: { renamed: ["hush-3", { deep: "hush-4" }] } });
    expect(stack.outputs).toHaveProperty("queuedTriggersDigest");
    expect(JSON.stringify(stack.outputs)).not.toContain("hush");
  });

  it("T4: cleans a state of version 0.1 from triggers in clear, and keeps what they ask for", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.up(third);
    const { triggersDigest, queuedTriggersDigest, ...rest } = stack.outputs ?? {};
    const old = { rotationTriggers: second.rotationTriggers, queuedTriggers: third.rotationTriggers };
    stack.outputs = { ...rest, ...old };
    expect(await stack.up()).toMatchObject({ changed: true });
    expect(Object.keys(stack.outputs ?? {})).not.toEqual(expect.arrayContaining(["queuedTriggers"]));
    expect(stack.outputs).not.toHaveProperty("rotationTriggers");
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    const { current } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.up();
    expect(stack.previous).toBe(current);
  });

  it("T4: asked for and taken back during the grace period does not happen", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.up(third);
    await stack.up(second);
    await stack.harness.clock.pass(2 * DAY);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    expect(await stack.harness.plane.count("POST")).toBe(2);
  });

  it("T5: is not undone by a previous key that cannot be revoked; that is tried again, and no other key made for it", async () => {
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

  it("that follows a retirement in the same run makes a third key, until the end of that run", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.failedUp(third);
    expect(await stack.harness.liveIds()).toEqual([previous, current, stack.current]);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
  });

  it("retires no key before its run has come to its end, because a consumer may get the successor only then", async () => {
    const stack = await RotatingStack.start(first);
    await stack.failedUp(second);
    const { current, previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.failedUp();
    expect(stack.outputs).toMatchObject({ retired: [previous], nextAction: "rotate when a trigger changes" });
    expect(stack.previous).toBe("");
    expect(await stack.harness.liveIds()).toEqual([previous, current]);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.liveIds()).toEqual([current]);
  });

  it("that fails while it retires a key leaves that key in its place, and retires it again", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { outputs, previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.harness.plane.rules.add({ route: "POST /api_keys", status: 400, count: null });
    await expect(stack.up(third)).rejects.toThrow(/POST \/api_keys.*400/);
    expect(stack.outputs).toBe(outputs);
    expect(await stack.harness.liveIds()).toContain(previous);
    await stack.harness.plane.rules.clear();
    await stack.up();
    expect(await stack.harness.liveIds()).not.toContain(previous);
  });

  it("forgets the keys that it has retired once a list shows that they are gone", async () => {
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

  it("leaves a key that was retired in vain to the deletion, or to a refresh that finds nothing else", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.harness.clock.pass(DAY);
    const { previous } = stack;
    await stack.failedUp();
    await stack.harness.plane.state.revokeKey(stack.current);
    expect(await stack.refresh()).toBe(true);
    expect(stack.outputs).toMatchObject({ retired: [previous] });
    expect(await stack.harness.liveIds()).toEqual([previous]);
    await stack.failedUp();
    expect(await stack.harness.liveIds()).toEqual([previous, stack.current]);
    await stack.destroy();
    expect(await stack.harness.liveIds()).toEqual([]);
  });

  it("T6: finds a previous key that a crashed run has revoked already, and goes on", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.harness.clock.pass(DAY);
    await stack.crashedLastUp();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    await stack.up();
    expect(stack.previous).toBe("");
    expect(stack.ledger).not.toHaveProperty("unrevoked");
    expect(stack.warnings).toBe("");
  });

  it("T7: keeps a previous key in use, says who used it and when, and revokes it once it went quiet", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.harness.plane.state.useKey(previous, HOUR / 2, "203.0.113.9");
    await stack.up();
    expect(stack.warnings).toMatch(new RegExp(`key ${previous} .*last used \\S+Z from 203\\.0\\.113\\.9: it is kept`));
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.liveIds()).toContain(previous);
    await stack.harness.clock.pass(HOUR / 2 + 1_000);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T7: revokes a previous key whatever uses it once maxOverlap is over, and not before", async () => {
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
  ])("T7: takes a shortened %s at once, also for a key that was found in use", async (_, short) => {
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

  it("T7: keeps a previous key whose last use cannot be found out", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    await stack.harness.clock.pass(DAY);
    const rule = await stack.harness.plane.rules.add({ route: "GET /api_keys", status: 500, count: null });
    await stack.up();
    expect(stack.warnings).toMatch(/last use is unknown/);
    expect(await stack.harness.liveIds()).toContain(previous);
    await stack.harness.plane.rules.remove(rule.id);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T8: whose keys were both revoked by somebody is reported gone, and a new key is made", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    for (const id of [stack.current, stack.previous]) await stack.harness.plane.state.revokeKey(id);
    expect(await stack.refresh()).toBe(true);
    expect(stack.outputs).toBeUndefined();
    expect(stack.warnings).toMatch(/all its keys are gone/);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T9: whose current key alone is gone makes a new one and keeps the previous, with a new grace", async () => {
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

  it("T9: whose current key is gone never revokes the previous one before there is a new one, even after its grace", async () => {
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

  it("T9: whose previous key alone is gone forgets it without a new key", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.harness.plane.state.revokeKey(stack.previous);
    await stack.refresh();
    expect(stack.previous).toBe("");
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("T10: by the age that a wrong local clock sees is refused, and the old key stays", async () => {
    const stack = await RotatingStack.start({ rotateAfter: "30d" });
    const { current } = stack;
    stack.harness.clock.advance(31 * DAY);
    expect(stack.plan().reasons).toEqual([expect.stringMatching(/^due since .*31d old$/)]);
    await expect(stack.up()).rejects.toThrow(/revoked again: .*clock is \d+ d ahead of the service's.*rotateAfter/);
    expect(await stack.harness.liveIds()).toEqual([current]);
  });

  it("T10: a wrong local clock does not end the previous key's grace early", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    stack.harness.clock.advance(2 * DAY);
    await stack.up();
    expect(stack.warnings).toMatch(/is kept: this machine's clock is \d+ [dh] ahead/);
    expect(await stack.harness.liveIds()).toEqual([stack.previous, stack.current]);
  });

  it("T10: a local clock that jumps back moves no time that was promised", async () => {
    const stack = await RotatingStack.start({ ...first, rotateAfter: "30d" });
    await stack.up({ ...second, rotateAfter: "30d" });
    const times = [stack.outputs?.rotateAt, stack.outputs?.retireAfter, stack.outputs?.nextAction];
    stack.harness.clock.advance(-DAY);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    await stack.up({ ...second, rotateAfter: "30d", verify: true });
    expect([stack.outputs?.rotateAt, stack.outputs?.retireAfter, stack.outputs?.nextAction]).toEqual(times);
  });

  it("T11: from an old state whose key was revoked since makes a new key and reports the one in use", async () => {
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
    expect(stack.warnings).toMatch(new RegExp(`key ${lost} .*was used. keyplane leaves it alone`));
  });
});

describe("the key that keyplane authenticates with", () => {
  async function ownStack(inputs: object = {}): Promise<RotatingStack> {
    const stack = await RotatingStack.start({ ...first, ...inputs });
    stack.harness = stack.harness.beside({ apiKey: String(stack.outputs?.key) });
    return stack;
  }

  it("T12: is not rotated unless that is asked for", async () => {
    const stack = await ownStack();
    const { current } = stack;
    expect((await failureOf(stack.up(second))).message).toMatch(/selfRotation to true/);
    await expect(stack.up({ ...first, revokeNow: current })).rejects.toThrow(/selfRotation/);
    await expect(stack.destroy()).rejects.toThrow(/lock keyplane out/);
    expect(await stack.harness.liveIds()).toEqual([current]);
    expect(await stack.harness.plane.count("POST")).toBe(1);
  });

  it("T12: is rotated step by step: tried before it is handed over, and revoked by its successor only", async () => {
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

  it("T12: stays alive with its successor when the hand-over is interrupted at any point", async () => {
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

  it("T12: compromised, is replaced at once but only revoked by its successor", async () => {
    const stack = await ownStack({ selfRotation: true });
    const { current } = stack;
    const inputs = { ...first, selfRotation: true, revokeNow: current };
    await stack.up(inputs);
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    stack.harness = stack.harness.beside({ apiKey: String(stack.outputs?.key) });
    await stack.up(inputs);
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });
});
