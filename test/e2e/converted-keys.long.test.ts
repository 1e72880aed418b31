import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOUR } from "../times";
import { SDK, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.workspace.remove();
  await plane.close();
});

describe.each(["plugin"] as const)(
  "a resource that an alias turns into one of the other kind, with the %s",
  (frontEnd) => {
    const { type } = SDK[frontEnd];
    const rotating = (n: number, alias = "") =>
      `new RotatingApiKey("app", { rotationTriggers: { n: ${n} }, gracePeriod: "1h" }, { aliases: [${alias}] });`;

    test("rotates as usual if an ApiKey with an exact name becomes a RotatingApiKey", async () => {
      stack = await StackUnderTest.create(
        frontEnd,
        plane,
        'new ApiKey("app", { name: "exact", rotationTriggers: { n: 1 } });',
      );
      await stack.up();
      const [old] = await stack.live();
      const alias = `{ type: "${type}:ApiKey" }`;
      await stack.setProgram(rotating(1, alias));
      await stack.up();
      expect(await stack.live()).toEqual([old]);
      await stack.setProgram(rotating(2, alias));
      await stack.up();
      expect(await stack.live()).toHaveLength(2);
      await plane.clock.advance(2 * HOUR);
      await stack.up();
      const [current, ...others] = await stack.expectLiveIsHeld();
      expect(others).toEqual([]);
      expect(current).not.toBe(old);
      await stack.destroy();
    });
  },
);
