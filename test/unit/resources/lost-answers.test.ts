import { describe, expect, it, vi } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { diff } from "../../../provider/schema/diff";
import type { Properties } from "../../../provider/schema/outputs";
import { compareResource } from "../../../provider/session/compare-resource";
import { Session } from "../../../provider/session/session";
import type { Rule } from "../../../testing/control-plane";
import { failureOf, json, type Made, OTHER_OWNER, StackHarness } from "./harness";

const POST = "POST /api_keys";

/** All ways in which the answer to a POST can be lost after the request was sent. */
const LOST: readonly (readonly [string, Omit<Rule, "route">])[] = [
  ["a reset before the body was read", { fault: "reset-before-body" }],
  ["a reset without effect", { fault: "reset" }],
  ["a reset after the key was created", { fault: "reset", commit: "before" }],
  ["a close without effect", { fault: "close" }],
  ["a close after the key was created", { fault: "close", commit: "before" }],
  ["a close in the head of the answer", { fault: "close-in-head", commit: "before" }],
  ["a timeout without effect", { fault: "hang" }],
  ["a timeout after the key was created", { fault: "hang", commit: "before" }],
  ["a body shorter than announced", { fault: "truncate-length" }],
  ["a chunked body without its end", { fault: "truncate-chunked" }],
  ["a cut body that looks complete", { fault: "truncate-close" }],
  ["a body that stalls", { fault: "stall-body" }],
  ["bytes that are not an answer", { fault: "garbage", commit: "before" }],
  ["a page of HTML after the key was created", { fault: "html", commit: "before" }],
  ["a page of HTML without effect", { fault: "html", commit: "never" }],
  ["status 500 after the key was created", { status: 500, commit: "before" }],
  ["status 502 without effect", { status: 502 }],
  ["status 504 after the key was created", { status: 504, commit: "before" }],
  ["status 408 after the key was created", { status: 408, commit: "before" }],
];

describe("creating a key whose answer is lost", () => {
  it.each(LOST)("C4: ends with exactly one live key and requests no name twice after %s", async (_, rule) => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, ...rule });
    const { id, outputs, notReady } = await harness.createKey();
    expect(notReady).toBeUndefined();
    expect(await harness.liveIds()).toEqual([id]);
    expect(harness.names).toHaveLength(2);
    expect(new Set(harness.names).size).toBe(2);
    expect(await harness.postsThatMayCount()).toBe(2);
    expect(outputs.name).toBe(harness.names[1]);
    expect(await harness.account.keys.authenticates(String(outputs.key))).toBe(true);
  });
});

