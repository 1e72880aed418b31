import { type ControlPlane, searchSecrets, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { POST } from "../routes";
import { HOUR } from "../times";
import { StackUnderTest } from "./stack-under-test";

/** A transformation that returns new options, as for a rule of a whole stack. The SDK's own are lost. */
const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
pulumi.runtime.registerStackTransformation(({ props }) => ({ props, opts: { protect: false } }));
const { ApiKey, RotatingApiKey } = require("keyplane");
const config = new pulumi.Config();
const rotationTriggers = { at: config.require("at") };
exports.ci = new ApiKey("ci", { rotationTriggers }).key;
exports.app = new RotatingApiKey("app", { rotationTriggers }).key;
`;

let plane: ControlPlane;
let run: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  run = await StackUnderTest.of(plane, { "index.js": PROGRAM }, { config: { "proj:at": "1" } });
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

test("keys are encrypted if a transformation removes the options of their resources, also one that is not ready", async () => {
  const printed: Record<string, string> = {};
  const command = async (name: "up" | "refresh", options = {}) => {
    const { stdout, stderr } = await run.run(name, options);
    printed[`${name} ${Object.keys(printed).length}`] = stdout + stderr;
    const secrets = Object.fromEntries((await plane.secretsEverIssued()).map((secret, at) => [`key ${at}`, secret]));
    const state = JSON.stringify(await run.workspace.exportState());
    expect(await searchSecrets(secrets, { paths: [run.workspace.directory], texts: { ...printed, state } })).toEqual(
      [],
    );
  };
  await command("up");
  await command("refresh");
  await run.runIdle("up");
  await run.workspace.setConfig("proj:at", "2");
  await command("up");
  await plane.rules.add({
    route: POST,
    operations: [{ action: "start_compute", runningMs: HOUR }],
    count: null,
  });
  await plane.state.createProject();
  await run.workspace.setConfig("keyplane:operationTimeout", "1s");
  await run.workspace.setConfig("proj:at", "3");
  await command("up", { mayFail: true });
  expect(JSON.stringify(await run.workspace.exportState())).toContain("initErrors");
}, 300_000);
