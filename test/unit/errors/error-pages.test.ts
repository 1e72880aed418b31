import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { type Account, Collected } from "../../../provider/api";
import { adapt } from "../../../provider/dynamic/adapter";
import { ERRORS, type ErrorCode } from "../../../provider/errors";
import { getApiKey, getApiKeys, waitForOperations } from "../../../provider/functions";
import { resourceTypes } from "../../../provider/resources/all";
import { resolveSettings } from "../../../provider/settings/settings";
import { ApiKey } from "../../../sdk/nodejs";
import { mustFindProvider } from "../../../sdk/nodejs/provider-here";
import type { ControlPlane, Rule } from "../../../testing/control-plane";
import { key, type Outcome, rotating, TestStack } from "../../engineless/test-stack";
import { DELETE, LIST, POST, PROJECTS } from "../../routes";
import { startAccount, stopAccounts } from "../api/start-account";

afterEach(stopAccounts);

/** A call of an account, with a rule that disturbs it. */
async function withRule<T>(rule: Rule, call: (account: Account, plane: ControlPlane) => Promise<T>): Promise<T> {
  const { account, plane } = await startAccount();
  await plane.rules.add({ count: null, ...rule });
  return call(account, plane);
}

/** A stack whose service disturbs its requests. */
async function stackWith(rule: Rule): Promise<TestStack> {
  const stack = await TestStack.start();
  await stack.plane.rules.add({ count: null, ...rule });
  return stack;
}

/** Throws what a run has shown at its resource. */
async function failing(run: Promise<Outcome>): Promise<void> {
  const { errors } = await run;
  if (errors.ci !== undefined) throw new Error(errors.ci);
}

const listWith = (rule: Omit<Rule, "route">) => withRule({ route: LIST, ...rule }, (account) => getApiKeys(account));
const unusable = { route: POST, operations: [{ action: "start_compute", outcome: "failed" }] };

/** A wait for an operation with this course. */
async function waitFor(course: { readonly outcome?: string; readonly runningMs?: null }): Promise<unknown> {
  const { account, plane } = await startAccount();
  const { id: projectId } = await plane.state.createProject();
  await plane.state.startOperations({ projectId, ...course });
  return waitForOperations(account, { projectId, operationTimeout: "1m" });
}

/** An action that causes each error. */
const PROVOKED: Readonly<Record<ErrorCode, () => Promise<unknown>>> = {
  "KP-CONFIG": async () => resolveSettings(() => undefined, {}),
  "KP-INPUT": async () => getApiKey((await startAccount()).account, {}),
  "KP-SEAL": async () => {
    const sealTo = { githubActions: { key: Buffer.alloc(32).toString("base64") } };
    return failing((await TestStack.start()).up({ ci: key({ sealTo }) }));
  },
  "KP-USAGE": async () => {
    const run = promisify(execFile)(process.execPath, ["dist/cli/main.js", "keys", "--json"], { env: {} });
    const { stdout } = await run.catch((failure: { stdout: string }) => failure);
    throw Object.assign(new Error(), JSON.parse(stdout).error);
  },
  "KP-IMPORT": async () => new ApiKey("ci", {}, { import: "7" }),
  "KP-NOT-INSTALLED": async () => mustFindProvider(tmpdir()),
  "KP-AUTH": async () => getApiKeys((await startAccount({ apiKey: "kp_of_somebody_else" })).account),
  "KP-WRONG-ACCOUNT": async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() });
    const { url: baseUrl, apiKey } = await stack.elsewhere();
    stack.settings = { baseUrl, apiKey };
    return failing(stack.refresh());
  },
  "KP-ID-MISMATCH": async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() });
    const id = String((await stack.plane.state.createKey("somebody-elses")).id);
    stack.resources = stack.resources.map((each) => ({ ...each, outputs: { ...each.outputs, keyId: id } }));
    return failing(stack.refresh());
  },
  "KP-SCOPE": async () =>
    failing((await stackWith({ route: POST, patch: { project_id: "quiet-shore-123456" } })).up({ ci: key() })),
  "KP-OWN-CREDENTIAL": async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() });
    stack.settings = { ...stack.settings, apiKey: String(stack.outputs().key) };
    return failing(stack.destroy());
  },
  "KP-NOT-FOUND": async () => getApiKey((await startAccount()).account, { name: "nobody's" }),
  "KP-AMBIGUOUS": async () => {
    const { account, plane } = await startAccount();
    await plane.state.switch({ uniqueNames: false });
    await Promise.all([plane.state.createKey("twin"), plane.state.createKey("twin")]);
    return getApiKey(account, { name: "twin" });
  },
  "KP-NAME-TAKEN": async () => {
    const stack = await TestStack.start();
    await stack.plane.state.createKey("deploy");
    return failing(stack.up({ ci: key({ name: "deploy" }) }));
  },
  "KP-ADOPT": async () => {
    const stack = await TestStack.start();
    const { id } = await stack.plane.state.createKey("by hand");
    const adopt = { id: String(id), key: (await stack.plane.state.createKey("another")).key };
    return failing(stack.up({ ci: rotating({ adopt }) }));
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
    const collected = new Collected(PROJECTS);
    for (let page = 0; page < 1_000; page++) collected.take([entry]);
  },
  "KP-TRANSPORT": () => listWith({ fault: "reset" }),
  "KP-TIMEOUT": () => waitFor({ runningMs: null }),
  "KP-LOST": () => withRule({ route: POST, fault: "reset" }, (account) => account.keys.create("ci")),
  "KP-UNSETTLED": async () =>
    failing((await stackWith({ route: POST, fault: "reset" })).up({ ci: key({ name: "deploy" }) })),
  "KP-OPERATION": () => waitFor({ outcome: "failed" }),
  "KP-UNUSABLE": async () => failing((await stackWith(unusable)).up({ ci: rotating() })),
  "KP-NOT-READY": async () => failing((await stackWith(unusable)).up({ ci: key() })),
  "KP-REVOKE": async () => {
    const stack = await stackWith({ route: DELETE, status: 400 });
    await stack.up({ ci: rotating() });
    return failing(stack.up({ ci: rotating({ revokeNow: stack.outputs().keyId }) }));
  },
  "KP-ABORTED": async () => getApiKeys((await startAccount()).account, { signal: AbortSignal.abort() }),
  "KP-INTERNAL": async () => {
    const rules = () => {
      throw new TypeError("cannot read what is not there");
    };
    return adapt({ ...resourceTypes.ApiKey, rules }).check?.({}, {});
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
  const resourceUrn = "urn:pulumi:dev::proj::t::ci";

  test("shows the code of a wrong input or a missing setting after the message", async () => {
    const { failures } = (await adapt(resourceTypes.ApiKey).check?.({}, { resourceUrn, rotateAfter: "soon" })) ?? {};
    expect(failures).toEqual([
      { property: "", reason: expect.stringMatching(/^rotateAfter: must be .* \[KP-INPUT\]$/) },
    ]);
    const { failures: settings } = (await adapt(resourceTypes.ApiKey).check?.({}, { resourceUrn })) ?? {};
    expect(settings).toEqual([{ property: "", reason: expect.stringMatching(/keyplane:baseUrl .* \[KP-CONFIG\]$/) }]);
  });

  test("ends with the name and the code of an error of a data source that the program does not catch", async () => {
    const error = await Promise.resolve()
      .then(PROVOKED["KP-CONFIG"])
      .catch((thrown: Error) => thrown);
    expect((error as Error).stack).toMatch(/^ConfigError \[KP-CONFIG\]: .*keyplane:baseUrl/);
  });
});
