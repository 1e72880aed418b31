import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DELETE, LIST, POST } from "../routes";
import { examples, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let example: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

const quickstart = { DATABASE_API_KEY: expect.any(String) };

test("quickstart: keys are created, rotated for their consumer and revoked with as few requests as possible", async () => {
  example = await StackUnderTest.of(plane, "quickstart");

  const created = await example.requestsOf(() => example.run("up"));
  expect(created.sort()).toEqual([LIST, POST, POST]);
  const first = await example.workspace.outputs({ showSecrets: true });
  expect(first.environment).toEqual(quickstart);
  expect(await example.workspace.outputs()).toMatchObject({ ciKey: "[secret]", environment: "[secret]" });

  expect(await example.requestsOf(() => example.runIdle("preview"))).toEqual([]);
  expect(await example.requestsOf(() => example.runIdle("up"))).toEqual([]);
  expect(await example.requestsOf(() => example.runIdle("refresh"))).toEqual([LIST]);

  await example.workspace.setConfig("rotation", "2");
  const rotated = await example.requestsOf(() => example.run("up"));
  expect(rotated.sort()).toEqual([DELETE, LIST, POST]);
  const second = await example.workspace.outputs({ showSecrets: true });
  expect(second.ciKey).toBe(first.ciKey);
  expect(second.environment).toEqual(quickstart);
  expect(second.environment).not.toEqual(first.environment);
  expect(await plane.liveKeys()).toHaveLength(2);

  await example.destroy();
});

test("quickstart: a refresh detects a key that was revoked outside Pulumi, and the next up creates another one", async () => {
  example = await StackUnderTest.of(plane, "quickstart");
  await example.run("up");
  const ci = (await plane.liveKeys()).find(({ name }) => name.startsWith("ci-"));

  await plane.state.revokeKey(ci?.id ?? "");
  expect((await example.run("refresh")).changes).toEqual(["delete ci"]);
  expect((await example.run("up")).changes).toEqual(["create ci"]);
  expect(await plane.liveKeys()).toHaveLength(2);

  await example.destroy();
});

test("the repository itself is a project that runs the quickstart", async () => {
  const from = (...path: string[]) => readFileSync(join(examples, ...path), "utf8");
  example = await StackUnderTest.of(plane, {
    "Pulumi.yaml": from("..", "Pulumi.yaml"),
    "examples/quickstart/index.ts": from("quickstart", "index.ts"),
    "examples/quickstart/deployment.ts": from("quickstart", "deployment.ts"),
  });
  await example.run("up");
  expect(await plane.liveKeys()).toHaveLength(2);
  await example.destroy();
});
