import { describe, expect, it } from "vitest";
import { diff, kinds, type Properties } from "../../../provider/resources";
import type { Rule } from "../../kit/control-plane";
import { Bench, failureOf } from "./harness";

const LIST = "GET /api_keys";

/** A stack with one key that is older than the time in which a new key may be missing from the list. */
const withKey = async () => {
  const bench = await Bench.start();
  const key = await bench.createKey();
  await bench.clock.pass(120_000);
  const sent = (await bench.plane.log()).length;
  return { bench, key, sent };
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
  ] satisfies [string, Partial<Rule>][])("R1: answered by %s is an error, never an absence", async (_, rule) => {
    const { bench, key } = await withKey();
    await bench.plane.rules.add({ route: LIST, count: null, ...rule });
    await failureOf(bench.readKey(key));
    await bench.plane.rules.clear();
    expect(await bench.readKey(key)).toEqual(key.outputs);
  });

  it.each([
    ["an object", { status: 200, body: { keys: [] } }],
    ["null", { status: 200, body: "null" }],
    ["HTML", { fault: "html" }],
    ["half a list", { fault: "truncate-close" }],
    ["a record without an id", { status: 200, body: [{ name: "a", created_at: "2026-01-01T00:00:00Z" }] }],
    ["an id twice", { status: 200, body: twice() }],
  ] satisfies [string, Partial<Rule>][])("R2: answered with %s is an error, never an absence", async (_, rule) => {
    const { bench, key } = await withKey();
    await bench.plane.rules.add({ route: LIST, count: null, ...rule });
    expect((await failureOf(bench.readKey(key))).message).toContain("GET /api_keys");
  });

  it("R3: answered with an empty list is a contradiction: the key that asked must stand in it", async () => {
    const { bench, key } = await withKey();
    await bench.plane.rules.add({ route: LIST, page: "empty", count: null });
    expect((await failureOf(bench.readKey(key))).message).toContain("empty list");
  });

  it("R4: that is in no list any more tells that it is gone, once it does not work either", async () => {
    const { bench, key, sent } = await withKey();
    await bench.plane.state.revokeKey(key.id);
    expect(await bench.readKey(key)).toBeUndefined();
    expect(await bench.requests(sent)).toEqual([LIST, "GET /projects"]);
  });

  it("R4: that is younger than a minute is looked for twice before it is gone", async () => {
    const bench = await Bench.start();
    const key = await bench.createKey();
    await bench.plane.state.revokeKey(key.id);
    expect(await bench.readKey(key)).toBeUndefined();
    expect(await bench.requests(1)).toEqual([LIST, LIST, "GET /projects"]);
  });

  it("C7: that is gone is drift, but not forgotten while an orphan of its making is still to be revoked", async () => {
    const bench = await Bench.start();
    await bench.plane.rules.add({ route: "POST /api_keys", fault: "close", commit: "before" });
    await bench.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    const key = await bench.createKey();
    await bench.plane.state.revokeKey(key.id);
    const outputs = (await bench.beside({}).readKey(key)) ?? {};
    const inputs = { owner: bench.owner };
    const difference = diff(kinds.ApiKey, outputs, inputs, { now: bench.clock.now(), driftOnly: true });
    expect(difference).toMatchObject({ replaces: ["keyId"], deleteBeforeReplace: false });
    const { id } = await bench.createKey();
    await bench.deleteKey({ ...key, outputs });
    expect(await bench.liveIds()).toEqual([id]);
  });

  it("R4: that is young and only missing from the first list is still there", async () => {
    const bench = await Bench.start();
    const key = await bench.createKey();
    const other = await bench.plane.state.createKey("other");
    await bench.plane.rules.add({ route: LIST, status: 200, body: [listed(other.id, "other")] });
    expect(await bench.readKey(key)).toEqual(key.outputs);
  });

  it("R5: that is listed under another name is an error, because it is somebody else's", async () => {
    const { bench, key } = await withKey();
    await bench.plane.rules.add({ route: LIST, status: 200, body: [listed(Number(key.id), "re\u001b[2Jnamed")] });
    const failure = await failureOf(bench.readKey(key));
    expect(failure.message).toContain(`lists key ${key.id} as re [2Jnamed, but this stack recorded it as`);
  });

  it("R5: never takes another key of the same name for it", async () => {
    const { bench, key } = await withKey();
    await bench.plane.state.revokeKey(key.id);
    await bench.plane.state.createKey(String(key.outputs.name));
    expect(await bench.readKey(key)).toBeUndefined();
  });

  it("R6: shares no list that was sent before this process's own last change", async () => {
    const { bench, key } = await withKey();
    await bench.plane.rules.add({ route: LIST, hold: "after" });
    const early = bench.readKey(key);
    await bench.plane.held.wait();
    const made = await bench.createKey();
    // A young key would be looked for twice.
    await bench.clock.pass(120_000);
    const late = bench.readKey(made);
    await bench.plane.held.release();
    expect(await early).toEqual(key.outputs);
    expect(await late).toEqual(made.outputs);
  });

  it("R6: shares no list that was sent while the key was being made", async () => {
    const bench = await Bench.start();
    await bench.plane.rules.add({ route: "POST /api_keys", hold: "before" });
    const creating = bench.createKey();
    await bench.plane.held.wait();
    await bench.account.keys.list();
    await bench.plane.held.release();
    const { id } = await creating;
    expect((await bench.account.keys.list()).map((key) => key.id)).toContain(id);
  });

  it("R6: shares one list among a hundred keys", async () => {
    const bench = await Bench.start();
    const keys = await Promise.all(Array.from({ length: 100 }, () => bench.createKey()));
    await bench.clock.pass(120_000);
    const sent = (await bench.plane.log()).length;
    await Promise.all(keys.map((key) => bench.readKey(key)));
    expect(await bench.requests(sent)).toEqual([LIST]);
  });

  it("R7: keeps the secret of the state, and the time of creation as it was", async () => {
    const { bench, key } = await withKey();
    const times = { createdAt: "2020-02-02T00:00:00Z", rotateAt: "2020-05-02T00:00:00.000Z" };
    const outputs: Properties = { ...key.outputs, ...times };
    expect(await bench.readKey({ ...key, outputs })).toEqual(outputs);
    expect(outputs.key).toMatch(/^kp_/);
  });

  it("R7: never puts what changes by itself into the state", async () => {
    const { bench, key } = await withKey();
    await bench.plane.state.useKey(key.id);
    expect(await bench.readKey(key)).toEqual(key.outputs);
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
