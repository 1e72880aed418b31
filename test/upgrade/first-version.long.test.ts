import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "../e2e/run-example";

const HOUR = 3_600_000;

/** What version 0.1 left: the state and the account. Its keys work only in the control plane of the tests. */
const recorded = join(__dirname, "0.1");
/** Its times, but 20 hours ago: the grace of its previous key has ended by this machine's clock, and no key is due. */
const AGE = Date.now() - 20 * HOUR - Date.parse("2026-11-22T00:26:06Z");
const state = shifted("state.json");
const API_KEY = "an-admin-key-of-the-recording-0001";
const KEYS = [100002, 100003, 100004, 100005, 100006, 100007, 100008];

let folder: string;
let plane: ControlPlane;
let run: ExampleRun;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-older-state-"));
  const data = join(folder, "control-plane.json");
  writeFileSync(data, shifted("control-plane.json"));
  plane = await startControlPlane({ data, apiKey: API_KEY });
  run = await ExampleRun.create(plane, { "index.js": readFileSync(join(recorded, "program.js"), "utf8") });
  // Refresh and destroy use the configuration in the state, so it must contain the address of this control plane.
  await run.workspace.importState(JSON.parse(state.replaceAll("http://127.0.0.1:45511/api/v2", plane.url)));
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
  rmSync(folder, { recursive: true, force: true });
});

const liveIds = async () => (await plane.liveKeys()).map(({ id }) => id).toSorted((one, other) => one - other);

/** Ends the operation for which the unready key waits. */
const endOperation = () => plane.state.endOperation("308cc799-fa91-4e91-bf44-72ae3267255d");

test("with a state of version 0.1, up keeps each key, proves the account and carries out queued changes", async () => {
  await endOperation();
  // What docs/upgrading.md shows: each resource once, as an update.
  const { changes } = await run.run("preview");
  const keys = ["plain", "exact", "triggered", "young", "app", "slow"];
  expect(changes.toSorted()).toEqual(["keyplane", "keyplane", ...keys].map((name) => `update ${name}`).toSorted());
  const first = await run.requestsOf(() => run.run("up"));
  expect(first.filter((request) => !request.startsWith("GET"))).toEqual([]);
  // One list proves the account, and the other belongs to the sweep that the failed run did not do.
  expect(first.filter((request) => request === "GET /api_keys")).toHaveLength(2);
  expect(await liveIds()).toEqual(KEYS);
  await run.runIdle("up");
  // From now on, its triggers are stored as a digest.
  const saved = await run.workspace.exportState();
  const triggered = saved.deployment.resources?.find(({ urn }) => urn.endsWith("::triggered"));
  expect(triggered?.outputs).not.toHaveProperty("rotationTriggers");

  await plane.clock.advance(13 * HOUR);
  const rotation = await run.requestsOf(() => run.run("up"));
  // It checks whether the previous key is in use, creates the next key, and sweeps.
  expect(rotation).toEqual(["GET /api_keys", "POST /api_keys", "GET /api_keys", "DELETE /api_keys/{key_id}"]);
  expect(await liveIds()).toEqual([...KEYS.filter((id) => id !== 100005), 100009]);
  await run.destroy();
});

test("with a state of version 0.1, a refresh loses nothing, and the next up replaces a key that was revoked outside Pulumi", async () => {
  await endOperation();
  await plane.state.revokeKey(100002);
  await run.run("refresh");
  await run.run("up");
  expect(await liveIds()).toEqual([...KEYS.filter((id) => id !== 100002), 100009]);
  await run.runIdle("up");
  await run.destroy();
});

test("with a state of version 0.1, destroy revokes each key, even the one that is not ready", async () => {
  await run.destroy();
  expect(await plane.count("DELETE")).toBe(KEYS.length);
});

/** A recorded file with its times moved by the age: texts in ISO format, and milliseconds since 1970. */
function shifted(name: string): string {
  const iso = (time: number) => new Date(time).toISOString();
  return readFileSync(join(recorded, name), "utf8")
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => `${iso(Date.parse(time) + AGE).slice(0, 19)}Z`)
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => iso(Date.parse(time) + AGE))
    .replace(/\b179\d{10}\b/g, (time) => String(Number(time) + AGE));
}
