import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { diff } from "../../../provider/schema/diff";
import type { Properties } from "../../../provider/schema/outputs";
import type { Rule } from "../../../testing/control-plane";
import { generatedName } from "../../generated-name";
import { failureOf, OWNER, StackHarness } from "./harness";

const LIST = "GET /api_keys";

/** A stack with one key that is older than the time in which a new key may be missing from the list. */
const withKey = async () => {
  const harness = await StackHarness.start();
  const key = await harness.createKey();
  await harness.clock.pass(120_000);
  const sent = (await harness.plane.log()).length;
  return { harness, key, sent };
};

describe("reading a key", () => {
  it.each([
    ["401", { status: 401 }],
    ["403", { status: 403 }],
    ["404", { status: 404 }],
    ["429", { status: 429 }],
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["a reset", { fault: "reset" }],
    ["a hang", { fault: "hang" }],
  ] satisfies [string, Partial<Rule>][])("R1: fails after %s, and never reports the key as absent", async (_, rule) => {
    const { harness, key } = await withKey();
    await harness.plane.rules.add({ route: LIST, count: null, ...rule });
    await failureOf(harness.readKey(key));
    await harness.plane.rules.clear();
    expect(await harness.readKey(key)).toEqual(key.outputs);
  });

  it.each([
    ["an object", { status: 200, body: { keys: [] } }],
    ["null", { status: 200, body: "null" }],
    ["HTML", { fault: "html" }],
    ["half a list", { fault: "truncate-close" }],
    ["a record without an id", { status: 200, body: [{ name: "a", created_at: "2026-01-01T00:00:00Z" }] }],
    ["an id twice", { status: 200, body: twice() }],
  ] satisfies [string, Partial<Rule>][])(
    "R2: fails if the answer is %s, and never reports the key as absent",
    async (_, rule) => {
      const { harness, key } = await withKey();
      await harness.plane.rules.add({ route: LIST, count: null, ...rule });
      expect((await failureOf(harness.readKey(key))).message).toContain("GET /api_keys");
    },
  );

  it("R3: fails if the list is empty, because it must contain the calling key", async () => {
    const { harness, key } = await withKey();
    await harness.plane.rules.add({ route: LIST, page: "empty", count: null });
    expect((await failureOf(harness.readKey(key))).message).toContain("empty list");
  });

  it("R4: reports the key as gone if it is not listed and does not work", async () => {
    const { harness, key, sent } = await withKey();
    await harness.plane.state.revokeKey(key.id);
    expect(await harness.readKey(key)).toBeUndefined();
    expect(await harness.requests(sent)).toEqual([LIST, "GET /projects"]);
    // The preview after it shows only that the resource is to be created.
    expect(harness.told.warn).toEqual([
      `key ${key.id} (${key.outputs.name}) is gone from the account. The next \`pulumi up\` creates a new key`,
    ]);
  });

  it("R4: looks twice for a key that is younger than a minute before it reports the key as gone", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey();
    await harness.plane.state.revokeKey(key.id);
    expect(await harness.readKey(key)).toBeUndefined();
    expect(await harness.requests(1)).toEqual([LIST, LIST, ...Array(5).fill("GET /projects")]);
  });

  it("R4: does not take a new key for gone that is not known to the whole service yet", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey();
    await harness.plane.state.createKey("newest");
    // The newest key is the first one in a list.
    await harness.plane.rules.add({ route: LIST, lacks: 1, count: 2 });
    await harness.plane.rules.add({ route: "GET /projects", status: 401, count: 2 });
    expect(await failureOf(harness.readKey(key))).toMatchObject({ code: "KP-ANSWER" });
  });

  it("C7: reports a missing key as drift, but keeps it while an orphan of its creation must be revoked", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: "POST /api_keys", fault: "close", commit: "before" });
    await harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    const key = await harness.createKey();
    await harness.plane.state.revokeKey(key.id);
    const outputs = (await harness.beside({}).readKey(key)) ?? {};
    const inputs = { owner: harness.owner };
    const difference = diff(resourceTypes.ApiKey, outputs, inputs, {
      now: harness.clock.now(),
      driftOnly: true,
      hasLedger: true,
    });
    expect(difference).toMatchObject({ replaces: ["keyId"], deleteBeforeReplace: false });
    const { id } = await harness.createKey();
    await harness.deleteKey({ ...key, outputs });
    expect(await harness.liveIds()).toEqual([id]);
  });

  it.each(["ApiKey", "RotatingApiKey"] as const)(
    "R4: keeps a missing %s while the key of a lost request may still appear",
    async (kind) => {
      const { context, plane, identity } = await StackHarness.start();
      const type = resourceTypes[kind];
      const { id, outputs } = await type.create({ owner: identity }, context);
      await plane.state.revokeKey(Number(outputs.keyId));
      const lost = { lostNames: [generatedName("ci", OWNER)], lostAt: new Date(context.now()).toISOString() };
      expect(await type.read(id, outputs, context)).toBeUndefined();
      expect(await type.read(id, { ...outputs, ...lost }, context)).toMatchObject(lost);
    },
  );

  it("R4: keeps a young key that is only missing from the first list", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey();
    const other = await harness.plane.state.createKey("other");
    await harness.plane.rules.add({ route: LIST, status: 200, body: [listed(other.id, "other")] });
    expect(await harness.readKey(key)).toEqual(key.outputs);
  });

  it("R5: fails if the id is listed under another name, because the key belongs to somebody else", async () => {
    const { harness, key } = await withKey();
    await harness.plane.rules.add({ route: LIST, status: 200, body: [listed(Number(key.id), "re\u001b[2Jnamed")] });
    const failure = await failureOf(harness.readKey(key));
    expect(failure.message).toContain(`lists key ${key.id} as re [2Jnamed, but this stack recorded it as`);
  });

  it("R5: never mistakes another key with the same name for the key", async () => {
    const { harness, key } = await withKey();
    await harness.plane.state.revokeKey(key.id);
    await harness.plane.state.createKey(String(key.outputs.name));
    expect(await harness.readKey(key)).toBeUndefined();
  });

  it("R6: uses no list that was requested before the last change of this process", async () => {
    const { harness, key } = await withKey();
    await harness.plane.rules.add({ route: LIST, hold: "after" });
    const early = harness.readKey(key);
    await harness.plane.held.wait();
    const made = await harness.createKey();
    // For a young key, the read would send two lists.
    await harness.clock.pass(120_000);
    const late = harness.readKey(made);
    await harness.plane.held.release();
    expect(await early).toEqual(key.outputs);
    expect(await late).toEqual(made.outputs);
  });

  it("R6: uses no list that was requested while the key was being created", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: "POST /api_keys", hold: "before" });
    const creating = harness.createKey();
    await harness.plane.held.wait();
    await harness.account.keys.list();
    await harness.plane.held.release();
    const { id } = await creating;
    expect((await harness.account.keys.list()).map((key) => key.id)).toContain(id);
  });

  it("R6: shares one list among a hundred keys", async () => {
    const harness = await StackHarness.start();
    const keys = await Promise.all(Array.from({ length: 100 }, () => harness.createKey()));
    await harness.clock.pass(120_000);
    const sent = (await harness.plane.log()).length;
    await Promise.all(keys.map((key) => harness.readKey(key)));
    expect(await harness.requests(sent)).toEqual([LIST]);
  });

  it("R7: keeps the secret and the creation time of the state", async () => {
    const { harness, key } = await withKey();
    const times = { createdAt: "2020-02-02T00:00:00Z", rotateAfter: "90d", rotateAt: "2020-05-02T00:00:00.000Z" };
    const outputs: Properties = { ...key.outputs, ...times };
    expect(await harness.readKey({ ...key, outputs })).toEqual(outputs);
    expect(outputs.key).toMatch(/^kp_/);
  });

  it("R7: never puts values that change by themselves into the state", async () => {
    const { harness, key } = await withKey();
    await harness.plane.state.useKey(key.id);
    expect(await harness.readKey(key)).toEqual(key.outputs);
    expect(Object.keys(key.outputs)).not.toContain("lastUsedAt");
  });
});

function listed(id: number, name: string): object {
  const at = "2026-01-01T00:00:00Z";
  return { id, name, created_at: at, last_used_at: at, last_used_from_addr: "127.0.0.1" };
}

function twice(): object[] {
  return [listed(7, "a"), listed(7, "b")];
}
