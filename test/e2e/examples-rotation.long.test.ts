import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DAY } from "../times";
import { StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let folder: string;
let keyFile: string;
let example: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  folder = await mkdtemp(join(tmpdir(), "keyplane-rotation-"));
  keyFile = join(folder, "ci.key");
  example = await StackUnderTest.of(plane, "rotation", { config: { keyFile, quarter: "2026Q4" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await rm(folder, { recursive: true });
  await plane.close();
});

test("rotation: a new quarter creates a new key, and its consumer has it before the old one is revoked", async () => {
  await example.run("up");
  const [old] = await plane.liveKeys();
  const secret = await readFile(keyFile, "utf8");
  await example.runIdle("preview");
  await example.runIdle("refresh");

  await example.workspace.setConfig("quarter", "2027Q1");
  const { changes } = await example.run("up");
  expect(changes).toEqual(expect.arrayContaining(["create-replacement ci", "update ci-key", "delete-replaced ci"]));
  expect(changes.indexOf("update ci-key")).toBeLessThan(changes.indexOf("delete-replaced ci"));
  expect(await readFile(keyFile, "utf8")).not.toBe(secret);
  const revoked = (await plane.log({ method: "DELETE" })).find(({ path }) => path.endsWith(`/${old?.id}`));
  expect((await stat(keyFile)).mtimeMs).toBeLessThanOrEqual(revoked?.startedAt ?? 0);
  expect(await plane.liveKeys()).toHaveLength(1);
  await rm(keyFile);
  await example.destroy();
});

test("rotation: a preview shows a key that is due by its age with the reason, and a refresh does not report it as drift", async () => {
  await example.run("up");
  await plane.clock.advance(101 * DAY);
  expect((await example.run("refresh", { args: ["--expect-no-changes"] })).exit).toBe(0);
  const preview = await example.run("preview");
  expect(preview.changes).toContain("replace ci");
  expect(preview.stdout + preview.stderr).toMatch(/due since \S+Z: 101d old/);
  await example.run("up");
  expect(await plane.liveKeys()).toHaveLength(1);
  await example.runIdle("up");
  await rm(keyFile);
  await example.destroy();
});
