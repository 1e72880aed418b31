import { afterEach, describe, expect, it } from "vitest";
import type { AnswerLostError } from "../../../provider/errors";
import { redact } from "../../../provider/secrets";
import type { Fault } from "../../../testing/control-plane";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

const CREATE = "POST /api_keys";

describe("creating a key", () => {
  it("takes one request and delivers id, secret, name and time", async () => {
    const { account, plane } = await startAccount();
    const created = await account.keys.create("ci-1");
    const [live] = await plane.liveKeys();
    expect(created).toMatchObject({ id: String(live?.id), name: "ci-1", createdAt: live?.createdAt, operations: [] });
    expect(await plane.secretsEverIssued()).toContain(created.key);
    expect(await plane.count()).toBe(1);
  });

  const faults: Fault[] = [
    "close-in-head",
    "reset",
    "close",
    "truncate-length",
    "truncate-chunked",
    "truncate-close",
    "garbage",
    "html",
  ];
  for (const fault of faults) {
    it(`C4: loses its answer to ${fault} after the commit, and says so instead of making a second key`, async () => {
      const { account, plane, clock } = await startAccount();
      await plane.rules.add({ route: CREATE, fault, commit: "before" });
      const error = await caught<AnswerLostError>(account.keys.create("ci-1"));
      expect(error).toMatchObject({ name: "AnswerLostError", sentAt: clock.now() });
      expect(await plane.count("POST", "/api_keys")).toBe(1);
      expect((await plane.liveKeys()).map((each) => each.name)).toEqual(["ci-1"]);
      const secrets = await plane.secretsEverIssued();
      for (const secret of secrets) expect(`${error.message} ${error.stack}`).not.toContain(secret);
    });
  }

  it("C3: is sent again, under the same name, while nothing listens", async () => {
    const { account, plane } = await startAccount();
    await plane.refuse(20);
    // The driven clock skips the pauses, so the attempts may all meet the closed door: only then it may fail.
    const outcome = await account.keys.create("ci-1").catch((error) => error.transportCode);
    if (typeof outcome === "string") expect(outcome).toBe("ECONNREFUSED");
    expect(await plane.liveKeys()).toHaveLength(typeof outcome === "string" ? 0 : 1);
  });

  for (const status of [423, 429, 503]) {
    it(`C12: is sent again after ${status}, which is no second key`, async () => {
      const { account, plane } = await startAccount();
      await plane.rules.add({ route: CREATE, status, count: 3, retryAfter: 2 });
      await account.keys.create("ci-1");
      expect(await plane.liveKeys()).toHaveLength(1);
      expect(await plane.count("POST", "/api_keys")).toBe(4);
    });
  }

  it("C2: fails at once without a valid credential, naming the setting", async () => {
    const { account, plane } = await startAccount({ apiKey: "not-a-valid-credential" });
    const error = await caught(account.keys.create("ci-1"));
    expect(error).toMatchObject({ kind: "auth", status: 401, code: "KP-AUTH" });
    expect(error.message).toContain("keyplane:apiKey");
    expect(error.message).not.toContain("not-a-valid-credential");
    expect(await plane.count()).toBe(1);
  });

  it("C11: tells a taken name from other refusals", async () => {
    const { account, plane } = await startAccount();
    await plane.state.createKey("ci-1");
    expect(await caught(account.keys.create("ci-1"))).toMatchObject({ kind: "conflict" });
  });

  it("C11: knows a taken name by the service's words where the status does not tell", async () => {
    const { account, plane } = await startAccount();
    const body = { code: "", message: "choose another unique name for api key" };
    await plane.rules.add({ route: CREATE, status: 400, body });
    expect(await caught(account.keys.create("ci-1"))).toMatchObject({ kind: "conflict", status: 400 });
  });

  it("C6: takes an answer without a secret for lost", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: CREATE, omit: ["key"] });
    expect(await caught(account.keys.create("ci-1"))).toMatchObject({ name: "AnswerLostError" });
  });

  const bad: [string, object][] = [
    ["without an id", { id: null }],
    ["with a negative id", { id: -1 }],
    ["with an id that is no number", { id: "twelve" }],
    ["with a fractional id", { id: 1.5 }],
    ["with an id beyond 64 bits", { id: "9223372036854775808" }],
  ];
  for (const [name, patch] of bad) {
    it(`C6: takes an answer ${name} for lost: its id would name another key`, async () => {
      const { account, plane } = await startAccount();
      await plane.rules.add({ route: CREATE, patch: { ...patch } });
      expect(await caught(account.keys.create("ci-1"))).toMatchObject({ name: "AnswerLostError" });
    });
  }

  it("reads an id to its last digit, as text or as a number that a double cannot hold", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: CREATE, patch: { id: "9223372036854775807" } });
    expect((await account.keys.create("ci-1")).id).toBe("9223372036854775807");
    const body =
      '{"id":9007199254740993,"key":"kp_secret","name":"ci \\"9007199254740995\\"","created_at":"2026-01-01T00:00:00Z"}';
    await plane.rules.add({ route: CREATE, status: 200, body });
    expect(await account.keys.create("ci-2")).toMatchObject({ id: "9007199254740993", name: 'ci "9007199254740995"' });
  });

  for (const key of ["", "two words", "line\nbreak", "schlüssel", 12, null]) {
    it(`C6: takes an answer with the secret ${JSON.stringify(key)} for lost`, async () => {
      const { account, plane } = await startAccount();
      await plane.rules.add({ route: CREATE, patch: { key } });
      expect(await caught(account.keys.create("ci-1"))).toMatchObject({ name: "AnswerLostError" });
    });
  }

  it("takes the time from the Date header where the answer has none", async () => {
    const { account, plane } = await startAccount();
    await plane.clock.set({ mode: "driven" });
    const { now } = await plane.clock.read();
    await plane.rules.add({ route: CREATE, omit: ["created_at", "name"] });
    const { createdAt, name } = await account.keys.create("ci-1");
    expect(Date.parse(createdAt)).toBe(Math.floor(now / 1000) * 1000);
    expect(name).toBe("ci-1");
  });

  it("delivers the operations that the creation has started", async () => {
    const { account, plane } = await startAccount();
    const { id } = await plane.state.createProject();
    await plane.rules.add({ route: CREATE, operations: [{ action: "start_compute", projectId: id }] });
    const { operations } = await account.keys.create("ci-1");
    expect(operations).toMatchObject([{ projectId: id, action: "start_compute" }]);
  });

  it("does not lose the key for operations that cannot be read, but warns", async () => {
    const { account, plane, warnings } = await startAccount();
    await plane.rules.add({ route: CREATE, patch: { operations: [{ id: 7 }, "x"] } });
    const created = await account.keys.create("ci-1");
    expect(created.operations).toEqual([]);
    expect(warnings).toHaveLength(2);
  });

  it("keeps the new secret out of every later error", async () => {
    const { account, plane } = await startAccount();
    const { key } = await account.keys.create("ci-1");
    await plane.rules.add({
      route: CREATE,
      status: 400,
      body: { code: "", message: `bad ${key.slice(0, 20)}- ${key}` },
    });
    expect((await caught(account.keys.create("ci-2"))).message).not.toContain(key);
    expect(redact(`it is ${key}`)).toBe("it is [secret]");
  });
});

describe("trying a key", () => {
  it("tells a key that works from one that does not, giving a new one some seconds to be known", async () => {
    const { account, plane, clock } = await startAccount();
    const { key } = await account.keys.create("ci-1");
    await plane.rules.add({ route: "GET /projects", status: 401, count: 2 });
    expect(await account.keys.authenticates(key)).toBe(true);
    expect(clock.sleeps).toEqual([500, 1000]);
    expect(await account.keys.authenticates("wrong-key-0123456789")).toBe(false);
    const [live] = await plane.liveKeys();
    expect(live?.lastUsedAt).not.toBeNull();
  });

  it("does not take a failing service for a failing key", async () => {
    const { account, plane } = await startAccount();
    await plane.rules.add({ route: "GET /projects", status: 500, count: 3 });
    expect(await caught(account.keys.authenticates("some-key-0123456789"))).toMatchObject({ status: 500 });
  });
});
