import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, describe, expect, test } from "vitest";
import type { Account } from "../../../provider/api";
import {
  getApiKey,
  getApiKeys,
  getOperation,
  getOperations,
  getProject,
  getProjects,
  listOperations,
  waitForOperations,
} from "../../../provider/functions";
import { checkCall } from "../../../provider/functions/args";
import type { DiagnosticMessage } from "../../../provider/http/diagnostics";
import { LIST_OPERATIONS, PROJECTS } from "../../routes";
import { startAccount, stopAccounts } from "../api/start-account";
import { caught } from "../http/caught";

afterEach(stopAccounts);

const UUID = "00000000-0000-4000-8000-000000000000";

test.each<[unknown, string | undefined]>([
  [{ id: "1", account: "eu", signal: new AbortController().signal, onWarning: () => {} }, undefined],
  [{ id: "1", bogus: undefined }, undefined],
  [null, "the arguments: must be an object"],
  [["1"], "the arguments: must be an object"],
  [{ organisationId: "o" }, "organisationId: is not an argument of getApiKey"],
  [{ onProgress: () => {} }, "onProgress: is not an argument of getApiKey"],
  [{ account: 5 }, "account: must be a string"],
  [{ signal: 5 }, "signal: must be an AbortSignal"],
  [{ onWarning: "log" }, "onWarning: must be a function"],
])("a call with %j is refused before it is made, unless its arguments can be right", (args, problem) => {
  const call = () => checkCall("getApiKey", args);
  if (problem === undefined) expect(call).not.toThrow();
  else expect(call).toThrow(problem);
});

/** A name with more letters and digits in a row than other texts can have without being taken for a secret. */
const LONG = `ci${"0123456789".repeat(5)}`;

describe("getApiKey and getApiKeys", () => {
  test("find keys by id and by name, and never show a secret", async () => {
    const { account, plane } = await startAccount();
    const { id, key } = await account.keys.create("ci-1");
    expect(await getApiKey(account, { id })).toMatchObject({ id, name: "ci-1" });
    expect(await getApiKey(account, { name: "ci-1" })).toMatchObject({ id });
    const long = await account.keys.create(LONG);
    expect(await getApiKey(account, { name: LONG })).toMatchObject({ id: long.id, name: LONG });
    const all = JSON.stringify(await getApiKeys(account));
    for (const secret of [key, plane.apiKey]) expect(all).not.toContain(secret);
  });

  test("find the keys of an organization in its own list, with the project that they are limited to", async () => {
    const { account, plane } = await startAccount();
    const organizationId = "org-local-1";
    const { id: projectId } = await plane.state.createProject();
    const { id } = await account.keysOf(organizationId).create("ci-1", { projectId });
    expect(await getApiKeys(account, { organizationId })).toMatchObject([{ id, projectId }]);
    expect(await getApiKey(account, { organizationId, name: "ci-1" })).toMatchObject({ id });
    await account.keysOf(organizationId).create("all", {});
    expect(await getApiKey(account, { organizationId, name: "all" })).toHaveProperty("projectId", null);
    expect(await caught(getApiKey(account, { organizationId, name: "ci-2" }))).toMatchObject({ kind: "not_found" });
    const before = await plane.count();
    expect(await caught(getApiKeys(account, { organizationId: "../users" }))).toMatchObject({ kind: "input" });
    expect(await plane.count()).toBe(before);
  });

  test("find a key that somebody else has just created", async () => {
    const { account, plane } = await startAccount();
    await getApiKeys(account);
    await plane.state.createKey("by-hand");
    expect(await getApiKey(account, { name: "by-hand" })).toMatchObject({ lastUsedAt: null });
  });

  test("refuse to choose between keys with the same name, and list their ids", async () => {
    const { account, plane } = await startAccount();
    await plane.state.switch({ uniqueNames: false });
    const ids = [(await plane.state.createKey("twin")).id, (await plane.state.createKey("twin")).id];
    const error = await caught(getApiKey(account, { name: "twin" }));
    expect(error).toMatchObject({ kind: "conflict" });
    for (const id of ids) expect(error.message).toContain(String(id));
  });

  test("do not repeat the name or id that they did not find, because it can be a secret", async () => {
    const { account } = await startAccount();
    for (const args of [{ name: "hunter-2" }, { id: "20240817" }]) {
      const error = await caught(getApiKey(account, args));
      expect(error).toMatchObject({ kind: "not_found" });
      expect(error.message).toMatch(/^no API key in the account has the given (id|name)\. Check the argument/);
      expect(error.stack).not.toMatch(/hunter-2|20240817/);
    }
  });
});

