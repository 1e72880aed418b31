import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

const HOUR = 3_600_000;

/** What version 0.1 left behind: the state, and the account. Its keys work only in the control plane of the tests. */
const recorded = join(__dirname, "states", "0.1");
const state = readFileSync(join(recorded, "state.json"), "utf8");
const API_KEY = "an-admin-key-of-the-recording-0001";
const KEYS = [100002, 100003, 100004, 100005, 100006, 100007, 100008];

let folder: string;
let plane: ControlPlane;
let run: ExampleRun;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-older-state-"));
  const data = join(folder, "control-plane.json");
  cpSync(join(recorded, "control-plane.json"), data);
  plane = await startControlPlane({ data, apiKey: API_KEY });
  run = await ExampleRun.create(plane, { "index.js": readFileSync(join(recorded, "program.js"), "utf8") });
  // Refresh and destroy use the configuration in the state, so it must lead to this control plane.
  await run.workspace.importState(JSON.parse(state.replaceAll("http://127.0.0.1:45511/api/v2", plane.url)));
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
  rmSync(folder, { recursive: true, force: true });
});

const liveIds = async () => (await plane.liveKeys()).map(({ id }) => id).toSorted((one, other) => one - other);

/** Ends the operation that the key which is not ready waits for. */
const endOperation = () => plane.state.endOperation("308cc799-fa91-4e91-bf44-72ae3267255d");

test("a state of version 0.1: up keeps each key, proves the account, and carries out what was queued", async () => {
  await endOperation();
  const first = await run.requestsOf(() => run.run("up"));
  expect(first.filter((request) => !request.startsWith("GET"))).toEqual([]);
  // One proves the account, the other is the sweep that the failed run has left to this one.
  expect(first.filter((request) => request === "GET /api_keys")).toHaveLength(2);
  expect(await liveIds()).toEqual(KEYS);
  await run.runIdle("up");
  // Its triggers are kept as a digest from now on.
  const saved = await run.workspace.exportState();
  const triggered = saved.deployment.resources?.find(({ urn }) => urn.endsWith("::triggered"));
  expect(triggered?.outputs).not.toHaveProperty("rotationTriggers");

  await plane.clock.advance(13 * HOUR);
  const rotation = await run.requestsOf(() => run.run("up"));
  // It looks whether the previous key is in use, makes the next one, and sweeps.
  expect(rotation).toEqual(["GET /api_keys", "POST /api_keys", "GET /api_keys", "DELETE /api_keys/{key_id}"]);
  expect(await liveIds()).toEqual([...KEYS.filter((id) => id !== 100005), 100009]);
  await run.destroy();
});

test("a state of version 0.1: a refresh loses nothing, and a key that was revoked meanwhile is made anew", async () => {
  await endOperation();
  await plane.state.revokeKey(100002);
  await run.run("refresh");
  await run.run("up");
  expect(await liveIds()).toEqual([...KEYS.filter((id) => id !== 100002), 100009]);
  await run.runIdle("up");
  await run.destroy();
});

test("a state of version 0.1: destroy revokes each key, also the one that is not ready", async () => {
  await run.destroy();
  expect(await plane.count("DELETE")).toBe(KEYS.length);
});
