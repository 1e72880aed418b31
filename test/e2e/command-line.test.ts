import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

const dist = resolve(__dirname, "../../dist");

let plane: ControlPlane;
let example: ExampleRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  const program = { "index.js": 'const { ApiKey } = require("keyplane");\nnew ApiKey("ci");\n' };
  example = await ExampleRun.create(plane, program);
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

/** Runs `keyplane` in the folder of the program, with the engine as its Pulumi CLI. */
function keyplane(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ stdout: string; stderr: string }> {
  const { workspace } = example;
  const engine = workspace.engine === "cli" ? {} : { KEYPLANE_PULUMI: resolve(dist, "testing/engine/main.js") };
  const options = { cwd: workspace.programDirectory, env: { ...workspace.env, ...engine, ...env } };
  return new Promise((done) => {
    const words = [resolve(dist, "cli/main.js"), ...args, "--json"];
    execFile(process.execPath, words, options, (_, stdout, stderr) => done({ stdout, stderr }));
  });
}

test("keys and sweep read a stack by its name, without its passphrase and without a file", async () => {
  await example.run("up");
  const [held] = await plane.liveKeys();
  const left = await plane.state.createKey(`${held?.name.replace(/[^-]+$/, "")}vrwrvdmh`);
  const account = {
    KEYPLANE_BASE_URL: plane.url,
    KEYPLANE_API_KEY: plane.apiKey,
    PULUMI_CONFIG_PASSPHRASE: undefined,
  };
  const { keys } = JSON.parse((await keyplane(["keys", "--stack", "dev"], account)).stdout) as {
    keys: { id: string; stack?: string; flags: string[] }[];
  };
  expect(keys.map(({ id, stack, flags }) => [id, stack, flags])).toEqual([
    [String(left.id), "proj/dev", ["orphan"]],
    [String(held?.id), "proj/dev", []],
    [expect.anything(), undefined, ["unmanaged"]],
  ]);
  const swept = await keyplane(["sweep", "--stack", "organization/proj/dev"], account);
  expect(JSON.parse(swept.stdout)).toMatchObject({ held: 1, kept: [{ id: String(left.id), reason: "after state" }] });
});

test("the doctor tests the credential that is a secret of the stack, if the passphrase is there", async () => {
  await example.run("up");
  const { stdout, stderr } = await keyplane(["doctor", "--stack", "dev"]);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; says: string }[] };
  const said = Object.fromEntries(findings.map(({ check, says }) => [check, says]));
  expect(said).toMatchObject({
    stack: "proj/dev holds 1 key",
    credential: expect.stringMatching(/^accepted: a personal key/),
  });
  expect(stdout + stderr).not.toContain(plane.apiKey);
  const wrong = await keyplane(["doctor", "--stack", "dev"], { PULUMI_CONFIG_PASSPHRASE: "another" });
  expect(wrong.stdout).toContain("the passphrase is not the stack's");
});
