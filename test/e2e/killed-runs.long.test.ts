import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DELETE, POST } from "../routes";
import { HOUR } from "../times";
import { FRONT_ENDS, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.workspace.remove();
  await plane.close();
});

/** A key of each kind with a consumer. A trigger replaces the one and rotates the other. */
const program = (n: number) => `
  const args = { rotationTriggers: { n: "${n}" } };
  consumer("deploys", new ApiKey("ci", args));
  consumer("serves", new RotatingApiKey("app", { ...args, gracePeriod: "1h" }));`;

describe.each(FRONT_ENDS)("after a run with the %s that was killed", (frontEnd) => {
  test.each([
    ["before", 0],
    ["after", 2],
  ] as const)(
    "the next up has one key for each resource, if it was killed %s the creations took effect",
    async (hold, left) => {
      stack = await StackUnderTest.create(frontEnd, plane, program(1));
      await plane.rules.add({ route: POST, hold, count: 2 });
      await stack.killWhenParked("up", { requests: 2 });
      const orphans = await stack.live();
      expect(orphans).toHaveLength(left);
      await stack.up();
      const keys = await stack.expectLiveIsHeld();
      expect(keys).toHaveLength(2);
      expect(keys.filter((id) => orphans.includes(id))).toEqual([]);
      // The engine keeps its own record of the interruption until somebody clears it.
      await stack.run("refresh", { args: ["--clear-pending-creates"] });
      expect(await stack.requestsOf(() => stack.runIdle("up"))).toEqual([]);
      await stack.destroy();
    },
  );

  test("in the creation of a key, a destroy revokes it together with the keys of the state", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, 'new ApiKey("ci");');
    await stack.up();
    await stack.setProgram('new ApiKey("ci"); new ApiKey("more");');
    await plane.rules.add({ route: POST, hold: "after" });
    await stack.killWhenParked();
    expect(await stack.live()).toHaveLength(2);
    await stack.destroy();
  });

  test("in a replacement and in a rotation, the next up goes on, and consumers have their keys all the time", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, program(1));
    await stack.up();
    const old = await stack.live();
    await stack.setProgram(program(2));
    await plane.rules.add({ route: POST, hold: "after", count: 2 });
    await stack.killWhenParked("up", { requests: 2 });
    const left = (await stack.live()).filter((id) => !old.includes(id));
    expect([await stack.live(), left].map(({ length }) => length)).toEqual([4, 2]);
    await stack.up();
    const keys = await stack.expectLiveIsHeld();
    expect(keys, "a replaced key, a rotated key and its predecessor").toHaveLength(3);
    expect(keys.filter((id) => left.includes(id))).toEqual([]);
    expect(keys.filter((id) => old.includes(id))).toHaveLength(1);
    const gone = old.find((id) => !keys.includes(id));
    const history = await stack.history();
    const [current] = keys.filter((id) => !old.includes(id) && history.includes(`holds ${id}`));
    expect(history.indexOf(`revoked ${gone}`)).toBeGreaterThan(history.indexOf(`holds ${current}`));
    await stack.destroy();
  });

  test("in the revocation of a previous key and in a destroy, the next run has nothing left to revoke", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, program(1));
    await stack.up();
    await stack.deploy(program(2));
    await plane.clock.advance(2 * HOUR);
    const before = await stack.live();
    await plane.rules.add({ route: DELETE, hold: "after" });
    await stack.killWhenParked();
    await stack.up();
    expect(await stack.expectLiveIsHeld()).toHaveLength(before.length - 1);
    await stack.runIdle("up");
    await plane.rules.add({ route: DELETE, hold: "after", count: 2 });
    await stack.killWhenParked("destroy", { requests: 2 });
    await stack.destroy();
  });
});
