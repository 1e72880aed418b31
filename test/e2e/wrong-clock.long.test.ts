import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FRONT_ENDS, StackUnderTest } from "./stack-under-test";

const DAY = 86_400_000;
const BOTH_TIMES = /this machine's clock shows \S+Z, but the service's shows \S+Z/;

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.run.workspace.remove();
  await plane.close();
});

const PROGRAM = `
  new ApiKey("exact", { name: "exact", rotateAfter: "90d" });
  new ApiKey("named", { rotateAfter: "90d" });
  new RotatingApiKey("app", { rotateAfter: "90d" });`;

/** Runs a command with the machine's own clock, which is not the control plane's. */
const withOwnClock = async (command: "up" | "destroy", mayFail = false) => {
  const { exit, stdout, stderr } = await stack.run.workspace.run(command, { mayFail });
  return { exit, told: stdout + stderr };
};

describe.each(FRONT_ENDS)("a machine whose clock is wrong, with the %s", (frontEnd) => {
  test.each([10 * 60_000, -10 * 60_000])("creates every key once, although it is off by %d ms", async (offsetMs) => {
    stack = await StackUnderTest.create(frontEnd, plane, PROGRAM);
    await plane.clock.set({ offsetMs });
    const { exit, told } = await withOwnClock("up");
    expect(exit, told).toBe(0);
    expect(told).toMatch(BOTH_TIMES);
    const keys = await stack.live();
    expect(keys).toHaveLength(3);

    expect((await withOwnClock("up")).exit).toBe(0);
    expect(await stack.live()).toEqual(keys);
    expect([await plane.count("POST", "/api_keys"), await plane.count("DELETE")]).toEqual([3, 0]);
    await withOwnClock("destroy");
    expect(await stack.live()).toEqual([]);
  });

  test("revokes no key that is due only by its clock, and replaces it when the clock is right", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, PROGRAM);
    await plane.clock.set({ offsetMs: -100 * DAY });
    await withOwnClock("up");
    const keys = await stack.live();
    for (let attempt = 0; attempt < 2; attempt++) {
      const { exit, told } = await withOwnClock("up", true);
      expect(exit).not.toBe(0);
      expect(told).toMatch(BOTH_TIMES);
      expect(told).toContain("[KP-CLOCK]");
      expect(await stack.live()).toEqual(expect.arrayContaining(keys));
      expect(await plane.count("DELETE")).toBe(0);
    }

    await plane.clock.set({ offsetMs: 0 });
    const { exit, told } = await withOwnClock("up");
    expect(exit, told).toBe(0);
    expect(await plane.count("DELETE"), "of the keys of both ApiKeys").toBe(2);
    await withOwnClock("destroy");
    expect(await stack.live()).toEqual([]);
  });
});
