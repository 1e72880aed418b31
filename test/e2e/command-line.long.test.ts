import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endProcesses } from "../../testing/workspace/processes";
import { POST } from "../routes";
import { HOUR } from "../times";
import { StackUnderTest } from "./stack-under-test";

const dist = resolve(__dirname, "../../dist");

let plane: ControlPlane;
let example: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  const program = { "index.js": 'const { ApiKey } = require("keyplane");\nnew ApiKey("ci");\n' };
  example = await StackUnderTest.of(plane, program);
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

test("keys and sweep find the key of a killed run by the name of the stack, without its passphrase and without a file", async () => {
  await plane.rules.add({ route: POST, hold: "after" });
  const { done } = example.workspace.start("up");
  await plane.held.wait(1, 60_000);
  endProcesses(example.workspace.processes());
  await done;
  await plane.held.drop();
  await example.workspace.cancel();
  // The engine calls nothing of keyplane in a run of a program without keys.
  const [left] = await plane.liveKeys();
  await example.workspace.setProgram({ "index.js": "" });
  await example.run("up");
  expect(await plane.liveKeys()).toEqual([left]);

  const account = {
    KEYPLANE_BASE_URL: plane.url,
    KEYPLANE_API_KEY: plane.apiKey,
    PULUMI_CONFIG_PASSPHRASE: undefined,
  };
  await plane.state.createKey("by-hand");
  // A younger key can be that of a run that is under way.
  await plane.clock.advance(HOUR);
  const { keys } = JSON.parse((await keyplane(["keys", "--stack", "dev"], account)).stdout) as {
    keys: { id: string; flags: string[] }[];
  };
  expect(keys.filter(({ flags }) => flags.includes("orphan")).map(({ id }) => id)).toEqual([String(left?.id)]);
  const swept = await keyplane(["sweep", "--stack", "organization/proj/dev", "--yes"], account);
  expect(swept.stdout, swept.stderr).toContain(`"${left?.id}"`);
  expect((await plane.liveKeys()).map(({ name }) => name)).toEqual(["by-hand"]);
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
