import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeAll, vi } from "vitest";
import { keyplane } from "../../../cli/keyplane";

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

/** Starts the compiled command line as a process: for signals and streams, and what a process reads once. */
export function start(args: readonly string[], { env = {}, input, cwd }: Surroundings = {}) {
  const child = spawn(process.execPath, [main, ...args], { env: surroundingsOf(env), cwd });
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

/**
 * Runs a command line to its end, in this process: starting one takes longer than most commands. One after the other,
 * because the environment, the folder and the streams are the process's. What a process reads once for all of its calls,
 * such as the list of an account, stays for the runs of a test: use {@link start} where that matters.
 */
export function run(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  const ended = last.then(() => runHere(args, surroundings));
  last = ended.catch(() => {});
  return ended;
}

let last: Promise<unknown> = Promise.resolve();

async function runHere(args: readonly string[], { env = {}, input = "", cwd }: Surroundings): Promise<Ended> {
  const printed = { stdout: "", stderr: "" };
  const before = { env: process.env, cwd: process.cwd() };
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    }),
  );
  spies.push(vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from([Buffer.from(input)]) as never) as never);
  process.env = surroundingsOf(env);
  if (cwd !== undefined) process.chdir(cwd);
  try {
    return { code: await keyplane(args), ...printed };
  } finally {
    process.chdir(before.cwd);
    process.env = before.env;
    for (const spy of spies) spy.mockRestore();
  }
}

/** The environment without the settings of whoever runs the tests, and with these. */
function surroundingsOf(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(KEYPLANE_|PULUMI_|(https?|all|no)_proxy$)/i.test(name),
  );
  return { ...Object.fromEntries(own), ...env };
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
