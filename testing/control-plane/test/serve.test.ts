import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ControlPlane, connectControlPlane } from "..";
import { send, temporaryPath } from "./support";

const main = resolve(__dirname, "../../../dist/cli/main.js");
const apiKey = "admin-sentinel";

const children: ChildProcess[] = [];

// Each test starts processes.
vi.setConfig({ testTimeout: 30_000 });

beforeEach(() => {
  if (!existsSync(main)) throw new Error("the command line is tested as compiled: run `npm run build` first");
});

afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
});

function run(...args: string[]): ChildProcess {
  return runWith({}, ...args);
}

function runWith(settings: NodeJS.ProcessEnv, ...args: string[]): ChildProcess {
  const { KEYPLANE_API_KEY: _, ...env } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...env, ...settings },
    stdio: ["pipe", "pipe", "pipe"],
  });
  children.push(child);
  return child;
}

/** The output and the exit code of a run. */
async function ended(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (data) => {
    stdout += data;
  });
  child.stderr?.on("data", (data) => {
    stderr += data;
  });
  child.stdin?.end();
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

/** A running `serve`. */
interface Served {
  readonly child: ChildProcess;
  readonly plane: ControlPlane;
  readonly printed: string;
}

/** Starts `serve` and connects to it. */
function serve(...args: string[]): Promise<Served> {
  return serveWith({}, ...args);
}

async function serveWith(settings: NodeJS.ProcessEnv, ...args: string[]): Promise<Served> {
  const child = runWith(settings, "serve", ...args);
  if (args.includes("-")) child.stdin?.end(`${apiKey}\n`);
  let printed = "";
  for await (const data of child.stdout ?? []) {
    printed += data;
    if (printed.includes("Stop with")) break;
  }
  const control = /Control: +(\S+)/.exec(printed)?.[1] ?? "";
  return { child, plane: await connectControlPlane(control), printed };
}