describe("getProjects and getProject", () => {
  test("find projects by id and by name", async () => {
    const { account, plane } = await startAccount();
    const { id } = await plane.state.createProject({ name: "calm" });
    expect((await getProjects(account)).map((each) => each.id)).toContain(id);
    // A secret in place of an id is not repeated.
    const misplaced = `kp${"0123456789abcdef".repeat(4)}`;
    const error = await caught(getProject(account, { id: misplaced }));
    expect(error).toMatchObject({ code: "KP-INPUT", message: expect.not.stringContaining(misplaced) });
    expect(await getProject(account, { id })).toMatchObject({ id, name: "calm" });
    expect(await getProject(account, { name: "calm" })).toMatchObject({ id });
    const long = await plane.state.createProject({ name: LONG });
    expect(await getProject(account, { name: LONG })).toMatchObject({ id: long.id, name: LONG });
    expect(await caught(getProject(account, { id: "no-such-project" }))).toMatchObject({
      kind: "not_found",
      message: expect.stringMatching(/^no project in the account has the id no-such-project\. Check the argument id/),
    });
  });

  test("read the projects of an organization", async () => {
    const { account, plane } = await startAccount({}, { switches: { organizationRequired: true }, projects: [] });
    const { id } = await plane.state.createProject({ name: "calm" });
    const organizationId = "org-local-1";
    expect(await getProjects(account, { organizationId })).toMatchObject([{ id }]);
    expect(await getProject(account, { name: "calm", organizationId })).toMatchObject({ id });
    expect(await getProject(account, { id })).toMatchObject({ name: "calm" });
    for (const lacking of [getProjects(account), getProject(account, { name: "calm" })]) {
      expect(await caught(lacking)).toMatchObject({
        code: "KP-INPUT",
        message: expect.stringMatching(/^organizationId: /),
      });
    }
    expect(await caught(getProject(account, { name: "other", organizationId }))).toMatchObject({
      message: expect.stringContaining("in the given organization"),
    });
  });

  test("refuse to choose between projects with the same name", async () => {
    const { account, plane } = await startAccount();
    for (const _ of [1, 2]) await plane.state.createProject({ name: "twin" });
    expect(await caught(getProject(account, { name: "twin" }))).toMatchObject({ kind: "conflict" });
  });

  test("warn the caller and not the account about projects that could not be read", async () => {
    const { account, plane, warnings } = await startAccount();
    const patch = { unavailable_project_ids: ["calm-lake-1"] };
    await plane.rules.add({ route: PROJECTS, count: null, patch });
    await plane.rules.add({ route: "GET /projects/{project_id}", count: null, status: 404 });
    const heard: string[] = [];
    await getProjects(account, { onWarning: (message) => heard.push(message) });
    expect(heard).toHaveLength(1);
    expect(warnings).toEqual([]);
    expect(await caught(getProject(account, { id: "calm-lake-1" }))).toMatchObject({ kind: "api" });
  });
});

describe("operations", () => {
  async function start() {
    const setup = await startAccount();
    await setup.plane.clock.set({ mode: "auto", stepMs: 1000 });
    const { id: projectId } = await setup.plane.state.createProject();
    await setup.plane.clock.advance(60_000);
    const { ids } = await setup.plane.state.startOperations({
      projectId,
      count: 3,
      gapMs: 1000,
      action: "apply_config",
    });
    return { ...setup, projectId, ids };
  }

  test("are listed by the given filters, at once or one by one", async () => {
    const { account, projectId, ids } = await start();
    const some = await getOperations(account, { projectId, action: "apply_config", limit: 2 });
    expect(some.map((each) => each.id)).toEqual([...ids].reverse().slice(0, 2));
    const since = some[1]?.createdAt;
    expect(await getOperations(account, { projectId, since, action: "apply_config" })).toHaveLength(2);
    const seen: string[] = [];
    for await (const each of listOperations(account, { projectId, action: ["apply_config"] })) seen.push(each.id);
    expect(seen).toEqual([...ids].reverse());
  });

  test("are read no further if nobody takes the next one", async () => {
    const { account, plane, projectId } = await start();
    const before = await plane.count();
    for await (const _ of listOperations(account, { projectId })) break;
    expect((await plane.count()) - before).toBe(1);
  });

  test("are requested ahead after half of a page, and an error of that request is thrown in its turn", async () => {
    const { account, plane, projectId } = await start();
    await plane.rules.add({ route: LIST_OPERATIONS, skip: 1, count: null, status: 404 });
    let sent = 0;
    const count = (message: unknown) => {
      if ((message as DiagnosticMessage).point === "before-send") sent += 1;
    };
    subscribe("keyplane:provider", count);
    const requests: number[] = [];
    const read = async () => {
      for await (const _ of listOperations(account, { projectId })) {
        // A request is sent within these turns of the event loop.
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
        requests.push(sent);
      }
    };
    try {
      expect(await caught(read())).toMatchObject({ kind: "not_found" });
    } finally {
      unsubscribe("keyplane:provider", count);
    }
    // The creation of the project started two more.
    expect(requests).toEqual([1, 1, 1, 2, 2]);
  });

  test("can be read one by one and waited for", async () => {
    const { account, projectId, ids } = await start();
    const [operationId = ""] = ids;
    expect(await getOperation(account, { projectId, operationId })).toMatchObject({ id: operationId });
    const ended = await waitForOperations(account, { projectId, operationIds: ids });
    expect(ended.map((each) => [each.id, each.status])).toEqual(ids.map((id) => [id, "finished"]));
  });

  test("are all waited for if none is named, with the given interval and timeout", async () => {
    const { account, plane, projectId, ids, clock } = await start();
    const ended = await waitForOperations(account, { projectId, pollInterval: "7s" });
    expect(ended.map((each) => each.id).sort()).toEqual([...ids].sort());
    expect(new Set(clock.sleeps)).toEqual(new Set([7000]));
    await plane.state.startOperations({ projectId, runningMs: null });
    const error = await caught(waitForOperations(account, { projectId, operationTimeout: "20s" }));
    expect(error).toMatchObject({ kind: "timeout", elapsedMs: 20_000 });
  });
});

