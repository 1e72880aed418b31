import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineOf } from "keyplane/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(__dirname, "..", "..");

interface Report {
  engine: string;
  steps: { name: string; asTold: boolean; requests: Record<string, number>; liveKeys: number; seconds: number }[];
  leftBehind: number;
  plaintextSecretsFound: number;
  asTold: boolean;
}

let folder: string;
let exit: number | null;
let output: string;
let report: Report;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyplane-demo-"));
  const file = join(folder, "out.json");
  ({ exit, output } = await runDemo("--engine", engineOf(process.env), "--json", file));
  report = JSON.parse(await readFile(file, "utf8"));
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the demo with its output in a pipe. */
function runDemo(...args: string[]): Promise<{ exit: number | null; output: string }> {
  const child = spawn(process.execPath, ["scripts/demo.mjs", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ exit: code, output: Buffer.concat(chunks).toString() }));
  });
}

test("the demo runs as described, leaves no key behind and prints no secret", () => {
  expect(output).toMatch(/live keys left behind: 0\n/);
  expect(report).toMatchObject({ leftBehind: 0, plaintextSecretsFound: 0, notAsTold: [], asTold: true });
  expect(exit).toBe(0);
});

test("the demo's report shows the cost of each step and how many keys were live after it", () => {
  const costs = report.steps.map(({ name, requests, liveKeys }) => [
    name,
    requests.POST ?? 0,
    requests.DELETE ?? 0,
    liveKeys,
  ]);
  expect(costs).toEqual([
    ["create", 2, 0, 2],
    ["state", 0, 0, 2],
    ["no-op", 0, 0, 2],
    ["rotate", 1, 1, 2],
    ["drift", 0, 0, 1],
    ["heal", 1, 0, 2],
    ["not-ready", 1, 0, 3],
    ["resume", 0, 1, 2],
    ["destroy", 0, 2, 0],
  ]);
  expect(report.steps.find(({ name }) => name === "create")?.requests).toEqual({ POST: 2, GET: 1 });
  expect(report.steps.find(({ name }) => name === "no-op")?.requests).toEqual({});
});

test("the demo writes plain lines to a pipe, without colours or cursor movements", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for.
  expect(output).not.toMatch(/[\u001b\r]/);
});

test("the demo names an engine that is not installed before it starts anything", async () => {
  const { exit: code, output: said } = await runDemo("--engine", "other");
  expect(code).toBe(2);
  expect(said).toContain("--engine must be embedded or cli");
});
