import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, type RunResult, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HOUR } from "../times";
import { LateConsumer } from "./late-consumer";
import { StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let folder: string;
let keyFile: string;
let consumer: LateConsumer;
let example: StackUnderTest | undefined;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  folder = await mkdtemp(join(tmpdir(), "keyplane-overlap-"));
  keyFile = join(folder, "app.key");
  consumer = new LateConsumer(plane.url, keyFile);
});

afterEach(async () => {
  await consumer.stop();
  await example?.workspace.remove();
  example = undefined;
  await rm(folder, { recursive: true });
  await plane.close();
});

/** Provides the stack's key to consumers that start from now on. */
async function handOut(run: StackUnderTest): Promise<void> {
  const { key } = await run.workspace.outputs({ showSecrets: true });
  await writeFile(keyFile, String(key));
}

/** Rotates the key by a trigger, and then provides the new key. */
async function rotate(run: StackUnderTest, rotation: string): Promise<RunResult> {
  await run.workspace.setConfig("rotation", rotation);
  const result = await run.run("up");
  await handOut(run);
  return result;
}

test("overlap: a consumer that restarts late sees no failure during a rotation", async () => {
  example = await StackUnderTest.of(plane, "overlap");
  await example.run("up");
  await handOut(example);
  await consumer.start();

  expect((await rotate(example, "2")).changes).toEqual(["update app"]);
  expect(await plane.liveKeys()).toHaveLength(2);
  await plane.clock.advance(23 * HOUR);
  await example.runIdle("up");
  // The consumer restarts late, but an hour before the grace period ends.
  await consumer.restart();
  await plane.clock.advance(2 * HOUR);
  expect((await example.run("up")).changes).toEqual(["update app"]);
  expect(await plane.liveKeys()).toHaveLength(1);
  const { calls, failures } = await consumer.stop();
  expect(failures).toBe(0);
  expect(calls).toBeGreaterThanOrEqual(100);
  await example.destroy();
});

test("overlap: a consumer that does not restart in time keeps its key, and the run shows which consumer it is", async () => {
  example = await StackUnderTest.of(plane, "overlap");
  await example.run("up");
  await handOut(example);
  await consumer.start();
  await rotate(example, "2");
  await plane.clock.advance(25 * HOUR);
  await expect.poll(async () => (await plane.log()).length, { interval: 10 }).toBeGreaterThan(20);
  const { diagnostics } = await example.run("up");
  expect(diagnostics.map(({ message }) => message).join("\n")).toMatch(/last used \S+Z from 127\.0\.0\.1\. It is kept/);
  expect(await plane.liveKeys()).toHaveLength(2);
  await consumer.restart();
  await plane.clock.advance(2 * HOUR);
  await example.run("up");
  expect(await plane.liveKeys()).toHaveLength(1);
  expect(await consumer.stop()).toMatchObject({ failures: 0 });
  await example.destroy();
});

test("overlap: the same consumer fails if the old key is deleted before the new one is created", async () => {
  const program = `
    const pulumi = require("@pulumi/pulumi");
    const { ApiKey } = require("keyplane");
    const config = new pulumi.Config();
    const app = new ApiKey("app", { name: "app", rotationTriggers: { rotation: config.get("rotation") ?? "1" } });
    exports.key = app.key;`;
  example = await StackUnderTest.of(plane, { "index.js": program });
  await example.run("up");
  await handOut(example);
  await consumer.start();
  await rotate(example, "2");
  await consumer.restart();
  expect((await consumer.stop()).failures).toBeGreaterThan(0);
  await example.destroy();
});
