import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ExampleRun } from "./run-example";

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
let example: ExampleRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

/** A folder with a program that deploys, or is deployed. The `pulumi` on its PATH is the engine of these tests. */
async function start(body: string): Promise<ExampleRun> {
  const packages = { consumer: join(__dirname, "consumer") };
  const env = { KEYPLANE_BASE_URL: plane.url, KEYPLANE_API_KEY: plane.apiKey };
  example = await ExampleRun.create(plane, { "index.js": HEAD + body }, { packages, env });
  return example;
}

async function withPulumi(given: object): Promise<NodeJS.ProcessEnv> {
  const { workspace } = example;
  const env = { ...workspace.env, GIVEN: JSON.stringify(given) };
  if (workspace.engine === "cli") return env;
  const bin = join(workspace.directory, "bin");
  const script = `#!${process.execPath}\nrequire(${JSON.stringify(join(__dirname, "automation", "pulumi.cjs"))});\n`;
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "pulumi"), script, { mode: 0o755 });
  return { ...env, PATH: [bin, workspace.env.PATH].join(delimiter) };
}

interface Ran {
  /** The requests to the control plane, as `METHOD /route`. */
  readonly requests: string[];
  readonly output: string;
}

/** Runs the folder's program with Node, as a user runs a program of the Automation API. */
async function node(given: object = {}): Promise<Ran> {
  const env = await withPulumi(given);
  let output = "";
  const requests = await example.requestsOf(async () => {
    const { stdout, stderr } = await run(process.execPath, ["index.js"], {
      cwd: example.workspace.programDirectory,
      env,
      timeout: 120_000,
    });
    output = stdout + stderr;
  });
  return { requests: requests.filter((request) => request !== "GET /auth"), output };
}

/** What happened to the keys and which consumer received which, in order. */
async function history(): Promise<string[]> {
  return (await plane.log()).flatMap(({ query, effects }) => {
    const held = /^holds=(\w+)$/.exec(query);
    if (held) return [`holds ${held[1]}`];
    return effects.flatMap((effect) => {
      if (effect.kind === "key-created") return [`made ${effect.id}`];
      return effect.kind === "key-revoked" ? [`revoked ${effect.id}`] : [];
    });
  });
}

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id)).sort();
const made = (count: number) => ["GET /api_keys", ...Array<string>(count).fill("POST /api_keys")];

