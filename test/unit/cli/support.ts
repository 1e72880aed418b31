import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeAll } from "vitest";

// The mutation run gives another one.
export const main = resolve(__dirname, "../../../dist/cli/main.js");
const children: ChildProcess[] = [];
const folders: string[] = [];

beforeAll(() => {
  if (!existsSync(main)) throw new Error("the command line is tested as compiled: run `npm run build` first");
});

afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** The output and the exit code of a run. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and with which environment the command runs. */
export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly cwd?: string;
}

/** Starts the compiled command line without the settings of whoever runs the tests. */
export function start(args: readonly string[], { env = {}, input, cwd }: Surroundings = {}) {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(KEYPLANE_|PULUMI_|(https?|all|no)_proxy$)/i.test(name),
  );
  const child = spawn(process.execPath, [main, ...args], { env: { ...Object.fromEntries(own), ...env }, cwd });
  children.push(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data) => {
    stdout += data;
  });
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  child.stdin.on("error", () => {}).end(input);
  const done = once(child, "close").then(([code]): Ended => ({ code: code as number | null, stdout, stderr }));
  return { child, done };
}

/** Runs the compiled command line to its end. */
export function run(args: readonly string[], surroundings?: Surroundings): Promise<Ended> {
  return start(args, surroundings).done;
}

/** The settings of a control plane as environment variables. */
export function envOf({ url, apiKey }: { readonly url: string; readonly apiKey: string }): NodeJS.ProcessEnv {
  return { KEYPLANE_BASE_URL: url, KEYPLANE_API_KEY: apiKey };
}

/** A temporary folder with these files, which is removed at the end of the test. */
export async function folderWith(files: Readonly<Record<string, string | object>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keyplane-cli-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}
