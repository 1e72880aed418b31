import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "./run-example";
import { optionsFor } from "./stack-under-test";

const DAY = 86_400_000;
const POST = "POST /api_keys";
const DELETE = "DELETE /api_keys/{key_id}";
const LIST = "GET /api_keys";

/** A rotating key that adopts the key in the stack's configuration, if there is one. */
const PROGRAM = `
  const pulumi = require("@pulumi/pulumi");
  const { RotatingApiKey } = require("keyplane");
  const config = new pulumi.Config();
  const id = config.get("adoptId");
  const app = new RotatingApiKey("app", {
    gracePeriod: "2h",
    rotationTriggers: { run: config.require("run") },
    ...(id && { adopt: { id, key: config.requireSecret("adoptKey") } }),
  });
  exports.key = app.key;`;

let plane: ControlPlane;
let run: ExampleRun;
let byHand: { id: number; key: string };

const live = async () => (await plane.liveKeys()).map(({ id }) => id).sort();

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  byHand = await plane.state.createKey("made-by-hand");
  run = await ExampleRun.create(
    plane,
    { "index.js": PROGRAM },
    { config: { run: "1", adoptId: `${byHand.id}` }, secretConfig: { adoptKey: byHand.key } },
  );
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

test("a key that was created by hand is adopted without a POST, and then rotated, passed on and revoked like any other key", async () => {
  expect((await run.run("preview")).stdout).toContain(`adopts key ${byHand.id}, creates none`);
  const adopting = await run.requestsOf(() => run.run("up"));
  expect(new Set(adopting)).toEqual(new Set([LIST]));
  expect(await run.workspace.outputs({ showSecrets: true })).toEqual({ key: byHand.key });
  await run.expectNoSecrets();
  expect(await run.requestsOf(() => run.runIdle("up"))).toEqual([]);
  expect(await run.requestsOf(() => run.runIdle("refresh"))).toEqual([LIST]);

  await run.workspace.setConfig("adoptId", "");
  expect(await run.requestsOf(() => run.runIdle("up"))).toEqual([]);
  expect(JSON.stringify(await run.workspace.exportState())).not.toContain('"adopt"');

  await run.workspace.setConfig("run", "2");
  expect(await run.requestsOf(() => run.run("up"))).toEqual([POST, LIST]);
  const { key } = (await run.workspace.outputs({ showSecrets: true })) as { key: string };
  expect(key).not.toBe(byHand.key);
  expect(await live()).toHaveLength(2);
  await plane.clock.advance(DAY);
  expect(await run.requestsOf(() => run.run("up"))).toEqual([LIST, DELETE]);
  expect(await live()).not.toContain(byHand.id);
  await run.expectNoSecrets();
  await run.destroy();
});

test("a forced replacement that adopts the same key again does not revoke the key with the old resource", async () => {
  await run.run("up");
  const urn = (await run.workspace.exportState()).deployment.resources?.find(({ type }) =>
    type.endsWith("RotatingApiKey"),
  )?.urn;
  await run.run("up", { args: ["--replace", `${urn}`] });
  expect(await live()).toEqual([byHand.id]);
  await run.runIdle("up");
  await run.destroy();
  expect(await live()).toEqual([]);
});

test("with the plugin, a key that a resource of another provider has adopted in the same run stays live", async () => {
  const program = (name: string) => `
    const pulumi = require("@pulumi/pulumi");
    const { RotatingApiKey, Provider } = require("plugin-sdk");
    const config = new pulumi.Config();
    const settings = new pulumi.Config("keyplane");
    const provider = new Provider("of-${name}", { baseUrl: settings.require("baseUrl"), apiKey: settings.requireSecret("apiKey") });
    const adopt = { id: config.require("adoptId"), key: config.requireSecret("adoptKey") };
    exports.id = new RotatingApiKey("${name}", { adopt }, { provider }).keyId;`;
  const options = { config: { adoptId: `${byHand.id}` }, secretConfig: { adoptKey: byHand.key } };
  const stack = await ExampleRun.create(plane, { "index.js": program("one") }, { ...options, ...optionsFor("plugin") });
  try {
    await stack.run("up");
    await stack.workspace.setProgram({ "index.js": program("two") });
    await stack.run("up");
    expect(await live()).toEqual([byHand.id]);
    await stack.destroy();
  } finally {
    await stack.workspace.remove();
  }
});
