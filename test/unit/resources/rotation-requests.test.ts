import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { check } from "../../../provider/schema/check";
import type { Properties } from "../../../provider/schema/outputs";
import { RunNotes } from "../../../provider/schema/resource-type";
import { json, StackHarness } from "./harness";
import { DAY, HOUR, RotatingStack } from "./rotating-stack";

const first = { rotationTriggers: { quarter: "Q1" } };
const second = { rotationTriggers: { quarter: "Q2" } };

describe("a rotating key", () => {
  it("costs a POST and a list per rotation, a DELETE and a list per retirement, and nothing in between", async () => {
    const stack = await RotatingStack.start({ rotateAfter: "30d" });
    const seen = async () => (await stack.harness.requests()).length;
    expect(await stack.harness.requests()).toEqual(["POST /api_keys", "GET /api_keys"]);
    for (const at of [DAY, 28 * DAY]) {
      await stack.harness.clock.pass(at);
      expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    }
    expect(await seen()).toBe(2);
    await stack.harness.clock.pass(DAY);
    expect(await stack.up()).toMatchObject({ reasons: [expect.stringMatching(/^due since .*Z: 30d old$/)] });
    expect(await stack.harness.requests(2)).toEqual(["POST /api_keys", "GET /api_keys"]);
    await stack.harness.clock.pass(DAY);
    await stack.up();
    expect(await stack.harness.requests(4)).toEqual(["GET /api_keys", "DELETE /api_keys/{key_id}"]);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await seen()).toBe(6);
  });

  it("shares one list with all keys that retire in a run, which are revoked at its end", async () => {
    const harness = await StackHarness.start();
    const stacks = await RotatingStack.startMany(20, first, harness);
    await Promise.all(stacks.map((stack) => stack.failedUp(second)));
    await stacks[0]?.finishRun(stacks);
    await harness.clock.pass(DAY);
    const { length } = await harness.plane.log();
    for (const stack of stacks) await stack.failedUp();
    await stacks[0]?.finishRun(stacks);
    const requests = await harness.requests(length);
    expect(requests.filter((request) => request === "GET /api_keys")).toHaveLength(1);
    expect(requests).toHaveLength(21);
    expect(await harness.liveIds()).toEqual(stacks.map((stack) => stack.current).sort());
  });

  it("describes its next action in words that time alone does not change", async () => {
    const stack = await RotatingStack.start({ ...first, rotateAfter: "30d" });
    expect(stack.outputs?.nextAction).toBe(`rotate after ${stack.outputs?.rotateAt}`);
    await stack.up({ ...second, rotateAfter: "30d" });
    const { nextAction, rotateAt, retireAfter } = stack.outputs ?? {};
    expect(nextAction).toBe(
      `rotate after ${rotateAt}; revoke key ${stack.previous} after ${retireAfter}, unless it is in use`,
    );
    await stack.harness.clock.pass(20 * HOUR);
    expect(await stack.refresh()).toBe(false);
    expect(stack.outputs?.nextAction).toBe(nextAction);
  });

  it("keeps its resource id, and its secrets match its key ids through every rotation", async () => {
    const stack = await RotatingStack.start(first);
    const { id } = stack;
    await stack.up(second);
    expect(stack.id).toBe(id);
    const { key, previousKey } = stack.outputs ?? {};
    const issued = await stack.harness.plane.secretsEverIssued();
    expect(issued.slice(1)).toEqual([previousKey, key]);
    await stack.up({ ...second, verify: true });
    expect(stack.outputs).toMatchObject({ key, previousKey });
  });

  it("revokes all its keys when it is deleted", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.destroy();
    expect(await stack.harness.liveIds()).toEqual([]);
  });

  it("leaves a key live that the resource before it shares, unless that resource was deleted first", async () => {
    for (const [order, isLive] of [
      [["successor", "replaced"], true],
      [["replaced", "successor"], false],
    ] as const) {
      const stack = await RotatingStack.start(first);
      const { outputs = {}, harness } = stack;
      for (const which of order) {
        const stays = which === "successor" ? { revokeOnDelete: false } : {};
        await resourceTypes.RotatingApiKey.delete(which, json({ ...outputs, ...stays }), harness.context);
      }
      expect(await harness.liveIds()).toEqual(isLive ? [outputs.keyId] : []);
      expect(harness.told.info.filter((text) => text.includes("stays live"))).toHaveLength(Number(isLive));
    }
  });

  it("leaves all its keys live when it is deleted if revokeOnDelete is false", async () => {
    const stack = await RotatingStack.start({ ...first, revokeOnDelete: false });
    await stack.up({ ...second, revokeOnDelete: false });
    const live = await stack.harness.liveIds();
    await stack.destroy();
    expect(await stack.harness.liveIds()).toEqual(live);
    expect(stack.harness.told.info.filter((text) => text.includes("stays live, because revokeOnDelete"))).toHaveLength(
      2,
    );
  });

  it("leaves a retired key live that was used after a failed run if revokeOnDelete is false, and revokes an unused one", async () => {
    for (const isUsed of [true, false]) {
      const stack = await RotatingStack.start({ ...first, revokeOnDelete: false });
      await stack.up({ ...second, revokeOnDelete: false });
      const { current, previous } = stack;
      await stack.harness.clock.pass(2 * DAY);
      await stack.failedUp();
      await stack.harness.clock.pass(60_000);
      if (isUsed) await stack.harness.plane.state.useKey(previous);
      await stack.destroy();
      expect(await stack.harness.liveIds()).toEqual(isUsed ? [previous, current] : [current]);
      const named = new RegExp(
        `key ${previous}, .* stays live, because it may be in use .*npx keyplane revoke ${previous}`,
      );
      expect(named.test(stack.harness.told.warn.join("\n"))).toBe(isUsed);
    }
  });

  it("leaves a retired key live whose successor no run has delivered, if revokeOnDelete is false", async () => {
    const stack = await RotatingStack.start({ ...first, revokeOnDelete: false });
    await stack.failedUp({ ...second, revokeOnDelete: false });
    const { current, previous } = stack;
    await stack.harness.clock.pass(2 * DAY);
    await stack.failedUp();
    expect(stack.outputs).toMatchObject({ retired: [previous] });
    await stack.destroy();
    expect(await stack.harness.liveIds()).toEqual([previous, current]);
    expect(stack.warnings).toMatch(new RegExp(`key ${previous}, .* stays live`));
  });

  it("says nothing of a retired key that is revoked if the resource leaves the program and revokeOnDelete is false", async () => {
    const stack = await RotatingStack.start({ ...first, revokeOnDelete: false });
    await stack.up({ ...second, revokeOnDelete: false });
    await stack.harness.clock.pass(2 * DAY);
    await stack.up();
    const { current } = stack;
    expect(await stack.harness.liveIds()).toEqual([current]);
    stack.ledger = undefined;
    stack.harness.told.warn.length = 0;
    await stack.destroy();
    expect([await stack.harness.liveIds(), stack.harness.told.warn]).toEqual([[current], []]);
  });

  it("revokes in a destroy a retired key that two lists lacked before, and that is live", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.failedUp();
    await stack.harness.clock.pass(2 * DAY);
    await stack.harness.plane.rules.add({ route: "GET /api_keys", lacks: 1, count: 2 });
    await stack.up();
    expect(stack.warnings).toContain(`npx keyplane revoke ${previous}`);
    expect(await stack.harness.liveIds()).toEqual([previous, current]);
    await stack.destroy();
    expect(await stack.harness.liveIds()).toEqual([]);
  });

  it("uses a changed namePrefix for the next key, and changed periods for the current one", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { name, retireAfter } = stack.outputs ?? {};
    await stack.up({ ...second, namePrefix: "late", gracePeriod: "48h" });
    expect(stack.outputs).toMatchObject({ name, namePrefix: "late" });
    expect(Date.parse(String(stack.outputs?.retireAfter)) - Date.parse(String(retireAfter))).toBe(DAY);
    await stack.harness.clock.pass(2 * DAY);
    await stack.up({ rotationTriggers: { quarter: "Q3" }, namePrefix: "late", gracePeriod: "48h" });
    expect(stack.outputs?.name).toMatch(/^late-/);
  });

  it("does not rotate when triggers are added to the program or removed", async () => {
    const stack = await RotatingStack.start({});
    const { current } = stack;
    await stack.up(first);
    await stack.up({});
    await stack.up(second);
    expect(stack.current).toBe(current);
  });
});

