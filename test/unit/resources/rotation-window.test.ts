import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { nextDue, rotateAt } from "../../../provider/keys/key-fields";
import type { Properties } from "../../../provider/schema/outputs";
import { failureOf, StackHarness } from "./harness";
import { DAY, HOUR, RotatingStack } from "./rotating-stack";

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** A window that is open at another time than now: for an hour, `later` after the key is 30 days old. */
function windowAfter({ harness }: { harness: StackHarness }, later: number): Properties {
  const opens = new Date(harness.clock.now() + 30 * DAY + later);
  const closes = new Date(opens.getTime() + HOUR);
  const timeOf = (at: Date) => at.toISOString().slice(11, 16);
  const rotationWindow = { days: [DAYS[opens.getUTCDay()]], startTime: timeOf(opens), endTime: timeOf(closes) };
  return { rotateAfter: "30d", rotationWindow };
}

const idle = { changed: false, reasons: [] };

describe("a RotatingApiKey with a rotationWindow", () => {
  it("rotates in the first window after its age, and its outputs show when that is", async () => {
    const stack = await RotatingStack.start();
    const inputs = windowAfter(stack, 2 * DAY);
    await stack.up(inputs);
    const { current } = stack;
    const due = String(stack.outputs?.rotateAt);
    expect(Date.parse(due) - Date.parse(String(stack.outputs?.createdAt))).toBeGreaterThan(31.9 * DAY);
    expect(stack.outputs?.nextAction).toBe(`rotate after ${due}, inside rotationWindow`);
    await stack.harness.clock.pass(31 * DAY);
    expect(await stack.up()).toEqual(idle);
    await stack.harness.clock.pass(DAY + HOUR / 2);
    expect((await stack.up()).reasons).toEqual([`due since ${due}: 32d old`]);
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
  });

  it("waits for the next window if nobody runs `up` in one, however many that are", async () => {
    const stack = await RotatingStack.start();
    await stack.up(windowAfter(stack, 2 * DAY));
    const { outputs } = stack;
    await stack.harness.clock.pass(33 * DAY);
    for (let week = 0; week < 3; week++) {
      expect(await stack.up()).toEqual(idle);
      expect(await stack.refresh()).toBe(false);
      await stack.harness.clock.pass(7 * DAY);
    }
    expect(stack.outputs).toEqual(outputs);
    await stack.harness.clock.pass(6 * DAY + HOUR / 2);
    expect((await stack.up()).reasons).toEqual([`due since ${outputs?.rotateAt}: 60d old`]);
  });

  it.each<[string, (stack: RotatingStack, inputs: Properties) => Promise<Properties>]>([
    ["a trigger", async (_, inputs) => ({ ...inputs, rotationTriggers: { quarter: "Q2" } })],
    ["revokeNow", async (stack, inputs) => ({ ...inputs, revokeNow: stack.current })],
    [
      "a key that is gone",
      async (stack, inputs) => {
        await stack.harness.plane.state.revokeKey(Number(stack.current));
        await stack.refresh();
        return inputs;
      },
    ],
  ])("does not wait for %s", async (_, change) => {
    const stack = await RotatingStack.start({ rotationTriggers: { quarter: "Q1" } });
    const inputs = { ...windowAfter(stack, 2 * DAY), rotationTriggers: { quarter: "Q1" } };
    await stack.up(inputs);
    await stack.harness.clock.pass(31 * DAY);
    const { current } = stack;
    const next = await change(stack, inputs);
    await stack.up(next);
    expect(stack.current).not.toBe(current);
  });

  it("does not wait for a window that opens after its deadline, when nobody can use the key any more", async () => {
    const lease = { maxAge: "40d", gracePeriod: "1h" };
    const stack = await RotatingStack.start(lease);
    await stack.up({ ...windowAfter(stack, 2 * DAY), ...lease });
    const { current } = stack;
    await stack.harness.clock.pass(38 * DAY);
    expect(await stack.up()).toEqual(idle);
    await stack.harness.clock.pass(1.5 * DAY);
    expect((await stack.up()).reasons).toEqual([expect.stringMatching("^due since")]);
    expect(stack.current).not.toBe(current);
  });

  it("says when its window is open again if an update finds it closed", async () => {
    const stack = await RotatingStack.start();
    const inputs = windowAfter(stack, 2 * DAY);
    await stack.up(inputs);
    await stack.harness.clock.pass(31 * DAY);
    await stack.up({ ...inputs, verify: true });
    expect(stack.harness.told.info).toEqual([]);
    await stack.harness.clock.pass(2 * DAY);
    await stack.up(inputs);
    const at = String(stack.outputs?.rotateAt);
    const next = new Date(Date.parse(at) + 7 * DAY).toISOString();
    expect(stack.harness.told.info).toEqual([
      `the key is due for rotation since ${at}, but rotationWindow is closed now. It opens again at ${next}`,
    ]);
  });

  it("revokes the previous key at any time", async () => {
    const stack = await RotatingStack.start({ rotationTriggers: { quarter: "Q1" } });
    const { current } = stack;
    const inputs = { ...windowAfter(stack, 2 * DAY), rotationTriggers: { quarter: "Q2" } };
    await stack.up(inputs);
    await stack.harness.clock.pass(2 * DAY);
    await stack.up();
    expect(await stack.harness.liveIds()).not.toContain(current);
  });

  it("is updated without a rotation or a request if the window changes, and stores nothing but the window", async () => {
    const stack = await RotatingStack.start({ rotateAfter: "30d" });
    const { current, outputs: before } = stack;
    const since = (await stack.harness.plane.log()).length;
    const inputs = windowAfter(stack, 2 * DAY);
    expect(await stack.up(inputs)).toEqual({ changed: true, reasons: [] });
    expect(stack.current).toBe(current);
    expect(await stack.harness.plane.log({ since })).toEqual([]);
    expect(Object.keys({ ...stack.outputs }).sort()).toEqual([...Object.keys({ ...before }), "rotationWindow"].sort());
    expect(await stack.up()).toEqual(idle);
    expect(await stack.up({ rotateAfter: "30d" })).toEqual({ changed: true, reasons: [] });
    expect(stack.outputs).toEqual(before);
  });

  it("T10: waits until the service's clock is inside the window, too, if the clocks differ", async () => {
    const stack = await RotatingStack.start();
    await stack.up(windowAfter(stack, 2 * DAY));
    const { current } = stack;
    await stack.harness.clock.pass(33 * DAY);
    // This machine's clock is inside the next window. The service's is a day before it, when the key has its age, too.
    stack.harness.clock.advance(6 * DAY + HOUR / 2);
    await stack.harness.plane.clock.set({ offsetMs: 5 * DAY });
    await stack.harness.account.keys.list({ fresh: true });
    await stack.up();
    const next = new Date(Date.parse(String(stack.outputs?.rotateAt)) + 7 * DAY).toISOString();
    expect(stack.warnings).toContain(`the key is due for rotation at ${next}, but it is not rotated yet, because this`);
    expect(await stack.harness.liveIds()).toEqual([current]);
    await stack.harness.plane.clock.set({ offsetMs: 6 * DAY + HOUR / 2 });
    await stack.harness.account.keys.list({ fresh: true });
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
  });
});

