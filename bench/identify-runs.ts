import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keyDigest } from "../provider/key-digest";
import { judged, type Log, median } from "./results";

const MB = 1_000_000;
const LINE = "2026-11-24T05:00:00Z INFO GET /projects/shop/branches 200 in 12 ms from 192.0.2.7, request 5b4f6f54\n";

/** A key as the service creates it, always the same one for a number. */
function keyOf(number: number): string {
  const bytes = [0, 1].flatMap((part) => [...createHash("sha256").update(`${number} ${part}`).digest()]);
  return `kp_${bytes.map((byte) => "abcdefghijklmnopqrstuvwxyz0123456789"[byte % 36]).join("")}`;
}

const TEN = Array.from({ length: 10 }, (_, at) => keyOf(at));

/**
 * Measures `keyplane identify`: ten keys in 5,000 states of 20 keys each, and ten keys in a text of 50 MB. The floor is the
 * start of Node, so the time includes that of the command.
 */
export async function identifyRows(runs: number, isQuick: boolean): Promise<Log[]> {
  const folder = await mkdtemp(join(tmpdir(), "keyplane-identify-"));
  try {
    const [states, megabytes] = isQuick ? [100, 2] : [5_000, 50];
    await writeStates(join(folder, "states"), states);
    const text = textOf(megabytes);
    const state = ["--state", join(folder, "states")];
    return [
      await logOf("identify-states", { n: states, runs, args: state, input: TEN.join("\n"), most: 2_000 }),
      await logOf("identify-text", { n: megabytes, runs, args: [], input: text, most: 1_000 }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Run {
  readonly n: number;
  readonly runs: number;
  readonly args: readonly string[];
  readonly input: string;
  readonly most: number;
}

async function logOf(scenario: string, { n, runs, args, input, most }: Run): Promise<Log> {
  const [own, floor]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    floor.push(await timeOf(["-e", "0"], ""));
    own.push(await timeOf([join("dist", "cli", "main.js"), "identify", ...args], input, "10 keys found"));
  }
  const figures = {
    ...{ scenario, n, rttMs: 0, unit: "ms" as const, requests: 0, requestsFloor: 0, requestsNaive: null },
    ...{ ms: median(own), msFloor: median(floor), msNaive: null },
  };
  return judged(figures, { most }, false);
}

/** How long a process takes, in milliseconds. Throws unless it prints the text. */
async function timeOf(args: readonly string[], input: string, printed = ""): Promise<number> {
  const env = { ...process.env, KEYPLANE_API_KEY: "", KEYPLANE_BASE_URL: "" };
  const started = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A process that reads no input may have ended.
  child.stdin.on("error", () => {}).end(input);
  await once(child, "close");
  const ms = performance.now() - started;
  if (!Buffer.concat(chunks).includes(printed)) throw new Error("identify did not find the keys");
  return ms;
}

/** Writes states of different stacks. Ten of them have one of the keys to find. */
async function writeStates(folder: string, count: number): Promise<void> {
  await mkdir(folder);
  for (let at = 0; at < count; at++) {
    const urn = (type: string, name: string) => `urn:pulumi:dev::app-${at}::${type}::${name}`;
    const resources = Array.from({ length: 20 }, (_, key) => {
      const [type, name] = ["pulumi-nodejs:dynamic/keyplane:ApiKey", `key-${key}`];
      const isOneOfTen = key === 0 && at % (count / 10) === 0;
      const digest = keyDigest(keyOf(isOneOfTen ? at / (count / 10) : 1_000 + at * 20 + key));
      const secret = {
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        ciphertext: "x".repeat(150),
      };
      const outputs = { keyId: String(at * 20 + key), name, digest, key: secret, createdAt: "2026-11-01T00:00:00Z" };
      return { urn: urn(type, name), custom: true, type, id: outputs.keyId, outputs };
    });
    const stack = { urn: urn("pulumi:pulumi:Stack", `app-${at}-dev`), custom: false, type: "pulumi:pulumi:Stack" };
    const manifest = { time: "2026-11-20T00:00:00Z" };
    const state = { version: 3, deployment: { manifest, resources: [stack, ...resources] } };
    await writeFile(join(folder, `${at}.json`), JSON.stringify(state));
  }
}

/** A log with ten keys. */
function textOf(megabytes: number): string {
  const lines = LINE.repeat(Math.ceil((megabytes * MB) / 10 / LINE.length));
  return TEN.map((key) => `${lines}authorization: Bearer ${key}\n`).join("");
}