describe("the keys of a state that was copied to another stack", () => {
  it("are replaced in the copy and stay live for the original", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const owner = "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
    const copy = await RotatingStack.start(first, stack.harness.beside({ owner }));
    const unneeded = copy.current;
    copy.outputs = { ...stack.outputs };
    await copy.up(second);
    await copy.harness.clock.pass(DAY);
    await copy.up();
    await expect(copy.up({ ...second, revokeNow: current })).rejects.toThrow("is not a key of this resource");
    expect(await stack.harness.liveIds()).toEqual([current, unneeded, copy.current]);
    const named = new RegExp(`key ${current} .* created by another stack.*not revoked.*npx keyplane revoke ${current}`);
    expect(copy.warnings).toMatch(named);
  });

  it("are left to the original if the current one must rotate before its deadline", async () => {
    const periods = { maxAge: "30d", quietPeriod: "2d", maxOverlap: "29d" };
    const stack = await RotatingStack.start({ ...first, ...periods });
    await stack.up({ ...second, ...periods });
    const { harness, previous } = stack;
    await harness.clock.pass(19 * DAY);
    await harness.plane.state.useKey(previous);
    await stack.up();
    expect(stack.previous).toBe(previous);
    const owner = "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
    const copy = await RotatingStack.start(first, harness.beside({ owner }));
    copy.outputs = { ...stack.outputs };
    await harness.clock.pass(1.5 * DAY);
    await copy.up({ ...second, ...periods });
    expect(copy.current).not.toBe(stack.current);
    expect(copy.outputs).not.toHaveProperty("retired");
    expect(copy.warnings).toMatch(new RegExp(`key ${previous} .* created by another stack`));
  });

  it("do not block the deletion of the copy if its revokeNow names one", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const owner = "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
    const copy = await RotatingStack.start({ ...first, revokeOnDelete: false }, stack.harness.beside({ owner }));
    copy.outputs = { ...copy.outputs, revokeNow: current };
    const live = await stack.harness.liveIds();
    await copy.destroy();
    expect(await stack.harness.liveIds()).toEqual(live);
    expect(copy.warnings).toMatch(new RegExp(`key ${current} .* was created by another stack`));
  });

  it("are not revoked if the copied state has retired them, because the original's consumers may still need them", async () => {
    const stack = await RotatingStack.start(first);
    await stack.failedUp(second);
    const { previous } = stack;
    await stack.harness.clock.pass(DAY);
    await stack.failedUp();
    const owner = "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
    const copy = await RotatingStack.start(first, stack.harness.beside({ owner }));
    copy.outputs = { ...stack.outputs };
    await copy.up(second);
    expect(copy.outputs).not.toHaveProperty("retired");
    expect(await stack.harness.liveIds()).toContain(previous);
  });
});