describe("a creation", () => {
  it("C3: requests the same name again if the request was never sent", async () => {
    const harness = await StackHarness.start();
    await harness.plane.refuse();
    harness.clock.meanwhile = () => harness.plane.accept();
    const { id, outputs } = await harness.createKey();
    expect(harness.clock.sleeps).toHaveLength(1);
    expect(harness.names).toEqual([outputs.name]);
    expect(await harness.liveIds()).toEqual([id]);
  });

  it.each([423, 429, 503])(
    "C12: requests the same name again after %i, which means that nothing was done",
    async (status) => {
      const harness = await StackHarness.start();
      await harness.plane.rules.add({ route: POST, status, count: 3, retryAfter: 2 });
      const { id, outputs } = await harness.createKey();
      expect(harness.names).toEqual([outputs.name]);
      expect(await harness.requests()).toEqual([POST, POST, POST, POST]);
      expect(await harness.liveIds()).toEqual([id]);
    },
  );

  it("C12: fails without a key, and says so, if every answer is 429", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, status: 429, count: null });
    expect((await failureOf(harness.createKey())).message).toMatch(/429 .*Nothing was changed/);
    expect(await harness.liveIds()).toEqual([]);
  });

  it.each([401, 403])(
    "C2: fails with a single request after %i, without a key and without the credential in the error",
    async (status) => {
      const harness = await StackHarness.start();
      await harness.plane.rules.add({ route: POST, status, count: null });
      const failure = await failureOf(harness.createKey());
      expect(failure.message).toContain("keyplane:apiKey");
      expect(`${failure.message}${failure.stack}`).not.toContain(harness.plane.apiKey);
      expect(await harness.requests()).toEqual([POST]);
    },
  );

  it("C4: looks for a lost key by name until the request cannot be under way any more, and then uses a new name", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close" });
    const before = harness.clock.monotonic();
    const { outputs } = await harness.createKey();
    expect(await harness.requests()).toEqual([POST, ...Array(7).fill("GET /api_keys"), POST]);
    expect(harness.clock.monotonic() - before).toBeGreaterThanOrEqual(30_000);
    expect(outputs.lostNames).toEqual([harness.names[0]]);
  });

  it("C5: revokes a late key while it still looks for it", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late", lateMs: 6_000 });
    const { id, outputs } = await harness.createKey();
    expect(await harness.liveIds()).toEqual([id]);
    expect(outputs.lostNames).toBeUndefined();
  });

  it("C5: leaves the name of an even later key to the ledger of its run, which revokes the key", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late" });
    const { id, outputs } = await harness.createKey();
    expect(outputs.lostNames).toHaveLength(1);
    await harness.plane.commitLate();
    expect(await harness.liveIds()).toHaveLength(2);
    await harness.sweep([id]);
    expect(await harness.liveIds()).toEqual([id]);
  });

  it.each([
    ["no id", { omit: ["id"] }],
    ["an id that is not a number", { patch: { id: "seven" } }],
    ["an id beyond 64 bits", { patch: { id: "9223372036854775808" } }],
    ["an id of 0", { patch: { id: 0 } }],
    ["no key", { omit: ["key"] }],
    ["an empty key", { patch: { key: "" } }],
    ["a key that no header can carry", { patch: { key: "a\r\nb" } }],
    ["a key that is not text", { patch: { key: 7 } }],
    ["no usable field", { omit: ["id", "key", "name", "created_at"] }],
  ] satisfies [string, Partial<Rule>][])(
    "C6: revokes the key of an answer with %s and creates another one",
    async (_, rule) => {
      const harness = await StackHarness.start();
      await harness.plane.rules.add({ route: POST, ...rule });
      const { id, outputs } = await harness.createKey();
      expect(await harness.liveIds()).toEqual([id]);
      expect(outputs.key).toMatch(/^kp_/);
      expect(new Set(harness.names).size).toBe(2);
    },
  );

  it.each([
    ["under its own name", "somebody-elses"],
    ["under the requested name", undefined],
  ])("C6: never revokes somebody else's key whose id is in an answer without a secret, %s", async (_, name) => {
    const harness = await StackHarness.start();
    const stranger = await harness.plane.state.createKey("somebody-elses");
    await harness.plane.rules.add({ route: POST, patch: { id: stranger.id, ...(name && { name }) }, omit: ["key"] });
    const { id } = await harness.createKey();
    expect(await harness.liveIds()).toEqual([String(stranger.id), id].sort());
  });

  it("C7: records an orphan that cannot be revoked, and the next update revokes it", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    await harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    const key = await harness.createKey();
    const [orphan] = (await harness.liveIds()).filter((id) => id !== key.id);
    expect(key.outputs.pendingRevocations).toEqual([orphan]);
    expect(harness.told.warn.join()).toContain(`key ${orphan}`);
    const updated = await harness.updateKey(key);
    expect(updated.outputs.pendingRevocations).toBeUndefined();
    expect(updated.outputs.key).toBe(key.outputs.key);
    expect(await harness.liveIds()).toEqual([key.id]);
  });

  it("C7: records an orphan that the service does not find yet, and the next update revokes it", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    vi.spyOn(harness.account.keys, "revoke").mockResolvedValueOnce("absent");
    const key = await harness.createKey();
    const [orphan] = (await harness.liveIds()).filter((id) => id !== key.id);
    expect(key.outputs.pendingRevocations).toEqual([orphan]);
    await harness.updateKey(key);
    expect(await harness.liveIds()).toEqual([key.id]);
  });

  it("C7: records its orphans if all attempts fail, so that a replacement revokes them", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before", count: 3 });
    await harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400, count: 3 });
    const failed = await harness.createKey();
    const live = await harness.liveIds();
    expect(live).toHaveLength(3);
    expect(failed.notReady).toContain(String(harness.names[2]));
    expect([failed.id]).toEqual([live[0]]);
    expect(failed.outputs.pendingRevocations).toEqual(live);
    expect(failed.outputs.pending).toEqual([{ action: "create", status: "failed" }]);
    const { id } = await harness.createKey();
    await harness.deleteKey(failed);
    expect(await harness.liveIds()).toEqual([id]);
  });

  it("C7: does not forget the orphan if it then fails for another reason", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    await harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    await harness.plane.rules.add({ route: POST, status: 403, count: null });
    const failed = await harness.createKey();
    expect([failed.id]).toEqual(await harness.liveIds());
    expect(failed.notReady).toContain("403");
  });

  it("C4: gives up after three names without an orphan", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before", count: null });
    const failure = await failureOf(harness.createKey());
    expect(failure.message).toContain(String(harness.names[2]));
    expect(await harness.postsThatMayCount()).toBe(3);
    expect(new Set(harness.names).size).toBe(3);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("C11: revokes its own lost key if that key has taken the name", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, status: 409, commit: "before" });
    const { id } = await harness.createKey();
    expect(await harness.liveIds()).toEqual([id]);
    expect(new Set(harness.names).size).toBe(2);
  });

  it("C11: fails if the service says that a name is taken that no key has, and records the name of the key to look for", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, status: 422, body: { message: "choose another unique name" } });
    const [failed, name] = [await harness.createKey(), String(harness.names[0])];
    expect(failed.notReady).toContain("choose another unique name");
    expect(failed).toMatchObject({ id: name, outputs: { lostNames: [name] } });
    expect(await harness.postsThatMayCount()).toBe(1);
  });

  it("C13: sends no further POST while the list is unavailable, and records the name of the key to look for", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    await harness.plane.rules.add({ route: "GET /api_keys", status: 500, count: null });
    const [failed, name] = [await harness.createKey(), String(harness.names[0])];
    expect(failed.notReady).toContain(`could not find out whether the key ${name} was created`);
    expect(failed).toMatchObject({ id: name, outputs: { lostNames: [name], pending: [{ status: "failed" }] } });
    expect(failed.outputs).not.toHaveProperty("keyId");
    expect(await harness.postsThatMayCount()).toBe(1);
    expect(await harness.readKey(failed)).toBe(failed.outputs);
    await harness.plane.rules.clear();
    await harness.deleteKey(failed);
    expect(await harness.liveIds()).toEqual([]);
  });
});

