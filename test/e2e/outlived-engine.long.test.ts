import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LIST, POST } from "../routes";
import { hostsOf } from "./hosts";
import { FRONT_ENDS, messagesOf, ON_CLI, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.workspace.remove();
  await plane.close();
});

const key = (n: number) => `new ApiKey("ci", { rotationTriggers: { n: "${n}" } });`;
const KEY = key(1);
const rotating = (n: number) => `new RotatingApiKey("app", { rotationTriggers: { n: "${n}" } });`;

/** The id of the key that a killed run of a program leaves behind. */
async function leftBy(program: string): Promise<string> {
  const before = await stack.live();
  await stack.setProgram(program);
  await plane.rules.add({ route: POST, hold: "after" });
  await stack.killWhenParked();
  const [left, ...others] = (await stack.live()).filter((id) => !before.includes(id));
  expect(others).toEqual([]);
  return left ?? expect.fail("no key was left behind");
}

describe.each(FRONT_ENDS)("a key that a killed run of the %s left behind", (frontEnd) => {
  test("is reported by a refresh if its resource is taken back, and revoked by the next run that changes a key", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, KEY);
    await stack.up();
    const left = await leftBy(`${KEY} new ApiKey("more");`);
    expect(await stack.requestsOf(() => stack.deploy(KEY))).toEqual([]);
    expect(await stack.live()).toContain(left);
    let told = "";
    const requests = await stack.requestsOf(async () => {
      told = messagesOf(await stack.run("refresh"));
    });
    expect(new Set(requests)).toEqual(new Set([LIST]));
    expect(told).toMatch(new RegExp(`key ${left} .*\`npx keyplane revoke ${left}`));
    expect(await stack.live()).toContain(left);
    await stack.deploy(key(2));
    expect(await stack.expectLiveIsHeld()).toHaveLength(1);
    await stack.destroy();
  });

  test("is revoked by a destroy after a killed rotation", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, rotating(1));
    await stack.up();
    await leftBy(rotating(2));
    await stack.destroy();
    expect(await stack.live()).toEqual([]);
  });

  test("is reported and stays live after a killed rotation, once an update has ended that may have handed it out", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, rotating(1));
    await stack.up();
    const left = await leftBy(rotating(2));
    expect(await stack.requestsOf(() => stack.deploy(rotating(1)))).toEqual([]);
    for (const command of ["refresh", "destroy"] as const) {
      expect(messagesOf(await stack.run(command))).toContain(`npx keyplane revoke ${left}`);
    }
    expect(await stack.live()).toEqual([left]);
  });

  test("stays live with a warning if the Pulumi CLI cannot be asked, and the run goes on", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, KEY);
    const left = await leftBy(KEY);
    const { diagnostics } = await stack.up({ env: { KEYPLANE_PULUMI: "/nowhere/pulumi" } });
    const warnings = diagnostics.filter(({ severity }) => severity === "warning");
    const warned = messagesOf({ diagnostics: warnings });
    for (const part of ["could not be run", `key ${left} `]) expect(warned).toContain(part);
    expect(await plane.count("DELETE")).toBe(0);
    expect(await stack.live()).toHaveLength(2);
    await stack.deploy(key(2));
    expect(await stack.expectLiveIsHeld()).toHaveLength(1);
    await stack.destroy();
  });

  test("is left alone by another stack of the same name in another backend", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, KEY);
    const left = await leftBy(KEY);
    const other = await StackUnderTest.create(frontEnd, plane, KEY);
    try {
      expect(messagesOf(await other.up())).toContain(`key ${left} `);
      expect(await other.live()).toContain(left);
      await other.run("destroy");
      expect(await stack.live()).toEqual([left]);
    } finally {
      await other.workspace.remove();
    }
    await stack.up();
    expect(await stack.expectLiveIsHeld()).not.toContain(left);
    await stack.destroy();
  });

  test("is found and revoked, too, if the request takes effect after the next run", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, KEY);
    await plane.rules.add({ route: POST, fault: "hang", commit: "late" });
    const { done, kill } = stack.workspace.start("up");
    await expect.poll(() => plane.count("POST"), { timeout: 60_000 }).toBe(1);
    await stack.kill(kill, done);
    await stack.up();
    await plane.commitLate();
    await plane.clock.advance(60_000);
    await stack.deploy(`${KEY} new ApiKey("more");`);
    expect(await stack.expectLiveIsHeld()).toHaveLength(2);
    await stack.destroy();
  });

  test.skipIf(!ON_CLI)("is revoked when its plan is carried out again (the embedded engine has no plans)", async () => {
    stack = await StackUnderTest.create(frontEnd, plane, KEY + rotating(1));
    const plan = join(stack.workspace.directory, "plan.json");
    // A plan refuses a configuration that has changed since.
    await stack.workspace.setConfig("failing", "");
    await stack.run("preview", { args: ["--save-plan", plan] });
    await plane.rules.add({ route: POST, hold: "after", count: 2 });
    await stack.killWhenParked("up", { requests: 2, args: ["--plan", plan] });
    await stack.up({ args: ["--plan", plan] });
    expect(await stack.expectLiveIsHeld()).toHaveLength(2);
    await stack.setProgram(KEY + rotating(2));
    await stack.up({ args: ["--strict"], previewFirst: true });
    expect(await stack.expectLiveIsHeld()).toHaveLength(3);
    await stack.destroy();
  });
});

test("the next run revokes a key whose state could not be written, and creates another one", async () => {
  stack = await StackUnderTest.create("npm package", plane, KEY);
  await plane.rules.add({ route: POST, hold: "after" });
  const { done } = stack.workspace.start("up");
  await plane.held.wait(1, 60_000);
  // A folder in its place, which not even root can replace with a file.
  const { stateFile } = stack.workspace;
  await rename(stateFile, `${stateFile}.away`);
  await mkdir(stateFile);
  await plane.held.release();
  expect((await done).exit).not.toBe(0);
  await rm(stateFile, { recursive: true });
  await rename(`${stateFile}.away`, stateFile);
  await stack.kill(() => {}, done);
  const [left] = await stack.live();
  await stack.up();
  const keys = await stack.expectLiveIsHeld();
  expect(keys).toHaveLength(1);
  expect(keys).not.toContain(left);
  await stack.destroy();
});

test.each(FRONT_ENDS)("a host of the %s that outlives its engine creates no key and revokes none", async (frontEnd) => {
  const { id: projectId } = await plane.state.createProject();
  const { ids } = await plane.state.startOperations({ projectId, runningMs: null });
  stack = await StackUnderTest.create(frontEnd, plane, `new ApiKey("ci", { waitForProjects: ["${projectId}"] });`);
  const { done, kill } = stack.workspace.start("up");
  const polls = () => plane.count("GET", "/projects/{project_id}/operations");
  await expect.poll(polls, { timeout: 60_000 }).toBeGreaterThan(0);
  kill();
  await plane.state.endOperation(ids[0] ?? "");
  await done;
  await expect.poll(() => hostsOf(stack.workspace), { timeout: 40_000 }).toEqual([]);
  expect([await plane.count("POST"), await plane.count("DELETE")]).toEqual([0, 0]);
});
