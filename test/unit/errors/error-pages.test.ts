import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Account, Collected } from "../../../provider/api";
import { adapt } from "../../../provider/dynamic/adapter";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { ERRORS, type ErrorCode } from "../../../provider/errors";
import { getApiKey, getApiKeys, waitForOperations } from "../../../provider/functions";
import type { Properties } from "../../../provider/schema/outputs";
import { resolveSettings } from "../../../provider/settings/settings";
import { ApiKey } from "../../../sdk/nodejs";
import { mustFindProvider } from "../../../sdk/nodejs/provider-here";
import type { ControlPlane, Rule } from "../../../testing/control-plane";
import { startAccount, stopAccounts } from "../api/start-account";
import { OWNER, StackHarness } from "../resources/harness";
import { ProcessOfProgram } from "../sdk/program-process";

afterEach(async () => {
  vi.restoreAllMocks();
  await stopAccounts();
});

/** A call of an account, with a rule that disturbs it. */
async function withRule<T>(rule: Rule, call: (account: Account, plane: ControlPlane) => Promise<T>): Promise<T> {
  const { account, plane } = await startAccount();
  await plane.rules.add({ count: null, ...rule });
  return call(account, plane);
}

/** A resource of a stack, with a rule that disturbs it. */
async function benchWithRule(rule: Rule): Promise<StackHarness> {
  const harness = await StackHarness.start();
  await harness.plane.rules.add({ count: null, ...rule });
  return harness;
}

const listWith = (rule: Omit<Rule, "route">) =>
  withRule({ route: "GET /api_keys", ...rule }, (account) => getApiKeys(account));
const failing = { route: "POST /api_keys", operations: [{ action: "start_compute", outcome: "failed" }] };

/** A wait for an operation with this course. */
async function waitFor(course: { readonly outcome?: string; readonly runningMs?: null }): Promise<unknown> {
  const { account, plane } = await startAccount();
  const { id: projectId } = await plane.state.createProject();
  await plane.state.startOperations({ projectId, ...course });
  return waitForOperations(account, { projectId, operationTimeout: "1m" });
}

const { withLocalStorage } = require("@pulumi/pulumi/runtime/state") as {
  withLocalStorage<T>(callback: () => Promise<T>): Promise<T>;
};

/** Runs a program as Pulumi's Automation API does, with a simulated engine. */
async function withMonitor(program: () => Promise<unknown>): Promise<void> {
  await withLocalStorage(async () => {
    await pulumi.runtime.setMocks({ newResource: ({ inputs }) => ({ id: "7", state: inputs }), call: () => ({}) });
    const mocked = pulumi.runtime.getMonitor() as unknown as { readonly mocks: unknown };
    const Monitor = class extends (mocked.constructor as new (mocks: unknown) => object) {};
    pulumi.runtime.setMockOptions(new Monitor(mocked.mocks));
    await program();
  });
}

/** Ends a program, and throws what its user is told. */
async function endOf(outputs: unknown, end: (program: ProcessOfProgram) => unknown): Promise<never> {
  const program = new ProcessOfProgram(outputs);
  await end(program);
  throw new Error(program.said.join("").trimEnd());
}