describe("an inline program", () => {
  test("revokes a component's key only after every consumer has the next key, independent of where consumers are declared", async () => {
    await start(`
      const program = async () => {
        const part = new Part("part", { rotationTriggers: { n: given.n }, revokeNow: given.revokeNow });
        const { keyId } = part.key;
        new Consumer("beside", { keyId, reportTo });
        part.key.name.apply(() => new Consumer("once-it-is-there", { keyId, reportTo }));
        new Part("other").key.name.apply(async () => {
          await pause(0);
          new Consumer("later", { keyId, reportTo });
        });
        await pause(300);
        new Consumer("after-a-pause", { keyId, reportTo });
      };
      stackOf("dev", program).then((stack) => stack.up());
    `);
    expect((await node({ n: "1" })).requests.sort()).toEqual(made(2));
    expect((await node({ n: "1" })).requests).toEqual([]);
    const [[first]] = [(await history()).flatMap((event) => /^holds (.*)/.exec(event)?.[1] ?? [])];
    await node({ n: "1", revokeNow: first });
    const [, second] = await live();
    const all = [`made ${second}`, ...Array<string>(4).fill(`holds ${second}`), `revoked ${first}`];
    expect((await history()).slice(-6)).toEqual(all);
    expect((await node({ n: "1", revokeNow: first })).requests).toEqual([]);
  });

  test("can declare keys after another resource is created", async () => {
    await start(`
      const program = async () => {
        const first = new ApiKey("first");
        first.keyId.apply(() => {
          const second = new ApiKey("second");
          const third = second.keyId.apply(async () => {
            await pause(100);
            return new ApiKey("third").keyId;
          });
          new Consumer("app", { keyId: third, reportTo });
        });
        return { keyId: first.keyId };
      };
      stackOf("dev", program).then(async (stack) => given.destroy ? stack.destroy() : stack.up());
    `);
    expect((await node()).requests.sort()).toEqual(made(3));
    expect((await node()).requests).toEqual([]);
    await node({ destroy: true });
    expect(await live()).toEqual([]);
  });

  test("leaves all keys alone if it throws, and goes on in the next run", async () => {
    await start(`
      const program = async () => {
        const part = new Part("part", { revokeNow: given.revokeNow });
        await new Promise((resolve) => part.key.keyId.apply(resolve));
        if (given.broken) throw new Error("the program is broken");
        new Consumer("app", { keyId: part.key.keyId, reportTo });
      };
      stackOf("dev", program).then((stack) => stack.up()).catch((error) => console.log(error.message));
    `);
    await node();
    const [first] = await live();
    const { output } = await node({ revokeNow: first, broken: true });
    expect(output).toContain("the program is broken");
    expect(await live()).toContain(first);
    await node({ revokeNow: first });
    const [second, ...others] = await live();
    expect(others).toEqual([]);
    expect((await history()).slice(-2)).toEqual([`holds ${second}`, `revoked ${first}`]);
  });

  test.each([
    ["waits forever and is cancelled", "await new Promise(() => {});"],
    ["exits with code 0", "process.exit(0);"],
  ])("leaves all keys alone if it %s, and goes on in the next run", async (_, code) => {
    await start(`
      const program = async () => {
        const part = new Part("part", { revokeNow: given.revokeNow });
        await new Promise((resolve) => part.key.keyId.apply(resolve));
        if (given.broken) ${code}
        new Consumer("app", { keyId: part.key.keyId, reportTo });
      };
      const up = (stack) => stack.up({ signal: AbortSignal.timeout(given.broken ? 5_000 : 60_000) });
      stackOf("dev", program).then(up).catch((error) => console.log(error.message));
    `);
    await node();
    const [first] = await live();
    const stopped = node({ revokeNow: first, broken: true }).catch((error: Error) => error);
    const requests = await example.requestsOf(() => stopped);
    expect(requests).not.toContain("DELETE /api_keys/{key_id}");
    expect(await live()).toContain(first);
    // The CLI leaves a lock if the process with its program is gone.
    await vi.waitFor(() => expect(example.workspace.processes()).toEqual([]), { timeout: 30_000 });
    await example.workspace.cancel();
    await node({ revokeNow: first });
    const [second, ...others] = await live();
    expect(others).toEqual([]);
    expect((await history()).slice(-2)).toEqual([`holds ${second}`, `revoked ${first}`]);
  });

  test("can share its process with another: each has its own owner, and neither touches the other's keys", async () => {
    await start(`
      const program = (name) => async () => {
        for (let n = 0; n < 3; n++) new ApiKey(name + "-" + n, { rotationTriggers: { n: given.n } });
        const part = new Part(name);
        new Consumer("app", { keyId: part.key.keyId, reportTo });
      };
      Promise.all(["one", "two"].map(async (name) => (await stackOf(name, program(name))).up()));
    `);
    const first = (await node({ n: "1" })).requests.sort();
    expect(first).toEqual(["GET /api_keys", "GET /api_keys", ...Array<string>(8).fill("POST /api_keys")]);
    const before = await live();
    const { requests } = await node({ n: "2" });
    expect(requests.filter((request) => request.startsWith("DELETE"))).toHaveLength(6);
    expect((await live()).filter((id) => before.includes(id))).toHaveLength(2);
    expect((await node({ n: "2" })).requests).toEqual([]);
  });
});

describe("a program of the CLI that deploys another stack", () => {
  test.each([
    ["without keys", 'async () => ({ answer: "yes" })', 0],
    ["with keys of its own", 'async () => { new ApiKey("inner"); new Part("part"); return { answer: "yes" }; }', 2],
  ])("ends and has its keys if the other stack is one %s", async (_, inner, keys) => {
    await start(`
      module.exports = async () => {
        const before = new RotatingApiKey("before", { revokeNow: given.revokeNow });
        const stack = await stackOf("inner", ${inner});
        const { outputs } = await stack.up();
        const after = new ApiKey("after");
        new Consumer("app", { keyId: before.keyId, reportTo });
        return { answer: outputs.answer.value, keyId: before.keyId };
      };
    `);
    const owners = keys === 0 ? 1 : 2;
    const asked = async (given: object) => {
      const env = await withPulumi(given);
      const requests = await example.requestsOf(() => example.run("up", { env }));
      return requests.filter((request) => request !== "GET /auth").sort();
    };
    const requests = [
      ...Array<string>(owners).fill("GET /api_keys"),
      ...Array<string>(2 + keys).fill("POST /api_keys"),
    ];
    expect(await asked({})).toEqual(requests);
    const { answer, keyId } = await example.workspace.outputs();
    expect(answer).toBe("yes");
    expect(await asked({})).toEqual([]);
    expect(await asked({ revokeNow: keyId })).toEqual(["DELETE /api_keys/{key_id}", "GET /api_keys", "POST /api_keys"]);
    expect((await history()).at(-1)).toBe(`revoked ${keyId}`);
    expect(await live()).toHaveLength(2 + keys);
  });
});