describe("an ApiKey with a rotationWindow", () => {
  it("shows when it is due, and after a change of the window when it is due then, without a request", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ rotateAfter: "30d" });
    const since = (await harness.plane.log()).length;
    const inputs = windowAfter({ harness }, 2 * DAY);
    const { outputs } = await harness.updateKey(key, inputs);
    expect(outputs).toEqual({ ...key.outputs, ...inputs, rotateAt: rotateAt(String(key.outputs.createdAt), inputs) });
    expect(outputs.rotateAt).not.toBe(key.outputs.rotateAt);
    expect(await harness.plane.log({ since })).toEqual([]);
  });

  it("T10: is not replaced while the service's clock is outside the window, although the key has its age", async () => {
    const harness = await StackHarness.start();
    const window = windowAfter({ harness }, 2 * DAY);
    const inputs = { owner: harness.identity, ...window };
    const old = await harness.createKey(inputs);
    const { context } = harness.beside({});
    const due = nextDue(String(old.outputs.createdAt), window) ?? expect.fail("the key rotates by age");
    context.run.replacedByAge.set(context.urn, due);
    await harness.clock.pass(33 * DAY);
    harness.clock.advance(6 * DAY + HOUR / 2);
    const next = new Date(Date.parse(String(old.outputs.rotateAt)) + 7 * DAY).toISOString();
    expect(await failureOf(resourceTypes.ApiKey.create(inputs, context))).toMatchObject({
      code: "KP-CLOCK",
      message: expect.stringMatching(`due for rotation at ${next}, .*Nothing was changed`),
    });
    expect(await harness.liveIds()).toEqual([old.id]);
  });
});

it.each([
  ["given", { gracePeriod: "2d" }],
  ["default", {}],
])(
  "a key with maxAge does not wait for a window in which its %s grace would no longer end before its deadline",
  async (_, grace) => {
    const harness = await StackHarness.start();
    const opens = new Date(harness.clock.now() + 30 * DAY - 2 * HOUR);
    const timeOf = (at: Date) => at.toISOString().slice(11, 16);
    const closes = new Date(opens.getTime() + HOUR);
    const rotationWindow = { days: [DAYS[opens.getUTCDay()]], startTime: timeOf(opens), endTime: timeOf(closes) };
    const inputs = { maxAge: "30d", rotateAfter: "20d", ...grace, rotationWindow };
    const stack = await RotatingStack.start(inputs, harness);
    const { current } = stack;
    for (let day = 1; day < 28; day++) {
      await harness.clock.pass(DAY);
      await stack.up(inputs);
    }
    expect(stack.current).not.toBe(current);
  },
);
