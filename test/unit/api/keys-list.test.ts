import { afterEach, describe, expect, test } from "vitest";
import type { Rule } from "../../../testing/control-plane";
import { LIST } from "../../routes";
import { HOUR } from "../../times";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

describe("listing keys", () => {
  test("returns what the service reports, including the calling key with its own use", async () => {
    const { account, plane } = await startAccount();
    const { id } = await account.keys.create("ci-1");
    const keys = await account.keys.list();
    expect(keys).toHaveLength(2);
    expect(keys.find((each) => each.id === id)).toMatchObject({
      name: "ci-1",
      lastUsedAt: null,
      lastUsedFromAddr: null,
    });
    const own = keys.find((each) => each.id !== id);
    expect(own).toMatchObject({ lastUsedAt: expect.any(String), lastUsedFromAddr: expect.any(String) });
    expect(JSON.stringify(keys)).not.toContain(plane.apiKey);
  });

  test("shows the creator of a key on one line, without control and direction characters", async () => {
    const { account, plane } = await startAccount();
    const times = { created_at: "2026-01-01T00:00:00Z", last_used_at: "2026-01-01T00:00:00Z" };
    const creators = ["\u001b[2Jeve\u202e", { name: "\u009b31meve\u0007" }, { name: "", id: "e\u2028ve" }];
    const body = creators.map((created_by, at) => ({ id: at + 1, name: `key-${at}`, ...times, created_by }));
    await plane.rules.add({ route: LIST, status: 200, body });
    const made = (await account.keys.list()).map(({ createdBy }) => createdBy);
    expect(made).toEqual([" [2Jeve ", " 31meve ", "e ve"]);
  });

  test("shows no secret that the service repeats in a record", async () => {
    const { plane, account } = await startAccount();
    const { key } = await account.keys.create("ci");
    const headers = { authorization: `Bearer ${plane.apiKey}` };
    const records = (await (await fetch(`${plane.url}/api_keys`, { headers })).json()) as readonly object[];
    for (const text of [key, plane.apiKey, key.toUpperCase(), Buffer.from(key).toString("hex")]) {
      const body = JSON.stringify(records.map((each) => ({ ...each, name: `n-${text}`, created_by: { name: text } })));
      await plane.rules.add({ route: LIST, status: 200, body });
      expect(JSON.stringify(await account.keys.list({ fresh: true }))).not.toContain(text);
    }
  });

  test("neither lists nor finds a key that this process has revoked", async () => {
    const { account } = await startAccount();
    const [first, second] = [await account.keys.create("ci-1"), await account.keys.create("ci-2")];
    await account.keys.list();
    await account.keys.revoke(first.id);
    expect((await account.keys.list()).map(({ id }) => id)).not.toContain(first.id);
    expect([await account.keys.find(first.id), await account.keys.findInAny(first.id)]).toEqual([undefined, undefined]);
    expect(await account.keys.find(second.id)).toMatchObject({ id: second.id });
  });

  test("throws an error if the service fails, refuses or cannot be reached, and never reports a key as absent", async () => {
    const { account, plane } = await startAccount();
    await account.keys.list();
    for (const status of [500, 429, 401, 403]) {
      await plane.rules.add({ route: LIST, status, count: null });
      expect(await caught(account.keys.list({ fresh: true }))).toMatchObject({ status });
      await plane.rules.clear();
    }
    await plane.refuse();
    expect(await caught(account.keys.list({ fresh: true }))).toMatchObject({ kind: "transport" });
  });

  for (const status of [401, 403]) {
    test(`sends one list with a credential that the service never accepted and refuses with ${status}`, async () => {
      const { account, plane, clock } = await startAccount();
      await plane.rules.add({ route: LIST, status, count: null });
      const { keys } = account;
      const first = [keys.list(), keys.list({ fresh: true }), keys.find("1001")].map(caught);
      expect(await Promise.all(first)).toMatchObject(Array(3).fill({ kind: "auth", status }));
      const later = [keys.list(), keys.list({ fresh: true }), keys.find("1001")];
      expect(await Promise.all(later.map(caught))).toMatchObject(Array(3).fill({ kind: "auth", status }));
      expect(await plane.count()).toBe(1);
      // A process with inline programs outlives the run, and the user can have got the permission.
      await plane.rules.clear();
      await clock.sleep(31_000);
      expect(await keys.list()).toHaveLength(1);
    });

    test(`asks again after ${status} if the service has accepted the credential before`, async () => {
      const { account, plane } = await startAccount();
      const { id } = await account.keys.create("ci-1");
      await plane.rules.add({ route: LIST, status });
      expect(await caught(account.keys.list())).toMatchObject({ kind: "auth", status });
      expect(await account.keys.findInAny(id)).toMatchObject({ id });
    });
  }

  const rules: [string, Omit<Rule, "route">, string][] = [
    ["an object", { status: 200, body: { keys: [] } }, "is not an array"],
    ["null", { status: 200, body: "null", headers: { "content-type": "application/json" } }, "is not an array"],
    ["a page of HTML", { fault: "html" }, "not JSON"],
    ["half a list", { fault: "truncate-close", count: 3 }, "incomplete"],
    ["a list of texts", { status: 200, body: ["a"] }, "[0] is not an object"],
  ];
  for (const [name, rule, words] of rules) {
    test(`throws an error if the answer is ${name}`, async () => {
      const { account, plane } = await startAccount();
      await plane.rules.add({ route: LIST, ...rule });
      const error = await caught(account.keys.list());
      expect(error).toMatchObject({ kind: "bad_answer", code: "KP-ANSWER" });
      expect(error.message).toContain(words);
    });
  }

  test("throws an error if the answer is half a list of known length", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: LIST, fault: "truncate-length", count: 3 });
    expect(await caught(account.keys.list())).toMatchObject({ kind: "transport", code: "KP-TRANSPORT" });
  });

  const key = { id: 1, name: "a", created_at: "2026-01-01T00:00:00Z", last_used_at: "2026-01-01T00:00:00Z" };
  const lists: [string, object[], string][] = [
    ["an id that is listed twice", [key, { ...key, name: "b" }], "[1].id occurs twice in the list"],
    ["an id beyond 64 bits", [{ ...key, id: "9223372036854775808" }], "[0].id"],
    ["a name that is not text", [{ ...key, name: 1 }], "[0].name"],
    ["an invalid time", [{ ...key, created_at: "yesterday" }], "[0].created_at"],
    ["an invalid time of the last use", [{ ...key, last_used_at: "recently" }], "[0].last_used_at"],
    ["an empty list", [], "empty list"],
  ];
  for (const [name, body, words] of lists) {
    test(`${name} is an error, because nothing in the list can be trusted`, async () => {
      const { account, plane } = await startAccount();
      await plane.rules.add({ route: LIST, status: 200, body });
      expect((await caught(account.keys.list())).message).toContain(words);
    });
  }

  test("may show no use of any key, as that of a service that shows uses late", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: LIST, status: 200, body: [{ ...key, last_used_at: undefined }] });
    expect(await account.keys.list()).toMatchObject([{ id: "1", lastUsedAt: null }]);
  });

  test("never uses a list from before the caller's own creation as a proof of absence", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: LIST, hold: "after" });
    const early = account.keys.list();
    await plane.held.wait();
    const { id } = await account.keys.create("ci-1");
    const late = account.keys.list();
    await plane.held.release();
    expect((await early).map((each) => each.id)).not.toContain(id);
    expect((await late).map((each) => each.id)).toContain(id);
  });

  test("reuses a finished list for hours, but only until this process creates a key", async () => {
    const { account, plane, clock } = await startAccount();
    await account.keys.list();
    clock.advance(3 * HOUR);
    await account.keys.list();
    expect(await plane.count()).toBe(1);
    const { id } = await account.keys.create("ci-1");
    expect((await account.keys.list()).map((each) => each.id)).toContain(id);
    expect(await plane.count("GET", "/api_keys")).toBe(2);
  });

  test("reuses a list from before a revocation without the revoked key", async () => {
    const { account, plane } = await startAccount();
    const ids = [await account.keys.create("ci-1"), await account.keys.create("ci-2")].map((each) => each.id);
    const [first = "", second = ""] = ids;
    await account.keys.list();
    await account.keys.revoke(first);
    const listed = (await account.keys.list()).map((each) => each.id);
    expect(listed).not.toContain(first);
    expect(listed).toContain(second);
    expect(await account.keys.findInAny(first)).toBeUndefined();
    expect(await plane.count("GET", "/api_keys")).toBe(1);
  });

  test("looks up keys with one list, even if they are gone, and despite revocations in between", async () => {
    const { account, plane } = await startAccount();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await account.keys.create(`ci-${n}`)).id);
    await plane.state.revokeKey(ids[4] ?? "");
    for (const id of ids) {
      if ((await account.keys.findInAny(id)) !== undefined) await account.keys.revoke(id);
    }
    expect(await plane.count("GET", "/api_keys")).toBe(1);
    expect(await plane.count("DELETE")).toBe(4);
  });

  test("sends a fresh list after the call, even if another list is under way", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: LIST, hold: "after" });
    const early = account.keys.list({ fresh: true });
    await plane.held.wait();
    const { id } = await plane.state.createKey("by-somebody-else");
    const late = account.keys.list({ fresh: true });
    await plane.held.release();
    expect((await early).map((each) => each.id)).not.toContain(String(id));
    expect((await late).map((each) => each.id)).toContain(String(id));
    await account.keys.list({ fresh: true });
    expect(await plane.count()).toBe(3);
  });

  test("costs one request for any number of simultaneous readers", async () => {
    const { account, plane } = await startAccount();
    const lists = await Promise.all(Array.from({ length: 500 }, () => account.keys.list()));
    expect(new Set(lists).size).toBe(1);
    await Promise.all(Array.from({ length: 500 }, () => account.keys.list({ fresh: true })));
    expect(await plane.count()).toBe(2);
  });

  test("fails for all callers that share the request, and the next call sends a new one", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: LIST, status: 404 });
    const errors = await Promise.all([1, 2, 3].map(() => caught(account.keys.list())));
    expect(errors.map((each) => each.name)).toEqual(["ApiError", "ApiError", "ApiError"]);
    expect(await account.keys.list()).toHaveLength(1);
  });

  test("goes on for other callers if one gives up, and ends the request when the last one does", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: LIST, hold: "before", count: 2 });
    const first = new AbortController();
    const gone = caught(account.keys.list({ signal: first.signal }));
    const stays = account.keys.list();
    await plane.held.wait();
    first.abort();
    expect((await gone).name).toBe("AbortedError");
    await plane.held.release();
    expect(await stays).toHaveLength(1);
    const second = new AbortController();
    const alone = caught(account.keys.list({ fresh: true, signal: second.signal }));
    await plane.held.wait();
    second.abort();
    await alone;
    await plane.held.drop();
    expect(await account.keys.list({ fresh: true })).toHaveLength(1);
  });
});
