import { existsSync } from "node:fs";
import { type ControlPlane, DeployError, type DeployedProgram, deploy, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";

const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const { ApiKey } = require("keyplane");
const config = new pulumi.Config();
const ci = new ApiKey("ci");
exports.key = config.getBoolean("clear") ? pulumi.unsecret(ci.key) : ci.key;
exports.password = config.get("clear") ? pulumi.unsecret(config.getSecret("password")) : config.getSecret("password");
exports.size = config.get("size");
if (config.get("broken")) throw new Error("the program is broken");
`;

let plane: ControlPlane;
let deployment: DeployedProgram | undefined;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await deployment?.close();
  await plane.close();
});

test("a secret that a program exposes as plain text is found in the state, and the message does not repeat it", async () => {
  const secretConfig = { password: "correct horse battery" };
  deployment = await deploy({ "index.js": PROGRAM }, { controlPlane: plane, secretConfig });
  await deployment.expectNoSecrets();
  expect(deployment.outputs).toMatchObject({ key: expect.stringMatching(/^kp_/), password: secretConfig.password });

  await deployment.up({ config: { clear: "true" } });
  const places = (await deployment.secretsInClear()).map(({ secret, place }) => [secret, place]);
  expect(places).toContainEqual(["the secret of key 1", deployment.workspace.stateFile]);
  expect(places).toContainEqual(["the secret of setting 2", deployment.workspace.stateFile]);
  const failure = await deployment.expectNoSecrets().catch((error: Error) => error);
  expect(failure?.message).toMatch(/^secrets appear in plain text; wrap .*:\nthe secret of/);
  expect(failure?.message).not.toMatch(/kp_|horse/);
});

test("a failed run throws an error with the engine's message, and the deployment remains usable", async () => {
  deployment = await deploy({ "index.js": PROGRAM }, { controlPlane: plane });
  const failure = await deployment.up({ config: { broken: "yes" } }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DeployError);
  expect((failure as DeployError).message).toMatch(/^up failed \(exit code \d+\)\n[\s\S]*the program is broken/);
  expect(deployment.diagnostics).toContainEqual(expect.objectContaining({ severity: "error" }));
  expect(deployment.requests).toEqual([]);
  await deployment.destroy();
  expect(deployment.changes).toContain("delete ci");
  expect(await deployment.keys()).toEqual([]);
  await expect(deployment.advance("1 day")).rejects.toThrow('"1 day" is not a duration');
});

test("a closed deployment removes its folder, but leaves its keys in a control plane that belongs to the caller", async () => {
  deployment = await deploy({ "index.js": PROGRAM }, { controlPlane: plane, config: { size: "3" } });
  expect(deployment.outputs.size).toBe("3");
  const { directory } = deployment.workspace;
  await deployment[Symbol.asyncDispose]();
  expect(existsSync(directory)).toBe(false);
  expect(await plane.liveKeys()).toHaveLength(1);
});
