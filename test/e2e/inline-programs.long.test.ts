import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DELETE, LIST, POST, WHO } from "../routes";
import { ON_CLI, StackUnderTest } from "./stack-under-test";

const run = promisify(execFile);

/** The beginning of every program in these tests. `given` is what the test passes to a run. */
const HEAD = `
const pulumi = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const { ApiKey, RotatingApiKey } = require("keyplane");
const { Consumer } = require("consumer");

const given = JSON.parse(process.env.GIVEN ?? "{}");
const reportTo = process.env.KEYPLANE_BASE_URL;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const stackOf = (stackName, program) =>
  LocalWorkspace.createOrSelectStack({ stackName, projectName: "proj", program }, { workDir: __dirname });
class Part extends pulumi.ComponentResource {
  constructor(name, args = {}) {
    super("test:Part", name);
    this.key = new RotatingApiKey(name, args, { parent: this });
    this.registerOutputs();
  }
}
`;

let plane: ControlPlane;
let example: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

/** A folder with a program that deploys, or is deployed. */
async function start(body: string): Promise<StackUnderTest> {
  const packages = { consumer: join(__dirname, "consumer") };
  const env = { KEYPLANE_BASE_URL: plane.url, KEYPLANE_API_KEY: plane.apiKey };
  example = await StackUnderTest.of(plane, { "index.js": HEAD + body }, { packages, env });
  return example;
}

interface Ran {
  /** The requests to the control plane, as `METHOD /route`. */
  readonly requests: string[];
  readonly output: string;
}

/** Runs the folder's program with Node, as a user runs a program of the Automation API. */
async function node(given: object = {}): Promise<Ran> {
  const env = { ...example.workspace.env, GIVEN: JSON.stringify(given) };
  let output = "";
  const requests = await example.requestsOf(async () => {
    const { stdout, stderr } = await run(process.execPath, ["index.js"], {
      cwd: example.workspace.programDirectory,
      env,
      timeout: 120_000,
    });
    output = stdout + stderr;
  });
  return { requests: requests.filter((request) => request !== WHO), output };
}

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id)).sort();
const made = (count: number) => [LIST, ...Array<string>(count).fill(POST)];

describe.skipIf(!ON_CLI)("on the Pulumi CLI (the embedded engine starts no programs of the Automation API)", () => {
  test("an inline program can declare keys and consumers late, and a rotation gives each consumer the next key", async () => {
    await start(`
      const program = async () => {
        const part = new Part("part", { rotationTriggers: { n: given.n } });
        const { keyId } = part.key;
        part.key.name.apply(() => new Consumer("once-it-is-there", { keyId, reportTo }));
        const last = new ApiKey("first").keyId.apply(async () => {
          await pause(100);
          return new ApiKey("second").keyId;
        });
        await pause(300);
        new Consumer("after-a-pause", { keyId, reportTo });
        return { last };
      };
      stackOf("dev", program).then(async (stack) => given.destroy ? stack.destroy() : stack.up());
    `);
    expect((await node({ n: "1" })).requests.sort()).toEqual(made(3));
    expect((await node({ n: "1" })).requests).toEqual([]);
    expect((await node({ n: "2" })).requests.sort()).toEqual(made(1));
    const current = (await live()).at(-1);
    const told = (await plane.log()).flatMap(({ query }) => (query.startsWith("holds=") ? [query] : []));
    expect(told.slice(-2)).toEqual(Array(2).fill(`holds=${current}`));
    await node({ destroy: true });
    expect(await live()).toEqual([]);
  });

  test.each([
    ["throws", 'throw new Error("the program is broken");'],
    ["waits forever and is cancelled", "await new Promise(() => {});"],
    ["exits with code 0", "process.exit(0);"],
  ])("the keys of an inline program that %s are recorded, and the next run goes on with them", async (_, code) => {
    await start(`
      const program = async () => {
        const part = new Part("part", { rotationTriggers: { n: given.n } });
        await new Promise((resolve) => part.key.keyId.apply(resolve));
        if (given.broken) { await pause(500); ${code} }
        new Consumer("app", { keyId: part.key.keyId, reportTo });
      };
      const up = (stack) => stack.up({ signal: AbortSignal.timeout(given.broken ? 10_000 : 60_000) });
      stackOf("dev", program).then(up).catch((error) => console.log(error.message));
    `);
    await node({ n: "1" });
    await node({ n: "2", broken: true }).catch((error: Error) => error);
    // The CLI leaves a lock if the process with its program is gone.
    await vi.waitFor(() => expect(example.workspace.processes()).toEqual([]), { timeout: 60_000 });
    await example.workspace.cancel();
    const both = await live();
    expect(both).toHaveLength(2);
    expect((await node({ n: "2" })).requests).toEqual([]);
    expect(await live()).toEqual(both);
    expect((await plane.log()).map(({ query }) => query)).toContain(`holds=${both[1]}`);
  });

  test("two inline programs can share a process, also one after the other, and neither touches the other's keys", async () => {
    await start(`
      const program = (name) => async () => {
        for (let n = 0; n < 3; n++) new ApiKey(name + "-" + n, { rotationTriggers: { n: given.n } });
        new Part(name);
      };
      const up = async (name) => (await stackOf(name, program(name))).up();
      const names = ["one", "two"];
      if (given.together) Promise.all(names.map(up));
      else up("one").then(() => up("two")).then(() => up("one"));
    `);
    const created = (await node({ n: "1", together: true })).requests.sort();
    expect(created).toEqual([LIST, LIST, ...Array<string>(8).fill(POST)]);
    const before = await live();
    const { requests } = await node({ n: "2" });
    expect(requests.filter((request) => request.startsWith("DELETE"))).toHaveLength(6);
    expect((await live()).filter((id) => before.includes(id))).toHaveLength(2);
    expect((await node({ n: "2", together: true })).requests).toEqual([]);
  });

  test("a program of the CLI can deploy another stack with keys of its own", async () => {
    await start(`
      module.exports = async () => {
        const before = new RotatingApiKey("before", { revokeNow: given.revokeNow });
        const inner = async () => { new ApiKey("inner"); new Part("part"); return { answer: "yes" }; };
        const { outputs } = await (await stackOf("inner", inner)).up();
        const after = new ApiKey("after");
        new Consumer("app", { keyId: before.keyId, reportTo });
        return { answer: outputs.answer.value, keyId: before.keyId };
      };
    `);
    const asked = async (given: object) => {
      const env = { GIVEN: JSON.stringify(given) };
      const requests = await example.requestsOf(() => example.run("up", { env }));
      return requests.filter((request) => request !== WHO).sort();
    };
    expect(await asked({})).toEqual([LIST, ...made(4)]);
    const { answer, keyId } = await example.workspace.outputs();
    expect(answer).toBe("yes");
    expect(await asked({})).toEqual([]);
    expect(await asked({ revokeNow: keyId })).toEqual([DELETE, LIST, POST]);
    expect(await live()).toHaveLength(4);
    expect(await live()).not.toContain(keyId);
  });
});
