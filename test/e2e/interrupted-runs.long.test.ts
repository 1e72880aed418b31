import { mkdir, rename, rm } from "node:fs/promises";
import { type ControlPlane, type RunResult, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nextSecond } from "../next-second";
import { hostsOf } from "./hosts";
import { ExampleRun } from "./run-example";

let plane: ControlPlane;
let run: ExampleRun;

const PROGRAM = { "index.js": 'const { ApiKey } = require("keyplane");\nexports.id = new ApiKey("ci").keyId;\n' };

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  run = await ExampleRun.create(plane, PROGRAM);
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id));
const saidBy = ({ diagnostics }: RunResult) => diagnostics.map(({ message }) => message).join("\n");

/** Kills the engine and the hosts of its providers as soon as the service holds a request, and removes the lock. */
async function killWhenParked(command: "up" | "destroy"): Promise<void> {
  const { done, kill } = run.workspace.start(command);
  await plane.held.wait(1, 60_000);
  await killAll(kill, done);
}

async function killAll(kill: () => void, done: Promise<unknown>): Promise<void> {
  const hosts = hostsOf(run.workspace);
  kill();
  for (const pid of hosts) process.kill(pid, "SIGKILL");
  await done;
  await run.workspace.cancel();
  await nextSecond();
}

test("a host that outlives its engine creates no key, even if the operation that it waited for ends", async () => {
  const { id: projectId } = await plane.state.createProject();
  const { ids } = await plane.state.startOperations({ projectId, runningMs: null });
  await run.workspace.setProgram({
    "index.js": `new (require("keyplane").ApiKey)("ci", { waitForProjects: ["${projectId}"] });\n`,
  });
  const { done, kill } = run.workspace.start("up");
  const polls = () => plane.count("GET", "/projects/{project_id}/operations");
  await expect.poll(polls, { timeout: 60_000 }).toBeGreaterThan(0);
  kill();
  await plane.state.endOperation(ids[0] ?? "");
  await done;
  await expect.poll(() => hostsOf(run.workspace), { timeout: 20_000 }).toEqual([]);
  expect(await plane.count("POST", "/api_keys")).toBe(0);
});

test("C8: a run that is killed before its request takes effect leaves nothing, and the next one creates the key", async () => {
  await plane.rules.add({ route: "POST /api_keys", hold: "before" });
  await killWhenParked("up");
  await plane.held.drop();
  await run.run("up");
  expect(await live()).toHaveLength(1);
  expect(await plane.count("DELETE")).toBe(0);
  await run.destroy();
});

test("C9: the next run revokes the key of a run that was killed after creating it, and the warning can be cleared", async () => {
  await plane.rules.add({ route: "POST /api_keys", hold: "after" });
  await killWhenParked("up");
  const [orphan] = await live();
  expect(orphan).toBeDefined();

  const healing = await run.run("up");
  expect(saidBy(healing)).toMatch(/interrupted|pending/i);
  const [key, ...others] = await live();
  expect(others).toEqual([]);
  expect(key).not.toBe(orphan);
  expect((await run.workspace.outputs()).id).toBe(key);

  await run.run("refresh", { args: ["--clear-pending-creates"] });
  expect((await run.workspace.exportState()).deployment.pending_operations ?? []).toEqual([]);
  expect(await run.requestsOf(() => run.runIdle("up"))).toEqual([]);
  await run.destroy();
});

test("C5: the next up --refresh finds and revokes a key that a killed run's request creates later", async () => {
  await plane.rules.add({ route: "POST /api_keys", fault: "hang", commit: "late" });
  const { done, kill } = run.workspace.start("up");
  await expect.poll(() => plane.count("POST", "/api_keys"), { timeout: 60_000 }).toBe(1);
  await killAll(kill, done);
  await run.run("up");
  const [key] = await live();
  await plane.commitLate();
  expect(await live()).toHaveLength(2);
  await run.run("up", { args: ["--refresh"] });
  expect(await live()).toEqual([key]);
  await run.destroy();
});

test("C10: the next run revokes a key whose state could not be written, and creates another one", async () => {
  await plane.rules.add({ route: "POST /api_keys", hold: "after" });
  const { done } = run.workspace.start("up");
  await plane.held.wait(1, 60_000);
  // A folder in its place, which not even root can replace with a file.
  const { stateFile } = run.workspace;
  await rename(stateFile, `${stateFile}.away`);
  await mkdir(stateFile);
  await plane.held.release();
  expect((await done).exit).not.toBe(0);
  await rm(stateFile, { recursive: true });
  await rename(`${stateFile}.away`, stateFile);
  await run.workspace.cancel();
  expect(await live()).toHaveLength(1);

  await run.run("up");
  const [key, ...others] = await live();
  expect(others).toEqual([]);
  expect((await run.workspace.outputs()).id).toBe(key);
  await run.destroy();
});

test("D5: a destroy that was killed after it revoked its key succeeds when it is repeated", async () => {
  await run.run("up");
  await plane.rules.add({ route: "DELETE /api_keys/{key_id}", hold: "after" });
  await killWhenParked("destroy");
  expect(await live()).toEqual([]);
  await plane.held.drop();
  await run.destroy();
});
