import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../times";
import { StackUnderTest } from "./stack-under-test";

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.workspace.remove();
  await plane.close();
});

/** A window that opens for an hour after this time, by the clocks of Kathmandu. */
async function windowIn(ms: number): Promise<object> {
  const opens = (await plane.clock.read()).now + ms + 5.75 * HOUR;
  const timeOf = (at: number) => new Date(at).toISOString().slice(11, 16);
  return {
    days: [DAYS[new Date(opens).getUTCDay()]],
    startTime: timeOf(opens),
    endTime: timeOf(opens + HOUR),
    timeZone: "Asia/Kathmandu",
  };
}

const program = (rotationWindow: object) => `
  const args = { rotateAfter: "30d", rotationWindow: ${JSON.stringify(rotationWindow)} };
  const ci = consumer("ci", new ApiKey("ci", args));
  const app = new RotatingApiKey("app", { ...args, nextAction: undefined });
  consumer("app", app);
  exports.next = app.nextAction;`;

describe.each(["npm package"] as const)("keys with a rotationWindow, with the %s", (frontEnd) => {
  test("rotate in the first run that is in the window after their age, and a changed window only updates them", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, program(await windowIn(32 * DAY)));
    await stack.run("up");
    const keys = await stack.live();
    const { next } = (await stack.workspace.outputs()) as { next: string };
    const [, due = ""] = /^rotate after (\S+), inside rotationWindow$/.exec(next) ?? [];
    await plane.clock.advance(31 * DAY);
    expect(await stack.requestsOf(() => stack.runIdle("preview"))).toEqual([]);
    expect(await stack.requestsOf(() => stack.runIdle("up"))).toEqual([]);
    await stack.runIdle("refresh");

    await plane.clock.advance(DAY + 30 * MINUTE);
    const preview = await stack.run("preview");
    expect(preview.stdout + preview.stderr).toContain(`due since ${due}: 32d old`);
    expect(preview.changes).toEqual(expect.arrayContaining(["replace ci", "update app"]));
    const { changes } = await stack.run("up");
    expect(changes).toEqual(expect.arrayContaining(["create-replacement ci", "update app", "delete-replaced ci"]));
    const rotated = await stack.live();
    expect(rotated).toHaveLength(3);
    expect(
      rotated.filter((id) => keys.includes(id)),
      "the previous key of app",
    ).toHaveLength(1);
    await stack.runIdle("up");

    await stack.setProgram(program(await windowIn(3 * DAY)));
    expect(await stack.requestsOf(() => stack.run("up"))).toEqual([]);
    await stack.runIdle("up");
    expect(await stack.live()).toEqual(rotated);
    await stack.destroy();
  });

  test("may have a window that a preview does not know", async () => {
    stack = await StackUnderTest.create(
      frontEnd,
      plane,
      `const first = new ApiKey("first", {});
      const rotationWindow = { endTime: "00:01", timeZone: first.keyId.apply(() => "Europe/Berlin") };
      exports.next = new RotatingApiKey("app", { rotateAfter: "30d", rotationWindow, nextAction: undefined }).nextAction;`,
    );
    expect((await stack.run("preview")).changes).toEqual(expect.arrayContaining(["create first", "create app"]));
    expect(await plane.count("POST")).toBe(0);
    await stack.run("up");
    const { next } = (await stack.workspace.outputs()) as { next: string };
    expect(next).toMatch(/^rotate after \S+T2[23]:00:\S+Z, inside rotationWindow$/);
    await stack.runIdle("up");
    await stack.destroy();
  });
});