/** An action that causes each error. */
const PROVOKED: Readonly<Record<ErrorCode, () => Promise<unknown>>> = {
  "KP-CONFIG": async () => resolveSettings(() => undefined, {}),
  "KP-INPUT": async () => getApiKey((await startAccount()).account, {}),
  "KP-SEAL": async () => {
    const stack = await StackHarness.start();
    return stack.createKey({ sealTo: { githubActions: { key: Buffer.alloc(32).toString("base64") } } });
  },
  "KP-USAGE": async () => {
    const run = promisify(execFile)(process.execPath, ["dist/cli/main.js", "keys", "--json"], { env: {} });
    const { stdout } = await run.catch((failure: { stdout: string }) => failure);
    throw Object.assign(new Error(), JSON.parse(stdout).error);
  },
  "KP-IMPORT": async () => new ApiKey("ci", {}, { import: "7" }),
  "KP-DECLARED-LATE": async () => {
    await withMonitor(async () => {
      await pulumi.runtime.runInPulumiStack(async () => {
        new ApiKey("early");
      });
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
      new ApiKey("late");
    });
  },
  "KP-PROGRAM-STUCK": () => endOf(pulumi.output(new Promise(() => {})), (program) => program.idle()),
  "KP-PROGRAM-EXITED": () => endOf(pulumi.output({}), (program) => program.exit(0)),
  "KP-COMPONENT-PROVIDER": () => withMonitor(async () => new ApiKey("ci")),
  "KP-TWO-VERSIONS": async () => {
    const shared = globalThis as { [key: symbol]: unknown };
    const key = Symbol.for("keyplane.program-runs");
    const before = shared[key];
    shared[key] = { protocol: 99, version: "9.0.0", folder: "elsewhere", runs: new WeakMap() };
    try {
      await withMonitor(async () => new ApiKey("ci"));
    } finally {
      shared[key] = before;
    }
  },
  "KP-NOT-INSTALLED": async () => mustFindProvider(tmpdir()),
  "KP-AUTH": async () => getApiKeys((await startAccount({ apiKey: "kp_of_somebody_else" })).account),
  "KP-WRONG-ACCOUNT": async () => {
    const harness = await StackHarness.start();
    const made = await harness.createKey();
    const { key } = await harness.plane.state.createKey("another credential");
    await harness.plane.state.revokeKey(made.id);
    return harness.beside({ apiKey: key }).readKey(made);
  },
  "KP-ID-MISMATCH": async () => {
    const harness = await StackHarness.start();
    const { outputs } = await harness.createKey();
    const stranger = await harness.plane.state.createKey("somebody-elses");
    const id = String(stranger.id);
    return harness.readKey({ id, outputs: { ...outputs, keyId: id } });
  },
  "KP-SCOPE": async () =>
    (await benchWithRule({ route: "POST /api_keys", patch: { project_id: "quiet-shore-123456" } })).createKey(),
  "KP-OWN-CREDENTIAL": async () => {
    const harness = await StackHarness.start();
    return harness.deleteKey({ id: "100001", outputs: { keyId: "100001", key: harness.plane.apiKey } });
  },
  "KP-CLOCK": async () => {
    const harness = await StackHarness.start();
    harness.clock.advance(91 * 86_400_000);
    const due = harness.clock.now();
    harness.context.run.replacedByAge.set(harness.context.urn, (from) => Math.max(from, due));
    return harness.createKey({ rotateAfter: "90d" });
  },
  "KP-NOT-FOUND": async () => getApiKey((await startAccount()).account, { name: "nobody's" }),
  "KP-AMBIGUOUS": async () => {
    const { account, plane } = await startAccount();
    await plane.state.switch({ uniqueNames: false });
    await Promise.all([plane.state.createKey("twin"), plane.state.createKey("twin")]);
    return getApiKey(account, { name: "twin" });
  },
  "KP-NAME-TAKEN": async () => {
    const harness = await StackHarness.start();
    await harness.plane.state.createKey("deploy");
    return harness.createKey({ name: "deploy" });
  },
  "KP-ADOPT": async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.plane.state.createKey("by hand");
    const adopt = { id: String(id), key: (await harness.plane.state.createKey("another")).key };
    return resourceTypes.RotatingApiKey.create({ owner: OWNER, adopt }, harness.context);
  },
  "KP-CONFLICT": async () => {
    const { account, plane } = await startAccount();
    await plane.state.createKey("deploy");
    return account.keys.create("deploy");
  },
  "KP-RATE": () => listWith({ status: 429 }),
  "KP-API": () => listWith({ status: 400 }),
  "KP-ANSWER": () => listWith({ fault: "html" }),
  "KP-LIST-TOO-LONG": async () => {
    const entry = { name: "x".repeat(1_000_000) };
    const collected = new Collected("GET /projects");
    for (let page = 0; page < 1_000; page++) collected.take([entry]);
  },
  "KP-TRANSPORT": () => listWith({ fault: "reset" }),
  "KP-TIMEOUT": () => waitFor({ runningMs: null }),
  "KP-LOST": () => withRule({ route: "POST /api_keys", fault: "reset" }, (account) => account.keys.create("ci")),
  "KP-UNSETTLED": async () =>
    (await benchWithRule({ route: "POST /api_keys", fault: "reset" })).createKey({ name: "deploy" }),
  "KP-OPERATION": () => waitFor({ outcome: "failed" }),
  "KP-UNUSABLE": async () =>
    resourceTypes.RotatingApiKey.create({ owner: OWNER }, (await benchWithRule(failing)).context),
  "KP-NOT-READY": async () => resourceTypes.ApiKey.create({ owner: OWNER }, (await benchWithRule(failing)).context),
  "KP-REVOKE": async () => {
    const harness = await benchWithRule({ route: "DELETE /api_keys/{key_id}", skip: 1, status: 403 });
    const { id, outputs } = await harness.createKey();
    const orphan = await harness.plane.state.createKey("ci-orphan");
    return harness.deleteKey({ id, outputs: { ...outputs, pendingRevocations: [String(orphan.id)] } });
  },
  "KP-ABORTED": async () => getApiKeys((await startAccount()).account, { signal: AbortSignal.abort() }),
  "KP-INTERNAL": async () => {
    const create = () => Promise.reject(new TypeError("cannot read what is not there"));
    return adapt({ ...resourceTypes.ApiKey, create }).create({});
  },
};

