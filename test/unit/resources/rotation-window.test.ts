import { describe, expect, test } from "vitest";
import type { Members } from "../../../provider/members";
import { key, rotating, TestStack } from "../../engineless/test-stack";
import { DAY, HOUR } from "../../times";

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** A window that is open for an hour, `later` after a key of now is 30 days old. */
function windowAfter({ clock }: TestStack, later: number): Members {
  const opens = new Date(clock.now() + 30 * DAY + later);
  const closes = new Date(opens.getTime() + HOUR);
  const timeOf = (at: Date) => at.toISOString().slice(11, 16);
  const rotationWindow = { days: [DAYS[opens.getUTCDay()]], startTime: timeOf(opens), endTime: timeOf(closes) };
  return { rotateAfter: "30d", rotationWindow };
}

describe.each([
  ["ApiKey", key, "replace"],
  ["RotatingApiKey", rotating, "update"],
] as const)("an %s with a rotationWindow", (_, declare, step) => {
  test("rotates in the first window after its age, and its output shows when that is", async () => {
    const stack = await TestStack.start();
    const program = { ci: declare(windowAfter(stack, 2 * DAY)) };
    await stack.up(program);
    const { rotateAt, createdAt } = stack.outputs();
    expect(Date.parse(String(rotateAt)) - Date.parse(String(createdAt))).toBeGreaterThan(31.9 * DAY);
    await stack.clock.pass(31 * DAY);
    expect((await stack.up(program)).steps.ci).toBe("same");
    await stack.clock.pass(DAY + HOUR / 2);
    expect((await stack.up(program)).steps.ci).toBe(step);
    expect(await stack.live()).toContain(stack.outputs().keyId);
  });

  test("does not rotate before the first window opens", async () => {
    const stack = await TestStack.start();
    const program = { ci: declare(windowAfter(stack, HOUR)) };
    await stack.up(program);
    await stack.clock.pass(30 * DAY + HOUR / 2);
    expect((await stack.up(program)).steps.ci).toBe("same");
    await stack.clock.pass(HOUR);
    expect((await stack.up(program)).steps.ci).toBe(step);
  });

  test("waits for the next one if nobody runs `up` in one", async () => {
    const stack = await TestStack.start();
    const program = { ci: declare(windowAfter(stack, 2 * DAY)) };
    await stack.up(program);
    await stack.clock.pass(33 * DAY);
    expect((await stack.up(program)).steps.ci).toBe("same");
    await stack.clock.pass(6 * DAY + HOUR / 2);
    expect((await stack.up(program)).steps.ci).toBe(step);
  });
});

describe("a closed window", () => {
  test("is not what a key waits for that has none, and whose previous key is in use", async () => {
    const stack = await TestStack.start();
    const program = (at: string, inputs: Members = {}) => ({
      ci: rotating({ rotateAfter: "2d", gracePeriod: "1d", rotationTriggers: { at }, ...inputs }),
    });
    await stack.up(program("1"));
    await stack.up(program("2"));
    await stack.clock.pass(2 * DAY + HOUR);
    await stack.plane.state.useKey(String(stack.outputs().previousKeyId));
    await stack.up(program("2"));
    const run = await stack.up(program("2", { revokeOnDelete: false }));
    expect(run).toMatchObject({ steps: { ci: "update" }, requests: [], info: [], succeeded: true });
    expect(await stack.live()).toHaveLength(2);
  });

  test("holds up neither a trigger nor revokeNow nor a missing key", async () => {
    const stack = await TestStack.start();
    const window = windowAfter(stack, 2 * DAY);
    await stack.up({ ci: rotating({ ...window, rotationTriggers: { a: 1 } }) });
    const [first] = await stack.live();
    await stack.up({ ci: rotating({ ...window, rotationTriggers: { a: 2 } }) });
    expect(stack.outputs().keyId).not.toBe(first);
    const second = stack.outputs().keyId;
    await stack.up({ ci: rotating({ ...window, rotationTriggers: { a: 2 }, revokeNow: second }) });
    expect(await stack.live()).toEqual([first, stack.outputs().keyId]);
  });

  test("does not hold up a key whose grace would no longer end before its deadline", async () => {
    const stack = await TestStack.start();
    const ages = { maxAge: "40d", gracePeriod: "1h" };
    const inputs = { ...windowAfter(stack, 2 * DAY), ...ages };
    await stack.up({ ci: rotating(inputs) });
    await stack.clock.pass(38 * DAY);
    expect((await stack.up({ ci: rotating(inputs) })).steps.ci).toBe("same");
    await stack.clock.pass(1.5 * DAY);
    await stack.up({ ci: rotating(inputs) });
    expect(stack.outputs()).toHaveProperty("previousKeyId");
  });

  test("is only recorded when it changes", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: rotating({ rotateAfter: "30d" }) });
    const run = await stack.up({ ci: rotating(windowAfter(stack, 2 * DAY)) });
    expect(run).toMatchObject({ steps: { ci: "update" }, requests: [], succeeded: true });
  });
});