describe("a request that the service carries out long after its answer was lost", () => {
  const HOUR = 3_600_000;

  /** A key whose creation has left a lost request behind. */
  const withLost = async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late" });
    const made = await harness.createKey();
    expect(made.outputs).toMatchObject({ lostNames: [harness.names[0]] });
    return { harness, made };
  };
  const isDue = ({ outputs }: Made, now: number) =>
    diff(resourceTypes.ApiKey, outputs, json({ owner: outputs.owner }), { now, driftOnly: false, hasLedger: true });

  it("C5: makes the next run update the resource, which revokes the key with one list", async () => {
    const { harness, made } = await withLost();
    await harness.plane.commitLate();
    expect(isDue(made, harness.clock.now())).toMatchObject({ fields: ["lostNames"], replaces: [] });
    const { length } = await harness.requests();
    const updated = await harness.updateKey(made);
    expect(await harness.liveIds()).toEqual([made.id]);
    expect(await harness.requests(length)).toEqual(["GET /api_keys", "DELETE /api_keys/{key_id}"]);
    expect(harness.told.info.join()).toContain("which the service created after its answer was lost");
    expect(updated.outputs).not.toHaveProperty("lostNames");
    expect(isDue(updated, harness.clock.now()).changes).toBe(false);
  });

  it("C5: is looked for by every run of one hour, and then forgotten", async () => {
    const { harness, made } = await withLost();
    const { lostNames, lostAt } = made.outputs;
    await harness.clock.pass(HOUR - 60_000);
    const within = await harness.updateKey(made);
    expect(within.outputs).toMatchObject({ lostNames, lostAt });
    await harness.clock.pass(2 * 60_000);
    const after = await harness.updateKey(within);
    expect(after.outputs).not.toHaveProperty("lostNames");
    expect(after.outputs).not.toHaveProperty("lostAt");
  });

  it("C5: is revoked even after that hour if the run that forgets it finds it", async () => {
    const { harness, made } = await withLost();
    await harness.plane.commitLate();
    await harness.clock.pass(5 * HOUR);
    await harness.updateKey(made);
    expect(await harness.liveIds()).toEqual([made.id]);
  });

  it("C5: is reported if somebody used the key, and is not looked for any more", async () => {
    const { harness, made } = await withLost();
    await harness.plane.commitLate();
    const late = String((await harness.liveIds()).find((id) => id !== made.id));
    await harness.plane.state.useKey(late);
    const updated = await harness.updateKey(made);
    expect(await harness.liveIds()).toContain(late);
    expect(harness.told.warn.join()).toMatch(new RegExp(`key ${late} .*It stays live, because it was used`));
    expect(updated.outputs).not.toHaveProperty("lostNames");
  });

  it("C5: is looked for again if the key cannot be revoked", async () => {
    const { harness, made } = await withLost();
    await harness.plane.commitLate();
    await harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    await harness.clock.pass(5 * HOUR);
    const updated = await harness.updateKey(made);
    expect(updated.outputs.lostNames).toEqual(made.outputs.lostNames);
    await harness.updateKey(updated);
    expect(await harness.liveIds()).toEqual([made.id]);
  });

  it("C5: is looked for and revoked under another owner, too, because a renamed stack is the only one that knows of it", async () => {
    const { harness, made } = await withLost();
    const renamed = harness.beside({ owner: OTHER_OWNER });
    const first = await renamed.updateKey(made);
    expect(first.outputs).toMatchObject({ lostNames: made.outputs.lostNames });
    await harness.plane.commitLate();
    const second = await renamed.updateKey(first);
    expect(await harness.liveIds()).toEqual([made.id]);
    expect(second.outputs).not.toHaveProperty("lostNames");
  });

  it("C5: is recorded even if no key could be created, and the next run replaces that record", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late", count: 3 });
    const failed = await harness.createKey();
    expect(failed).toMatchObject({ id: harness.names[2], outputs: { lostNames: harness.names } });
    expect(isDue(failed, harness.clock.now()).replaces).toEqual(["pending"]);
    await harness.plane.commitLate();
    expect(await harness.liveIds()).toHaveLength(3);
    await harness.deleteKey(failed);
    expect(await harness.liveIds()).toEqual([]);
  });

  /** A resource without a key, and a comparison that replaces it by one with these inputs. */
  const replacing = async (others: Properties) => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late", count: 3 });
    const failed = await harness.createKey();
    const inputs = { owner: harness.identity, ...others };
    const session = new Session(() => {
      throw new Error("there is no engine");
    });
    compareResource(session, { type: resourceTypes.ApiKey, ...failed, inputs }, harness.context);
    return { harness, failed };
  };

  it("C5: is on record with the key that replaces that record, because the service can carry it out even later", async () => {
    const { harness, failed } = await replacing({});
    const made = await harness.createKey();
    expect(made.outputs).toMatchObject({ lostNames: failed.outputs.lostNames });
    await harness.deleteKey(failed);
    expect(harness.told.warn).toEqual([]);
    await harness.plane.commitLate();
    const updated = await harness.updateKey(made);
    expect(await harness.liveIds()).toEqual([made.id]);
    expect(updated.outputs).not.toHaveProperty("lostNames");
  });

  it("C5: is not on record with a key in another organization, and the last look for it says how to find its key", async () => {
    const { harness, failed } = await replacing({ organizationId: "org-local-1" });
    const made = await harness.createKey();
    expect(made.outputs).not.toHaveProperty("lostNames");
    await harness.deleteKey(failed);
    expect(harness.told.warn).toEqual([expect.stringContaining("run `npx keyplane sweep --owner")]);
  });
});