const REMEDY =
  /\b(run|set|add|check|choose|pass|remove|correct|give|look|try|declare|use|report|see|ask|call|raise|next `pulumi up`|is keyplane:baseUrl)\b/i;

/** The code and the message of an error, as a user sees them. */
function shown(error: unknown): { readonly code: unknown; readonly message: string } {
  const { message, code = /\[(KP-[A-Z-]+)\]$/.exec(message)?.[1] } = error as Error & { code?: unknown };
  return { code, message };
}

describe("every error of the page can occur:", () => {
  test.each(Object.keys(ERRORS) as ErrorCode[])("%s, and its message says what to do", async (code) => {
    const met = await PROVOKED[code]().then(() => undefined, shown);
    expect(met?.code).toBe(code);
    // The end of the message without references.
    const end = (met?.message ?? "").replace(/( \[[^\]]+\])+$/, "").slice(-160);
    // Whoever sent the request resolves a lost answer, so there is nothing for a person to do yet.
    if (code !== "KP-LOST") expect(end).toMatch(REMEDY);
  });
});

describe("a run of Pulumi", () => {
  const inputs = { owner: OWNER, resourceUrn: "urn:pulumi:dev::proj::t::ci", rotateAfter: "soon" };

  test("shows the code of a wrong input or a missing setting after the message", async () => {
    const { failures } = (await adapt(resourceTypes.ApiKey).check?.({}, inputs)) ?? {};
    expect(failures).toEqual([
      { property: "", reason: expect.stringMatching(/^rotateAfter: must be .* \[KP-INPUT\]$/) },
    ]);
    const owner: Properties = { project: "proj", stack: "dev" };
    const { failures: settings } = (await adapt(resourceTypes.Owner).check?.({}, owner)) ?? {};
    expect(settings).toEqual([
      { property: "", reason: expect.stringMatching(/keyplane:baseUrl is not set.* \[KP-CONFIG\]$/) },
    ]);
  });

  test("ends with the name and the code of an error of a data source that the program does not catch", async () => {
    const error = await Promise.resolve()
      .then(PROVOKED["KP-CONFIG"])
      .catch((thrown: Error) => thrown);
    expect((error as Error).stack).toMatch(/^ConfigError \[KP-CONFIG\]: .*keyplane:baseUrl is not set/);
  });
});