describe("arguments", () => {
  const bad: [string, string, (account: Account) => Promise<unknown>][] = [
    ["neither id nor name", "id", (account) => getApiKey(account, {})],
    ["both id and name", "name", (account) => getApiKey(account, { id: "1", name: "a" })],
    ["an invalid key id", "id", (account) => getApiKey(account, { id: "1x" })],
    ["an empty name", "name", (account) => getProject(account, { name: "" })],
    ["an id that changes the path", "id", (account) => getProject(account, { id: "../api_keys" })],
    ["an invalid organization", "organizationId", (account) => getProjects(account, { organizationId: "../x" })],
    ["no project", "projectId", (account) => getOperations(account, { projectId: "" })],
    ["an invalid time", "since", (account) => getOperations(account, { projectId: "p", since: "yesterday" })],
    [
      "a time that does not exist",
      "since",
      (account) => getOperations(account, { projectId: "p", since: "2026-13-01" }),
    ],
    ["a limit of 0", "limit", (account) => getOperations(account, { projectId: "p", limit: 0 })],
    ["a fractional limit", "limit", (account) => getOperations(account, { projectId: "p", limit: 1.5 })],
    ["an empty status", "status", (account) => getOperations(account, { projectId: "p", status: [""] })],
    ["an invalid operation", "operationId", (account) => getOperation(account, { projectId: "p", operationId: "7" })],
    [
      "one bad id among good ones",
      "operationIds[1]",
      (account) => waitForOperations(account, { projectId: "p", operationIds: [UUID, "x"] }),
    ],
    [
      "a duration without a unit",
      "operationTimeout",
      (account) => waitForOperations(account, { projectId: "p", operationTimeout: "90" }),
    ],
    [
      "a time that no timer can wait",
      "operationTimeout",
      (account) => waitForOperations(account, { projectId: "p", operationTimeout: "25d" }),
    ],
    [
      "a duration in months",
      "pollInterval",
      (account) => waitForOperations(account, { projectId: "p", pollInterval: "1mo" }),
    ],
  ];
  for (const [name, argument, call] of bad) {
    test(`with ${name} are refused as ${argument}, before any request`, async () => {
      const { account, plane } = await startAccount();
      const error = await caught(call(account));
      expect(error).toMatchObject({ name: "InputError", kind: "input", argument });
      expect(error.message.startsWith(`${argument}: `)).toBe(true);
      expect(await plane.count()).toBe(0);
    });
  }

  test("with an aborted signal end every function without a request", async () => {
    const { account, plane } = await startAccount();
    const signal = AbortSignal.abort();
    const projectId = "calm-lake-1";
    const calls: Promise<unknown>[] = [
      getApiKeys(account, { signal }),
      getApiKey(account, { name: "a", signal }),
      getProjects(account, { signal }),
      getProject(account, { id: "a", signal }),
      getOperations(account, { projectId, signal }),
      getOperation(account, { projectId, operationId: UUID, signal }),
      waitForOperations(account, { projectId, signal }),
      waitForOperations(account, { projectId, operationIds: [UUID], signal }),
    ];
    const errors = await Promise.all(calls.map(caught));
    expect(errors.map((each) => each.name)).toEqual(calls.map(() => "AbortedError"));
    expect(await plane.count()).toBe(0);
  });
});
