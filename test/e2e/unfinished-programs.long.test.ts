import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

// Each program declares a rotating key, then does what a test inserts, and then declares the key's consumer and one more
// key. If a run counts as complete by mistake, the key is revoked while its consumer still has it.

const HEAD = {
  CommonJS: `
const { createServer } = require("node:http");
const pulumi = require("@pulumi/pulumi");
const { ApiKey, RotatingApiKey } = require("keyplane");
const { Consumer } = require("consumer");`,
  ESM: `
import { createServer } from "node:http";
import pulumi from "@pulumi/pulumi";
import keyplane from "keyplane";
import consumer from "consumer";
const { ApiKey, RotatingApiKey } = keyplane;
const { Consumer } = consumer;`,
};

const BEGINNING = `
const config = new pulumi.Config();
const reportTo = config.require("reportTo");
const { keyId } = new RotatingApiKey("app", { revokeNow: config.get("revokeNow") });
const never = new Promise(() => {});
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const valueOf = (output) => new Promise((resolve) => output.apply(resolve));
`;

const END = `
new Consumer("consumer", { keyId, reportTo });
new ApiKey("later");
`;

type Files = Record<string, string>;

const ownPackage = (fields: object) => JSON.stringify({ name: "proj", main: "index.js", ...fields });

/** The forms of a program, with code before its end. */
const FORMS = {
  "an exported async function": (code: string): Files => ({
    "package.json": ownPackage({}),
    "index.js": `${HEAD.CommonJS}\nmodule.exports = async () => {${BEGINNING}${code}${END}};`,
  }),
  "an ES module": (code: string): Files => ({
    "package.json": ownPackage({ type: "module" }),
    "index.js": `${HEAD.ESM}${BEGINNING}${code}${END}export const id = keyId;`,
  }),
  "an exported async function of an ES module": (code: string): Files => ({
    "package.json": ownPackage({ type: "module" }),
    "index.js": `${HEAD.ESM}export default async () => {${BEGINNING}${code}${END}};`,
  }),
};

const inFunction = FORMS["an exported async function"];

let plane: ControlPlane;
let example: ExampleRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  const packages = { consumer: join(__dirname, "consumer") };
  example = await ExampleRun.create(plane, inFunction(""), { packages, config: { reportTo: plane.url } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id)).sort();
/** The codes of messages about the end of the program. The CLI shows each message twice: when it comes, and at the end. */
const codesIn = (said: string) => said.replace(/^.*Diagnostics:/s, "").match(/KP-PROGRAM-\w+/g) ?? [];

async function declared(): Promise<string[]> {
  const { deployment } = await example.workspace.exportState();
  return (deployment.resources ?? []).map(({ urn }) => urn.split("::").at(-1) ?? "").sort();
}

interface Ran {
  readonly exit: number | null;
  /** What the run printed. */
  readonly said: string;
  /** The keys that it revoked. */
  readonly revoked: string[];
}

async function run(command: "up" | "preview", files: Files, ...args: string[]): Promise<Ran> {
  await example.workspace.setProgram(files);
  const since = (await plane.log()).length;
  const { exit, stdout, stderr } = await example.run(command, { args, mayFail: true });
  const revoked = (await plane.log({ since })).flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === "key-revoked" ? [String(effect.id)] : [])),
  );
  return { exit, said: stdout + stderr, revoked };
}

/** Deploys the whole program, and then revokes the key of the consumer as soon as the consumer has another one. */
async function deployAndRevoke(): Promise<string> {
  expect((await run("up", inFunction(""))).exit).toBe(0);
  const { deployment } = await example.workspace.exportState();
  const app = deployment.resources?.find(({ urn }) => urn.endsWith("::app"));
  const old = String(app?.outputs?.keyId);
  await example.workspace.setConfig("revokeNow", old);
  return old;
}

/** Runs a program that does not get to its end, and then the whole one. Returns what the first one printed. */
async function runUnfinished(files: Files, ...args: string[]): Promise<Ran> {
  const old = await deployAndRevoke();
  const before = { declared: await declared(), live: await live() };
  const ran = await run("up", files, ...args);
  expect(ran.exit, ran.said).not.toBe(0);
  expect(ran.revoked, ran.said).toEqual([]);
  expect(await live()).toEqual(expect.arrayContaining(before.live));
  expect(await declared()).toEqual(expect.arrayContaining(before.declared));
  const { revoked, said } = await run("up", inFunction(""));
  expect(revoked, said).toEqual([old]);
  return ran;
}

describe("a program that waits forever fails, and nothing is deleted or revoked, if it waits", () => {
  test.each(Object.entries(FORMS))("at an await of %s", async (_, form) => {
    const { said } = await runUnfinished(form("await never;"));
    expect(said).toContain("this program waits forever");
    expect(codesIn(said)).toEqual(["KP-PROGRAM-STUCK"]);
  });

  test.each([
    ["after a resource has its answer", "await valueOf(keyId); await never;"],
    ["for a timer that does not keep it open", "await new Promise((resolve) => setTimeout(resolve, 60_000).unref());"],
    ["for an exported value", `${END} return { keyId, value: never };`],
    [
      "for an input of a resource",
      `new Consumer("consumer", { keyId: never, reportTo }); new ApiKey("later"); return;`,
    ],
  ])("%s", async (_, code) => {
    const { said } = await runUnfinished(inFunction(code));
    expect(codesIn(said), said).toEqual(["KP-PROGRAM-STUCK"]);
  });

  test("for a resource that failed in a run with --continue-on-error", async () => {
    const code = `await valueOf(new Consumer("failing", { keyId, reportTo, fail: true }).id);`;
    const { said } = await runUnfinished(inFunction(code), "--continue-on-error");
    expect(said).toContain("the consumer cannot be moved");
    expect(codesIn(said), said).toEqual(["KP-PROGRAM-STUCK"]);
  });
});

