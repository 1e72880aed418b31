import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type ControlPlane, pulumiOnPath, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changes, ExampleRun, examples } from "./run-example";

const run = promisify(execFile);
const folder = join(examples, "scheduled-rotation");
const DAY = 86_400_000;

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await plane.close();
});

/** Starts the job as `npm start` does, compiled next to its sources, where it finds its packages. */
async function job(env: NodeJS.ProcessEnv): Promise<{ exit: number; output: string }> {
  await mkdir(join(folder, ".tmp"), { recursive: true });
  const built = await mkdtemp(join(folder, ".tmp", "job-"));
  try {
    const tsc = require.resolve("typescript/bin/tsc");
    await run(process.execPath, [tsc, "--noEmit", "false", "--outDir", built], { cwd: folder });
    const { stdout, stderr } = await run(process.execPath, [join(built, "index.js"), "dev"], { cwd: folder, env });
    return { exit: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exit: code, output: stdout + stderr };
  } finally {
    await rm(built, { recursive: true });
  }
}

test("scheduled-rotation: its keys are rotated by the run after their age, each on its own, and then retired", async () => {
  const example = await ExampleRun.create(plane, "scheduled-rotation");
  try {
    await example.run("up");
    await plane.clock.advance(31 * DAY);
    expect(changes((await example.run("up")).steps)).toEqual(["update web", "update keyplane"]);
    expect(await plane.liveKeys()).toHaveLength(3);
    await plane.clock.advance(3 * DAY);
    expect(changes((await example.run("up")).steps)).toEqual(["update web", "update keyplane"]);
    await example.destroy();
  } finally {
    await example.workspace.remove();
  }
});

test("scheduled-rotation: the job says that it needs the CLI where there is none", async () => {
  const { exit, output } = await job({ PATH: "" });
  expect(exit).toBe(1);
  expect(output).toMatch(/^error: the Automation API drives the Pulumi CLI, and `pulumi` is not on the PATH/);
});

// The Automation API knows no other engine than the CLI.
test.skipIf(pulumiOnPath() === undefined)("scheduled-rotation: the job makes the keys, and reports them", async () => {
  const home = await mkdtemp(join(tmpdir(), "keyplane-job-"));
  try {
    const { exit, output } = await job({
      PATH: process.env.PATH,
      HOME: home,
      PULUMI_HOME: home,
      PULUMI_BACKEND_URL: pathToFileURL(home).href,
      PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      KEYPLANE_BASE_URL: plane.url,
      KEYPLANE_API_KEY: plane.apiKey,
    });
    expect(output).toMatch(/web: create[\s\S]*next: .*rotate after/);
    expect(exit).toBe(0);
    expect(await plane.liveKeys()).toHaveLength(2);
  } finally {
    await rm(home, { recursive: true });
  }
});