test("serve prints its address without the key, serves, and stops cleanly on SIGTERM", async () => {
  const { child, plane, printed } = await serve("--port", "0", "--api-key", apiKey);
  expect(printed).toContain(plane.url);
  expect(printed).not.toContain(apiKey);
  expect((await send(plane, "GET /api_keys", { key: apiKey })).status).toBe(200);
  expect(await plane.clock.read()).toMatchObject({ mode: "real", offsetMs: 0 });
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("serve --json prints its address in one line of JSON for scripts", async () => {
  const child = run("serve", "--api-key", apiKey, "--json");
  const [line] = await once(child.stdout ?? child, "data");
  const { url, controlUrl } = JSON.parse(String(line)) as { url: string; controlUrl: string };
  const plane = await connectControlPlane(controlUrl);
  expect([plane.url, String(line)]).toEqual([url, expect.not.stringContaining(apiKey)]);
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("serve can read the key from standard input, so that no process list and no control endpoint shows it", async () => {
  const { plane, printed } = await serve("--api-key", "-");
  expect((await send(plane, "GET /api_keys", { key: apiKey })).status).toBe(200);
  expect(printed + (await toldBy(plane))).not.toContain(apiKey);
});

/** Everything that the control endpoints return. */
async function toldBy(plane: ControlPlane): Promise<string> {
  const paths = ["", "/secrets", "/log", "/state", "/keys", "/openapi.json"];
  const told = await Promise.all(paths.map(async (path) => (await fetch(plane.controlUrl + path)).text()));
  return told.join("\n");
}

test("serve creates a key of its own and shows it", async () => {
  const { plane, printed } = await serve();
  const key = /^API key: +(\S+)$/m.exec(printed)?.[1] ?? "";
  expect(plane.apiKey).toBe(key);
  expect((await send(plane, "GET /api_keys", { key })).status).toBe(200);
  expect((await serve()).plane.apiKey).not.toBe(key);
});

test("serve --json shows the key that it created", async () => {
  const [line] = await once(run("serve", "--json").stdout ?? process, "data");
  const { url, apiKey: key } = JSON.parse(String(line)) as { url: string; apiKey: string };
  expect((await fetch(`${url}/api_keys`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
});

test.each([
  ["alone", []],
  ["on the command line, too", ["--api-key", "kp_of_the_environment"]],
])("serve does not show a key of the environment that is given there %s", async (_, args) => {
  for (const settings of [
    { KEYPLANE_API_KEY: "kp_of_the_environment" },
    { KEYPLANE_ACCOUNTS: JSON.stringify({ eu: { apiKey: "kp_of_the_environment" } }) },
    { OTHER_KEY: "kp_of_the_environment" },
  ]) {
    const { plane, printed } = await serveWith(settings, ...args);
    const answer = await send(plane, "GET /api_keys", { key: "kp_of_the_environment" });
    expect(answer.status).toBe(args.length === 0 ? 401 : 200);
    expect(printed + (await toldBy(plane))).not.toContain("kp_of_the_environment");
  }
});

test.each<[string, string[], RegExp]>([
  ["no command", [], /no command was given/],
  ["an unknown command", ["sevre"], /^keyplane: unknown command \(Did you mean serve\?\)\nTry keyplane --help\n$/],
  ["an unknown option", ["serve", "--prot", "1"], /--prot/],
  ["an empty key", ["serve", "--api-key", ""], /the admin key must be visible ASCII/],
  ["an invalid port", ["serve", "--port", "80x", "--api-key", "a"], /--port must be/],
])("serve with %s fails with an error on one line and exit code 2", async (_, args, message) => {
  const { code, stdout, stderr } = await ended(run(...args));
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/\n\s+at /);
});

test("serve reports a port that is in use with exit code 1", async () => {
  const { plane } = await serve("--api-key", apiKey);
  const { code, stderr } = await ended(run("serve", "--port", new URL(plane.url).port, "--api-key", apiKey));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^keyplane: port \d+ of 127\.0\.0\.1 is in use\n$/)]);
});

test("serve prints help and the version with exit code 0", async () => {
  expect(await ended(run("--help"))).toMatchObject({ code: 0, stdout: expect.stringContaining("serve") });
  expect(await ended(run("serve", "--help"))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("--data <file>"),
  });
  expect((await ended(run("--version"))).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

/** The answers and the requests. */
interface Churned {
  made: Set<number>;
  revocationAsked: Set<number>;
  revoked: Set<number>;
}

/** Creates and revokes keys without a pause, in three parallel loops, until the connection breaks. */
async function churn(plane: ControlPlane, seen: Churned, answered: () => void): Promise<void> {
  const lane = async (name: string): Promise<void> => {
    for (let round = 0; ; round += 1) {
      const { id } = (await send(plane, "POST /api_keys", { body: { key_name: `${name}-${round}` } })).body;
      seen.made.add(id);
      answered();
      if (round % 2 === 0) continue;
      seen.revocationAsked.add(id);
      await send(plane, `DELETE /api_keys/${id}`);
      seen.revoked.add(id);
      answered();
    }
  };
  await Promise.allSettled(["a", "b", "c"].map((name) => lane(`${name}-${seen.made.size}`)));
}

test("a kill -9 of serve at any moment leaves a file that loads and contains every answered change", async () => {
  const data = await temporaryPath("plane.json");
  const args = ["--api-key", apiKey, "--data", data];
  const seen: Churned = { made: new Set(), revocationAsked: new Set(), revoked: new Set() };
  // The kill comes after this many answers and milliseconds.
  for (const [answers, delay] of [
    [1, 0],
    [7, 1],
    [18, 3],
    [29, 4],
    [40, 2],
  ] as const) {
    const { child, plane } = await serve(...args);
    let answersLeft: number = answers;
    await churn(plane, seen, () => {
      answersLeft -= 1;
      // At this time the other two loops are between sending a request and its write to the disk.
      if (answersLeft === 0) setTimeout(() => child.kill("SIGKILL"), delay);
    });
    const { keys } = JSON.parse(await readFile(data, "utf8"));
    const live = new Set<number>(keys.live.map(({ id }: { id: number }) => id));
    const kept = [...seen.made].filter((id) => !seen.revocationAsked.has(id));
    expect(kept.filter((id) => !live.has(id))).toEqual([]);
    expect([...seen.revoked].filter((id) => live.has(id))).toEqual([]);
  }
  const { plane } = await serve(...args);
  expect((await send(plane, "GET /api_keys", { key: apiKey })).status).toBe(200);
}, 60_000);

test("an open keep-alive connection does not prevent serve from stopping", async () => {
  const { child, plane } = await serve("--api-key", apiKey);
  const socket = connect(Number(new URL(plane.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {});
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
});