describe("a program that exits with code 0 before the ledger has run fails, and nothing is deleted or revoked, if it exits", () => {
  test.each(Object.entries(FORMS))("within %s", async (_, form) => {
    const { said } = await runUnfinished(form("await valueOf(keyId); await pause(100); process.exit(0);"));
    expect(said).toContain("this program called process.exit");
    expect(codesIn(said)).toEqual(["KP-PROGRAM-EXITED"]);
  });

  test.each([
    ["before a resource has its answer", "await pause(10); process.exit(0);"],
    ["without a code", "await valueOf(keyId); process.exit();"],
    ["to close its server", `createServer().listen(0); await valueOf(keyId); process.exit(0);`],
    ["after it has declared everything", `${END} setTimeout(() => process.exit(0), 1_000); return;`],
    ["when its event loop is empty", `process.once("beforeExit", () => process.exit(0));`],
  ])("%s", async (_, code) => {
    const { said } = await runUnfinished(inFunction(code));
    expect(codesIn(said), said).toEqual(["KP-PROGRAM-EXITED"]);
    // Pulumi's own message about the same.
    expect(said).not.toContain("still active");
  });
});

describe("a program that fails anyway gets no second message if it", () => {
  test.each([
    ["exits with another code", "await valueOf(keyId); process.exit(3);", /exit code:? 3/],
    ["sets an exit code", "process.exitCode = 3; await never;", /exit code:? 3/],
    ["throws", 'await valueOf(keyId); throw new Error("the program is broken");', /the program is broken/],
    [
      "throws while it waits",
      `keyId.apply(() => { throw new Error("the program is broken"); }); await never;`,
      /the program is broken/,
    ],
    [
      "logs an error while it waits",
      'pulumi.log.error("the program is broken"); await never;',
      /the program is broken/,
    ],
    [
      "waits for a resource that failed",
      `await valueOf(new Consumer("failing", { keyId, reportTo, fail: true }).id);`,
      /the consumer cannot be moved/,
    ],
    [
      "exits after a resource failed",
      `new Consumer("failing", { keyId, reportTo, fail: true }); await pause(8_000); process.exit(0);`,
      /the consumer cannot be moved/,
    ],
  ])("%s", async (_, code, reason) => {
    const { said } = await runUnfinished(inFunction(code));
    expect(said).toMatch(reason);
    expect(codesIn(said), said).toEqual([]);
  });
});

describe("a program is complete, and its old keys are revoked, if it", () => {
  test.each([
    ["has a server that does not keep it open", "createServer().listen(0).unref();"],
    [
      "closes its server after its end",
      "const server = createServer().listen(0); setTimeout(() => server.close(), 1_000);",
    ],
    ["has a timer after its end", "setTimeout(() => {}, 1_000);"],
    [
      "declares a consumer when its event loop is empty",
      `process.once("beforeExit", () => new Consumer("last", { keyId, reportTo }));`,
    ],
    [
      "exits after the ledger has run",
      `let idle = 0; process.on("beforeExit", () => { idle += 1; if (idle > 1) process.exit(0); });`,
    ],
  ])("%s", async (_, code) => {
    const old = await deployAndRevoke();
    const { exit, said, revoked } = await run("up", inFunction(code));
    expect(exit, said).toBe(0);
    expect(revoked, said).toEqual([old]);
    expect(codesIn(said)).toEqual([]);
  });
});

test("a preview may wait for a value that only an update knows", async () => {
  const files = inFunction("await valueOf(keyId);");
  const preview = await run("preview", files);
  expect(preview.exit, preview.said).toBe(0);
  expect(codesIn(preview.said)).toEqual([]);
  const { exit, said } = await run("up", files);
  expect(exit, said).toBe(0);
  expect(await declared()).toContain("later");
});

test("a preview of a program that exits with code 0 fails", async () => {
  const { exit, said } = await run("preview", inFunction("await pause(100); process.exit(0);"));
  expect(exit, said).not.toBe(0);
  expect(codesIn(said)).toEqual(["KP-PROGRAM-EXITED"]);
});

test.each(["process.exit(0)", "await new Promise(() => {})"])("a program without keys may end by %s", async (code) => {
  const pause = "await new Promise((resolve) => setTimeout(resolve, 500));";
  const main = `module.exports = async () => { ${pause} ${code}; };`;
  const { exit, said } = await run("up", { "package.json": ownPackage({}), "index.js": `${HEAD.CommonJS}\n${main}` });
  expect(exit, said).toBe(0);
  expect(codesIn(said)).toEqual([]);
});
