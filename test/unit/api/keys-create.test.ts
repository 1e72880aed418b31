import { afterEach, describe, expect, test } from "vitest";
import type { AnswerLostError } from "../../../provider/errors";
import { POST, PROJECTS } from "../../routes";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

describe("creating a key", () => {
  test("takes one request and returns id, secret, name and time", async () => {
    const { account, plane } = await startAccount();
    const created = await account.keys.create("ci-1");
    const [live] = await plane.liveKeys();
    expect(created).toMatchObject({ id: String(live?.id), name: "ci-1", createdAt: live?.createdAt, operations: [] });
    expect(await plane.secretsEverIssued()).toContain(created.key);
    expect(await plane.count()).toBe(1);
  });

  test("reports an answer that is lost after the commit, creates no second key, and shows no secret", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: POST, fault: "truncate-length", commit: "before" });
    const error = await caught<AnswerLostError>(account.keys.create("ci-1"));
    expect(error).toMatchObject({ name: "AnswerLostError" });
    expect((await plane.liveKeys()).map((each) => each.name)).toEqual(["ci-1"]);
    const secrets = await plane.secretsEverIssued();
    for (const secret of secrets) expect(`${error.message} ${error.stack}`).not.toContain(secret);
  });

  test("distinguishes a taken name from other refusals", async () => {
    const { account, plane } = await startAccount();
    await plane.state.createKey("ci-1");
    expect(await caught(account.keys.create("ci-1"))).toMatchObject({ kind: "conflict" });
  });

  test("recognizes a taken name by the service's message if the status does not show it", async () => {
    const { account, plane } = await startAccount();
    const body = { code: "", message: "choose another unique name for api key" };
    await plane.rules.add({ route: POST, status: 400, body });
    expect(await caught(account.keys.create("ci-1"))).toMatchObject({ kind: "conflict", status: 400 });
  });

  test.each<[string, object]>([
    ["no id", { id: null }],
    ["a negative id", { id: -1 }],
    ["an id that is not a number", { id: "twelve" }],
    ["a fractional id", { id: 1.5 }],
    ["an id beyond 64 bits", { id: "9223372036854775808" }],
    ...["", "two words", "line\nbreak", "schlüssel", 12, null].map((key): [string, object] => {
      return [`the secret ${JSON.stringify(key)}`, { key }];
    }),
  ])("treats an answer with %s as lost, because the id could belong to another key", async (_, patch) => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: POST, patch: { ...patch } });
    expect(await caught(account.keys.create("ci-1"))).toMatchObject({ name: "AnswerLostError" });
  });

  test("reads every digit of an id, from text or from a number that a double cannot hold", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: POST, patch: { id: "9223372036854775807" } });
    expect((await account.keys.create("ci-1")).id).toBe("9223372036854775807");
    const body =
      '{"id":9007199254740993,"key":"kp_secret","name":"ci \\"9007199254740995\\"","created_at":"2026-01-01T00:00:00Z"}';
    await plane.rules.add({ route: POST, status: 200, body });
    const name = 'ci "9007199254740995"';
    expect(await account.keys.create(name)).toMatchObject({ id: "9007199254740993", name });
  });

  test("treats the answer to another request as lost, because its key belongs to that one", async () => {
    const { account, plane } = await startAccount();
    const { id, key, name } = await account.keys.create("ci-1");
    await plane.rules.add({ route: POST, patch: { id: Number(id), key, name } });
    const failure = await caught(account.keys.create("ci-2"));
    expect(failure).toMatchObject({ name: "AnswerLostError" });
    expect(String(failure)).not.toContain(key);
  });

  test("accepts a name in another case, or without the spaces around it", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: POST, patch: { name: "CI-1" } });
    expect(await account.keys.create(" ci-1 ")).toMatchObject({ name: "CI-1" });
  });

  test("takes the time from the Date header if the answer has none", async () => {
    const { account, plane } = await startAccount();
    await plane.clock.set({ mode: "driven" });
    const { now } = await plane.clock.read();
    await plane.rules.add({ route: POST, omit: ["created_at", "name"] });
    const { createdAt, name } = await account.keys.create("ci-1");
    expect(Date.parse(createdAt)).toBe(Math.floor(now / 1000) * 1000);
    expect(name).toBe("ci-1");
  });

  test("returns the operations that the creation started", async () => {
    const { account, plane } = await startAccount();
    const { id } = await plane.state.createProject();
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", projectId: id }] });
    const { operations } = await account.keys.create("ci-1");
    expect(operations).toMatchObject([{ projectId: id, action: "start_compute" }]);
  });

  test("returns the key with a warning if the operations cannot be read", async () => {
    const { account, plane, warnings } = await startAccount();
    await plane.rules.add({ route: POST, patch: { operations: [{ id: 7 }, "x"] } });
    const created = await account.keys.create("ci-1");
    expect(created.operations).toEqual([]);
    expect(warnings).toHaveLength(2);
  });

  test("removes the new secret from every later error", async () => {
    const { account, plane } = await startAccount();
    const { key } = await account.keys.create("ci-1");
    await plane.rules.add({
      route: POST,
      status: 400,
      body: { code: "", message: `bad ${key.slice(0, 20)}- ${key}` },
    });
    expect((await caught(account.keys.create("ci-2"))).message).not.toContain(key);
  });
});

describe("trying a key", () => {
  test("shows whether the key works, and gives a new key a few seconds to be known", async () => {
    const { account, plane, clock } = await startAccount();
    const { key } = await account.keys.create("ci-1");
    await plane.rules.add({ route: PROJECTS, status: 401, count: 2 });
    expect(await account.keys.authenticates(key)).toBe(true);
    expect(clock.sleeps).toEqual([500, 1000]);
    expect(await account.keys.authenticates("wrong-key-0123456789")).toBe(false);
    const [live] = await plane.liveKeys();
    expect(live?.lastUsedAt).not.toBeNull();
  });

  test.each([302, 408, 500])("throws the error after a %j, which says nothing about the key", async (status) => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: PROJECTS, status, count: null });
    expect(await caught(account.keys.authenticates("some-key-0123456789"))).toMatchObject({ status });
  });
});
