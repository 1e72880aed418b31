import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HOUR } from "../times";
import { messagesOf, SDK, StackUnderTest } from "./stack-under-test";

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

    test("is refused if an ApiKey would forget a previous key, and goes on as it was", async () => {
      stack = await StackUnderTest.create(frontEnd, plane, rotating(1));
      await stack.up();
      await stack.setProgram(rotating(2));
      await stack.up();
      const both = await stack.live();
      expect(both).toHaveLength(2);
      const alias = `{ type: "${type}:RotatingApiKey" }`;
      await stack.setProgram(`new ApiKey("app", { rotateAfter: "90d" }, { aliases: [${alias}] });`);
      for (const command of ["preview", "up"] as const) {
        const refused = await stack.run(command, { mayFail: true });
        expect(refused.exit, command).not.toBe(0);
        expect(messagesOf(refused), command).toContain("KP-INPUT");
      }
      await stack.setProgram(rotating(2));
      await stack.runIdle("up");
      expect(await stack.live()).toEqual(both);
      await stack.destroy();
    });

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