describe("in another account, if a run with --target leaves out the owner,", () => {
  const elsewhere = async () => {
    const stack = await RotatingStack.start(first);
    const { harness } = stack;
    const other = await StackHarness.start();
    stack.harness = other;
    return { stack, home: harness, other, targeted: (inputs: Properties) => ({ ...inputs, owner: harness.identity }) };
  };

  it("keys are not retired, and their secrets are not forgotten", async () => {
    const { stack, home, other, targeted } = await elsewhere();
    stack.harness = home;
    await stack.up(second);
    const { previous } = stack;
    stack.harness = other;
    await other.clock.pass(2 * DAY);
    await expect(stack.failedUp(targeted(second))).rejects.toThrow(/has no key of this stack/);
    expect(stack.previous).toBe(previous);
  });

  it("keys are not rotated, so that none is created there", async () => {
    const { stack, other, targeted } = await elsewhere();
    await expect(stack.failedUp(targeted(second))).rejects.toThrow(/has no key of this stack/);
    expect(await other.liveIds()).toEqual([]);
  });
});

describe("the inputs of a RotatingApiKey", () => {
  const base = { owner: "3b241101-e2bb-4255-8caf-4136c566a962" };
  const checked = (inputs: Properties, before: Properties = {}) => {
    const warnings: string[] = [];
    const context = { run: new RunNotes(), warn: (text: string) => warnings.push(text) };
    const { failures } = check(
      resourceTypes.RotatingApiKey,
      { ...base, ...inputs },
      context as unknown as StackHarness["context"],
      before,
    );
    return { failures, warnings };
  };
  const failuresOf = (inputs: Properties) => checked(inputs).failures;

  it("get one warning about a quietPeriod below the default, when it is new or changed", () => {
    const short = { quietPeriod: "90m" };
    expect(checked(short).warnings).toEqual([expect.stringMatching(/^quietPeriod is 90 min\..*at least 2h/)]);
    expect(checked(short, { quietPeriod: "2h" }).warnings).toHaveLength(1);
    expect(checked(short, short).warnings).toEqual([]);
    for (const quietPeriod of [undefined, "2h", "1d"]) expect(checked({ quietPeriod }).warnings).toEqual([]);
  });

  it.each([
    {},
    { rotateAfter: "30d", gracePeriod: "24h", quietPeriod: "5m", maxOverlap: "3d" },
    { gracePeriod: "30d" },
    { rotateAfter: "12h" },
    { rotateAfter: "1s" },
    { rotateAfter: "12h", maxOverlap: "7h" },
    { revokeNow: "17", selfRotation: true, namePrefix: "app", waitForProjects: ["p"], verify: true },
  ])("can be %j", (inputs) => {
    expect(failuresOf(inputs)).toEqual([]);
  });

  it.each([
    [{ maxOverlap: "12h" }, "maxOverlap", /less than gracePeriod, which defaults to 24h, or to half of rotateAfter/],
    [{ rotateAfter: "2d", gracePeriod: "48h" }, "gracePeriod", /less than rotateAfter/],
    [{ gracePeriod: "2d", maxOverlap: "1d" }, "maxOverlap", /not be less than gracePeriod/],
    [{ gracePeriod: "soon" }, "gracePeriod", /duration/],
    [{ quietPeriod: "0s" }, "quietPeriod", /duration: a whole number \(1 or more\)/],
    [{ revokeNow: "app" }, "revokeNow", /id of an API key/],
    [{ revokeNow: 17 }, "revokeNow", /id of an API key/],
    [{ selfRotation: "yes" }, "selfRotation", /true or false/],
    [{ name: "exact" }, "name", /Its inputs are (?=.*\badopt\b)(?!.*\b(owner|retained|resourceUrn)\b)/],
  ])("C1: %j are refused with the property and the remedy", (inputs, property, reason) => {
    const failures = failuresOf(inputs);
    expect(failures.map((failure) => failure.property)).toEqual([property]);
    expect(failures[0]?.reason).toMatch(reason);
  });
});
