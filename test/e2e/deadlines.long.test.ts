import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LIST, POST } from "../routes";
import { DAY } from "../times";
import { StackUnderTest } from "./stack-under-test";

const run = promisify(execFile);

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.workspace.remove();
  await plane.close();
});

const program = (maxAge: string) => `
  const args = { maxAge: ${JSON.stringify(maxAge)}, expiresAt: undefined };
  const ci = new ApiKey("ci", args);
  const app = new RotatingApiKey("app", { ...args, verify: true });
  consumer("ci", ci);
  consumer("app", app);
  exports.expiresAt = { ci: ci.expiresAt, app: app.expiresAt };`;

/** Runs the command as a job would: with a credential, and without a stack. */
async function reap(): Promise<string> {
  const command = resolve(__dirname, "../../dist/cli/main.js");
  const env = { ...process.env, KEYPLANE_BASE_URL: plane.url, KEYPLANE_API_KEY: plane.apiKey };
  return (await run(process.execPath, [command, "reap", "--yes"], { env })).stdout;
}

/** How long the deadlines of the outputs are away, in days. */
async function daysLeft(): Promise<readonly number[]> {
  const { expiresAt } = (await stack.workspace.outputs()) as { expiresAt: Record<string, string> };
  const { now } = await plane.clock.read();
  return Object.values(expiresAt).map((at) => Math.round((Date.parse(at) - now) / DAY));
}

describe.each(["plugin"] as const)("keys with maxAge, with the %s", (frontEnd) => {
  test("rotate before their deadline, are reaped after it if nobody runs the stack, and the next up replaces them", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, program("30d"));
    const requests = await stack.requestsOf(() => stack.run("up"));
    expect(requests.filter((request) => request === POST)).toHaveLength(2);
    expect(requests.filter((request) => request === LIST).length).toBeLessThanOrEqual(2);
    const names = (await plane.liveKeys()).map(({ name }) => name);
    for (const name of names) expect(name).toMatch(/^(ci|app)-exp\d{8}t\d{4}z[a-z2-7]{4}-/);
    expect(await daysLeft()).toEqual([30, 30]);
    expect(await stack.requestsOf(() => stack.runIdle("up"))).toEqual([]);

    await plane.clock.advance(19 * DAY);
    await stack.runIdle("preview");
    await plane.clock.advance(2 * DAY);
    const { changes } = await stack.run("up");
    expect(changes).toEqual(expect.arrayContaining(["create-replacement ci", "update app", "delete-replaced ci"]));
    const rotated = await stack.live();
    expect(rotated).toHaveLength(3);
    expect(await daysLeft()).toEqual([30, 30]);
    // Nothing is past its deadline yet.
    await reap();
    expect(await stack.live()).toEqual(rotated);

    await plane.clock.advance(10 * DAY);
    expect(await reap()).toContain("1 revoked");
    expect(await stack.live()).toHaveLength(2);
    await plane.clock.advance(21 * DAY);
    expect(await reap()).toContain("2 revoked");
    expect(await stack.live()).toEqual([]);

    await stack.run("up");
    const renewed = await stack.live();
    expect(renewed).toHaveLength(2);
    expect(await daysLeft()).toEqual([30, 30]);
    // The previous key is past its deadline, and needs no grace.
    await stack.up();
    expect(await stack.expectLiveIsHeld()).toEqual(renewed);
    await stack.runIdle("up");
    await stack.run("destroy");
    expect(await stack.live()).toEqual([]);
  });
});
