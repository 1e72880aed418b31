import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type ControlPlane, pulumiOnPath, startControlPlane } from "keyplane/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { LIST } from "../routes";
import { DAY, HOUR, MINUTE } from "../times";
import { examples, StackUnderTest } from "./stack-under-test";

const run = promisify(execFile);
const folder = join(examples, "scheduled-rotation");

let plane: ControlPlane;
let built: string;

// The job is compiled next to its sources, where it finds its packages.
beforeAll(async () => {
  await mkdir(join(folder, ".tmp"), { recursive: true });
  built = await mkdtemp(join(folder, ".tmp", "job-"));
  const tsc = require.resolve("typescript/bin/tsc");
  await run(process.execPath, [tsc, "--noEmit", "false", "--outDir", built], { cwd: folder });
});

afterAll(async () => {
  await rm(built, { recursive: true });
});

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await plane.close();
});

/** Starts the job as `npm start` does. */
async function job(env: NodeJS.ProcessEnv): Promise<{ exit: number; output: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [join(built, "index.js"), "dev"], { cwd: folder, env });
    return { exit: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exit: code, output: stdout + stderr };
  }
}

test("scheduled-rotation: the first run in the window after a key reaches its age rotates it, and a later run retires the old one", async () => {
  const example = await StackUnderTest.of(plane, "scheduled-rotation");
  try {
    await example.run("up");
    const { next } = (await example.workspace.outputs()) as { next: { web: string } };
    const [, due = ""] = /^rotate after (\S+), inside rotationWindow$/.exec(next.web) ?? [];
    // A run inside the window rotates a key that becomes due within the hour.
    await plane.clock.advance(Date.parse(due) - (await plane.clock.read()).now - HOUR - MINUTE);
    await example.runIdle("up");
    await plane.clock.advance(HOUR + 2 * MINUTE);
    expect((await example.run("up")).changes).toEqual(["update web"]);
    expect(await plane.liveKeys()).toHaveLength(3);
    await plane.clock.advance(3 * DAY);
    expect((await example.run("up")).changes).toEqual(["update web"]);
    await example.destroy();
  } finally {
    await example.workspace.remove();
  }
});

test("scheduled-rotation: the last step of the workflow fails if a key was revoked in the console, and up --refresh repairs it", async () => {
  const example = await StackUnderTest.of(plane, "scheduled-rotation");
  const check = { args: ["--refresh", "--expect-no-changes"] };
  try {
    await example.run("up");
    const requests = await example.requestsOf(() => example.run("preview", check));
    expect(requests).toEqual([LIST]);
    const [key, other] = await plane.liveKeys();
    await plane.state.revokeKey(key?.id ?? "");
    // Without a refresh, nothing reads the keys.
    await example.run("preview", { args: ["--expect-no-changes"] });
    const { exit, stdout, stderr } = await example.run("preview", { ...check, mayFail: true });
    expect(exit).not.toBe(0);
    expect(stdout + stderr).toMatch(/no changes were expected/);
    await example.run("up", { args: ["--refresh"] });
    expect((await plane.liveKeys()).map(({ id }) => id)).toHaveLength(2);
    expect((await plane.liveKeys()).map(({ id }) => id)).toContain(other?.id);
    await example.run("preview", check);
    await example.destroy();
  } finally {
    await example.workspace.remove();
  }
});

test("scheduled-rotation: the job says that it needs the CLI if it is not installed", async () => {
  const { exit, output } = await job({ PATH: "" });
  expect(exit).toBe(1);
  expect(output).toMatch(/^error: the Automation API drives the Pulumi CLI, and `pulumi` is not on the PATH/);
});

test.each([
  ["tells a version that nobody can read", 'console.log("dev")', "Failed to parse Pulumi CLI version"],
  ["fails", 'console.error("broken"); process.exit(3)', "broken"],
])("scheduled-rotation: the job says what is wrong with a CLI that %s", async (_, script, told) => {
  const bin = await mkdtemp(join(tmpdir(), "keyplane-cli-"));
  try {
    await writeFile(join(bin, "pulumi"), `#!${process.execPath}\n${script}\n`, { mode: 0o755 });
    const { exit, output } = await job({ PATH: bin });
    expect(exit).toBe(1);
    expect(output).toMatch(
      /^error: the Automation API drives the Pulumi CLI, and the `pulumi` on the PATH cannot be used/,
    );
    expect(output).toContain(told);
  } finally {
    await rm(bin, { recursive: true });
  }
});

// The Automation API only supports the CLI.
test.skipIf(pulumiOnPath() === undefined)("scheduled-rotation: the job creates the keys and reports them", async () => {
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
    expect(output).toMatch(/web: create[\s\S]*next: .*rotate after[\s\S]*check: each key is live/);
    expect(exit).toBe(0);
    expect(await plane.liveKeys()).toHaveLength(2);
  } finally {
    await rm(home, { recursive: true });
  }
});
