import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { check } from "../../../provider/schema/check";
import type { Properties } from "../../../provider/schema/outputs";
import type { Command, Context } from "../../../provider/schema/resource-type";
import type { Rule } from "../../../testing/control-plane";
import { RECIPIENTS } from "../../recipients";
import { failureOf, json, type Made, OTHER_OWNER, OWNER, StackHarness } from "./harness";
import { SavedState, urnOf } from "./saved-state";

const DELETE = "DELETE /api_keys/{key_id}";
const LIST = "GET /api_keys";

const withKey = async () => {
  const harness = await StackHarness.start();
  const key = await harness.createKey();
  const sent = (await harness.plane.log()).length;
  return { harness, key, sent };
};

/** From now on, lists lack the newest key, and no deletion finds its key. */
const hideNewest = async ({ plane }: StackHarness) => {
  // The newest key is the first one in a list.
  await plane.rules.add({ route: LIST, lacks: 0, count: null });
  await plane.rules.add({ route: DELETE, status: 404, count: null });
};

describe("deleting a key", () => {
  it("costs one request, and one list for all deletions together, which confirms the names of the ids", async () => {
    const harness = await StackHarness.start();
    const keys = [await harness.createKey(), await harness.createKey(), await harness.createKey()];
    const sent = (await harness.plane.log()).length;
    await Promise.all(keys.map((key) => harness.deleteKey(key)));
    expect((await harness.requests(sent)).sort()).toEqual([DELETE, DELETE, DELETE, LIST]);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("requests a second list and the revocation by id if the list lacks the key", async () => {
    const { harness, key, sent } = await withKey();
    await harness.plane.state.revokeKey(key.id);
    await harness.clock.pass(300_000);
    await harness.deleteKey(key);
    expect(await harness.requests(sent)).toEqual([LIST, LIST, DELETE, "GET /projects"]);
  });

  it("is not skipped for a new key that is not listed yet", async () => {
    const { harness, key } = await withKey();
    const [admin] = (await harness.context.keys().list()).filter(({ id }) => id !== key.id);
    const body = [
      { id: Number(admin?.id), name: "admin", created_at: admin?.createdAt, last_used_at: admin?.lastUsedAt },
    ];
    const later = harness.beside({});
    later.context.keys().find = async () => undefined;
    await harness.plane.rules.add({ route: LIST, status: 200, body });
    await later.deleteKey(key);
    expect(await harness.liveIds()).toEqual([]);
  });

  it.each([0, 300_000])(
    "is not done for a key that the service finds nowhere, but that works, after %d ms",
    async (ms) => {
      const { harness, key } = await withKey();
      await harness.clock.pass(ms);
      await hideNewest(harness);
      expect((await failureOf(harness.deleteKey(key))).message).toContain("does not list key");
      await harness.plane.rules.clear();
      await harness.deleteKey(key);
      expect(await harness.liveIds()).toEqual([]);
    },
  );

  it("is done when the minute of a new key is over that the service finds nowhere yet, and that nobody can try", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ sealTo: RECIPIENTS[0] });
    await hideNewest(harness);
    harness.clock.meanwhile = () => harness.plane.rules.clear();
    await harness.beside({}).deleteKey(key);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("ends after that minute for a new key that is gone, and at once for another one", async () => {
    for (const [age, waits] of [
      [0, true],
      [61_000, false],
    ] as const) {
      const harness = await StackHarness.start();
      const key = await harness.createKey({ sealTo: RECIPIENTS[0] });
      await harness.plane.state.revokeKey(key.id);
      await harness.clock.pass(age);
      const before = harness.clock.now();
      await harness.beside({}).deleteKey(key);
      expect(harness.clock.now() - before > 50_000).toBe(waits);
    }
  });

  it("also revokes what its creation left, when the service must know it", async () => {
    const { harness, key } = await withKey();
    const left = await harness.createKey();
    await hideNewest(harness);
    harness.clock.meanwhile = () => harness.plane.rules.clear();
    const saved = { ...key, outputs: { ...key.outputs, pendingRevocations: [left.id] } };
    const { outputs } = await harness.beside({}).updateKey(saved);
    expect(outputs.pendingRevocations).toBeUndefined();
    expect(await harness.liveIds()).toEqual([key.id]);
  });

  it("touches nothing if the list shows the id under another name, because the key belongs to somebody else", async () => {
    const { harness, key } = await withKey();
    const stranger = await harness.plane.state.createKey("somebody-elses");
    const mistaken = { id: String(stranger.id), outputs: { ...key.outputs, keyId: String(stranger.id) } };
    for (const verb of [() => harness.deleteKey(mistaken), () => harness.readKey(mistaken)]) {
      const failure = await failureOf(verb());
      expect(failure.message).toMatch(
        new RegExp(`lists key ${stranger.id} as somebody-elses, but .* ${key.outputs.name}`),
      );
    }
    expect(await harness.liveIds()).toEqual([key.id, String(stranger.id)]);
  });

  it("D1: is tried again if the request was never sent", async () => {
    const { harness, key } = await withKey();
    await harness.plane.refuse();
    harness.clock.meanwhile = () => harness.plane.accept();
    await harness.deleteKey(key);
    expect(await harness.liveIds()).toEqual([]);
  });

  it.each([
    ["a reset without effect", { fault: "reset" }],
    ["a reset after the key was revoked", { fault: "reset", commit: "before" }],
    ["a timeout after the key was revoked", { fault: "hang", commit: "before" }],
    ["half an answer", { fault: "truncate-length" }],
    ["HTML", { fault: "html", commit: "before" }],
    ["status 500 without effect", { status: 500 }],
    ["status 504 after the key was revoked", { status: 504, commit: "before" }],
    ["status 408 after the key was revoked", { status: 408, commit: "before" }],
  ] satisfies [string, Partial<Rule>][])("D2: succeeds in the end if the answer is lost to %s", async (_, rule) => {
    const { harness, key } = await withKey();
    await harness.plane.rules.add({ route: DELETE, ...rule });
    await harness.deleteKey(key);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("D2: fails without any answer while the list still shows the key, so that the key stays in the state", async () => {
    const { harness, key } = await withKey();
    await harness.plane.rules.add({ route: DELETE, fault: "close", count: null });
    expect((await failureOf(harness.deleteKey(key))).message).toContain(`DELETE /api_keys/${key.id} at `);
  });

  it.each([404, 410, 400, 422])(
    "D3: succeeds after the answer %i if the list does not show the key",
    async (status) => {
      const { harness, key } = await withKey();
      await harness.context.keys().list();
      const sent = (await harness.plane.log()).length;
      await harness.plane.state.revokeKey(key.id);
      await harness.plane.rules.add({ route: DELETE, status });
      await harness.clock.pass(61_000);
      await harness.deleteKey(key);
      expect(await harness.requests(sent)).toEqual([DELETE, LIST, "GET /projects"]);
    },
  );

  it.each([404, 410, 400, 422])("D3: fails after the answer %i while the list shows the key", async (status) => {
    const { harness, key } = await withKey();
    await harness.plane.rules.add({ route: DELETE, status, count: null });
    expect((await failureOf(harness.deleteKey(key))).message).toContain(String(status));
  });

  it("D3: fails if the list cannot be read, even if the service does not find the key", async () => {
    const { harness, key } = await withKey();
    await harness.context.keys().list();
    await harness.plane.state.revokeKey(key.id);
    await harness.plane.rules.add({ route: LIST, status: 500, count: null });
    expect((await failureOf(harness.deleteKey(key))).message).toMatch(/404.*The list of keys could not be read either/);
  });

  it.each([
    ["says that the key is not revoked", { patch: { revoked: false } }],
    ["is about another key", { patch: { id: 7 } }],
  ] satisfies [string, Partial<Rule>][])("D4: fails if the answer %s while the key is listed", async (_, rule) => {
    const { harness, key } = await withKey();
    await harness.plane.rules.add({
      route: DELETE,
      status: 200,
      body: { id: Number(key.id), revoked: true, ...rule.patch },
    });
    expect((await failureOf(harness.deleteKey(key))).message).toContain(`key ${key.id}`);
    expect(await harness.liveIds()).toEqual([key.id]);
  });

  it("D5: succeeds again after a crash that lost the first result (I13)", async () => {
    const { harness, key } = await withKey();
    await harness.deleteKey(key);
    await harness.deleteKey(key);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("D5: sends one request for a key of two resources that are deleted at the same moment", async () => {
    const { harness, key, sent } = await withKey();
    await harness.context.keys().list();
    await Promise.all([harness.deleteKey(key), harness.deleteKey(key)]);
    expect(await harness.requests(sent)).toEqual([LIST, DELETE]);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("D6: fails with the name of the setting if it is refused with 401, and the key stays in the state", async () => {
    const { harness, key } = await withKey();
    await harness.plane.rules.add({ route: DELETE, fault: "close" });
    await harness.plane.rules.add({ route: DELETE, status: 401, count: null });
    expect((await failureOf(harness.deleteKey(key))).message).toContain("keyplane:apiKey");
  });

  it("D7: is refused before any request if keyplane authenticates with the key", async () => {
    const { harness, key, sent } = await withKey();
    const self = harness.beside({ apiKey: String(key.outputs.key) });
    const failure = await failureOf(self.deleteKey(key));
    expect(failure.message).toMatch(/lock keyplane out. Set keyplane:apiKey to another key/);
    expect(failure.message).not.toContain(String(key.outputs.key));
    expect(await harness.requests(sent)).toEqual([]);
  });

  it("D9: also revokes the keys that the creation of an unready key left behind", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: "POST /api_keys", fault: "close", commit: "before", count: 2 });
    await harness.plane.rules.add({ route: DELETE, status: 400, count: 2 });
    await harness.plane.rules.add({
      route: "POST /api_keys",
      operations: [{ action: "apply_config", runningMs: null }],
    });
    const key = await harness.createKey({ operationTimeout: "10s" });
    expect(key.notReady).toBeDefined();
    expect(await harness.liveIds()).toHaveLength(3);
    await harness.deleteKey(key);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("D9: fails as long as one of the keys left behind is live, so that the next run tries again", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: "POST /api_keys", fault: "close", commit: "before" });
    await harness.plane.rules.add({ route: DELETE, status: 400 });
    const key = await harness.createKey();
    const [orphan] = key.outputs.pendingRevocations as string[];
    await harness.plane.rules.add({ route: `DELETE /api_keys/${orphan}`, status: 400 });
    expect((await failureOf(harness.deleteKey(key))).message).toContain(`key ${orphan}`);
    await harness.deleteKey(key);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("D9: revokes an orphan of the creation even if revokeOnDelete keeps the key itself", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: "POST /api_keys", fault: "close", commit: "before" });
    await harness.plane.rules.add({ route: DELETE, status: 400 });
    const key = await harness.createKey({ revokeOnDelete: false });
    await harness.deleteKey(key);
    expect(await harness.liveIds()).toEqual([key.id]);
  });

  it("leaves the key live and says so if revokeOnDelete is false", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ revokeOnDelete: false });
    await harness.deleteKey(key);
    expect(await harness.liveIds()).toEqual([key.id]);
    expect(harness.told.info.join()).toContain("stays live");
  });

  it("says it once in a destroy, and reports the key as no leftover", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ revokeOnDelete: false });
    await harness.deleteKey(key);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([key.id]);
    const told = [...harness.told.info, ...harness.told.warn].filter((text) => text.includes(key.id));
    expect(told).toEqual([expect.stringMatching(/ stays live, because revokeOnDelete is false$/)]);
  });

  it("C14: leaves the key live and says so if the state was copied to this stack", async () => {
    const { harness, key } = await withKey();
    const copy = harness.beside({ owner: OTHER_OWNER });
    const adopted = await copy.updateKey(key);
    await copy.deleteKey(adopted);
    expect(await harness.liveIds()).toEqual([key.id]);
    expect(copy.told.warn.join()).toContain("another stack");
  });

  it("C14: gives one reason if a key with revokeOnDelete: false is that of another stack", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ revokeOnDelete: false });
    const copy = harness.beside({ owner: OTHER_OWNER });
    check(resourceTypes.ApiKey, { owner: OTHER_OWNER }, copy.context);
    await copy.deleteKey({ id: key.id, outputs: { ...key.outputs, revokeOnDelete: false } });
    expect(await harness.liveIds()).toEqual([key.id]);
    expect(copy.told.info).toEqual([]);
    expect(copy.told.warn).toEqual([expect.stringMatching(`another stack.*\`npx keyplane revoke ${key.id}\`$`)]);
  });

  it.each([
    ["ApiKey", resourceTypes.ApiKey],
    ["RotatingApiKey", resourceTypes.RotatingApiKey],
  ])("C14: leaves the key live in the first run with a copied state, which replaces the %s", async (_, kind) => {
    const harness = await StackHarness.start();
    const { id, outputs } = await kind.create({ owner: OWNER }, harness.context);
    const copy = harness.beside({ owner: OTHER_OWNER });
    check(kind, { owner: OTHER_OWNER }, copy.context);
    await kind.delete(id, json({ ...outputs, pendingRevocations: [outputs.keyId] }), copy.context);
    expect(await harness.liveIds()).toEqual([outputs.keyId]);
    expect(copy.told.warn.join()).toContain("another stack");
    const same = harness.beside({});
    check(kind, { owner: OWNER }, same.context);
    await kind.delete(id, outputs, same.context);
    expect(await harness.liveIds()).toEqual([]);
  });

  it.each([
    ["ApiKey", resourceTypes.ApiKey, 1],
    ["RotatingApiKey", resourceTypes.RotatingApiKey, 3],
  ])("C14: names all keys of an %s that a copied state deletes and does not revoke", async (_, kind, count) => {
    const harness = await StackHarness.start();
    const { id, outputs } = await kind.create({ owner: OWNER }, harness.context);
    const left = await Promise.all(Array.from({ length: count }, () => harness.createKey()));
    const copy = harness.beside({ owner: OTHER_OWNER });
    check(kind, { owner: OTHER_OWNER }, copy.context);
    const [pending, ...retired] = left.map((key) => key.id);
    const lists = { pendingRevocations: [pending], retired, compromised: retired.slice(1) };
    await kind.delete(id, json({ ...outputs, ...lists }), copy.context);
    const ids = [outputs.keyId, ...left.map((key) => key.id)].sort();
    expect(await harness.liveIds()).toEqual(ids);
    const named = ids.filter((each) => copy.told.warn.join("\n").includes(`run \`npx keyplane revoke ${each}\``));
    expect(named).toEqual(ids);
  });

  it("C14: names each orphan once, and no lost name, if a copied state deletes a resource without a key", async () => {
    const harness = await StackHarness.start();
    const { rules } = harness.plane;
    await rules.add({ route: "POST /api_keys", fault: "close", commit: "before", count: 3 });
    await rules.add({ route: DELETE, status: 400, count: 3 });
    const orphaned = await harness.createKey();
    await rules.clear();
    await rules.add({ route: "POST /api_keys", fault: "close", count: 3 });
    const lost = await harness.createKey();
    const orphans = await harness.liveIds();
    const copy = harness.beside({ owner: OTHER_OWNER });
    check(resourceTypes.ApiKey, { owner: OTHER_OWNER }, copy.context);
    await copy.deleteKey(orphaned);
    await copy.deleteKey(lost);
    expect(await harness.liveIds()).toEqual(orphans);
    const named = copy.told.warn.flatMap((text) => /`npx keyplane revoke (\S+)`/.exec(text)?.[1] ?? []);
    expect(named.sort()).toEqual(orphans);
  });

  it("C14: leaves pending revocations of a copied state to the original stack", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: "POST /api_keys", fault: "close", commit: "before" });
    await harness.plane.rules.add({ route: DELETE, status: 400 });
    const key = await harness.createKey();
    const copy = harness.beside({ owner: OTHER_OWNER });
    const adopted = await copy.updateKey(key);
    expect(adopted.outputs.pendingRevocations).toBeUndefined();
    expect(await harness.liveIds()).toHaveLength(2);
  });
});

describe("in another account than the one with the key,", () => {
  /** A stack with a key, and a stack at an empty control plane. */
  const twoAccounts = async () => {
    const { harness, key } = await withKey();
    const elsewhere = await StackHarness.start();
    await elsewhere.clock.pass(300_000);
    return { harness, key, elsewhere };
  };

  it("D8: deleting a missing key fails, because the key may be live in its own account", async () => {
    const { harness, key, elsewhere } = await twoAccounts();
    expect((await failureOf(elsewhere.deleteKey(key))).message).toMatch(/has no key of this stack/);
    expect(await harness.liveIds()).toEqual([key.id]);
  });

  it("D8: reading a missing key fails, and the key does not count as gone", async () => {
    const { key, elsewhere } = await twoAccounts();
    expect((await failureOf(elsewhere.readKey(key))).message).toContain("keyplane:apiKey");
  });

  it("D8: somebody else's key with the same id is neither revoked nor mistaken for the key", async () => {
    const { key, elsewhere } = await twoAccounts();
    const stranger = await elsewhere.plane.state.createKey("a stranger's");
    expect(String(stranger.id)).toBe(key.id);
    expect((await failureOf(elsewhere.deleteKey(key))).message).toContain("has no key of this stack");
    expect((await failureOf(elsewhere.readKey(key))).message).toContain("has no key of this stack");
    expect(await elsewhere.liveIds()).toEqual([key.id]);
  });

  it("D8: the same account under a new credential is recognized by another key of the stack", async () => {
    const { harness, key } = await withKey();
    await harness.createKey();
    const admin = await harness.plane.state.createKey("new admin");
    const later = harness.beside({ apiKey: admin.key });
    await harness.plane.state.revokeKey(key.id);
    await harness.clock.pass(300_000);
    expect(await later.readKey(key)).toBeUndefined();
    await later.deleteKey(key);
  });

  it("D8: a key of another stack does not prove the account", async () => {
    const { harness, key } = await withKey();
    await harness.beside({ owner: OTHER_OWNER }).createKey();
    const admin = await harness.plane.state.createKey("new admin");
    await harness.plane.state.revokeKey(key.id);
    const later = harness.beside({ apiKey: admin.key });
    await failureOf(later.deleteKey(key));
  });

  it("D8: an existing key is revoked under any credential, and a read records the new one", async () => {
    const { harness, key } = await withKey();
    const admin = await harness.plane.state.createKey("new admin");
    const later = harness.beside({ apiKey: admin.key });
    const outputs = await later.readKey(key);
    expect(outputs?.owner).toBe(later.identity);
    expect(outputs?.owner).not.toBe(key.outputs.owner);
    await later.deleteKey({ ...key, outputs: outputs ?? {} } satisfies Made);
    expect(await harness.liveIds()).toEqual([String(admin.id)]);
  });

  it("under another credential, a key that two lists lack is not forgotten while it works", async () => {
    const { harness, key } = await withKey();
    await harness.createKey();
    const admin = await harness.plane.state.createKey("new admin");
    const later = harness.beside({ apiKey: admin.key });
    // The newest key is the first one in a list.
    const rule = await harness.plane.rules.add({ route: LIST, lacks: 2, count: null });
    expect((await failureOf(later.deleteKey(key))).message).toContain("does not list key");
    await harness.plane.rules.remove(rule.id);
    await harness.beside({ apiKey: admin.key }).deleteKey(key);
    expect(await harness.liveIds()).not.toContain(key.id);
  });

  it("a key with the same id and exact name of another deployment of the program is not revoked", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ name: "exact" });
    await harness.clock.pass(60_000);
    const away = await harness.elsewhere();
    const { id } = await away.plane.state.createKey("exact");
    expect(String(id)).toBe(key.id);
    const error = await failureOf(away.deleteKey(key));
    expect(error).toMatchObject({ code: "KP-WRONG-ACCOUNT" });
    expect(await away.liveIds()).toEqual([key.id]);
  });
});

describe("deleting a replaced key by a command that can leave a consumer with it", () => {
  const URN = urnOf("ApiKey", "ci");
  const BEFORE = { modified: "2026-01-01T00:00:00Z" };
  const AFTER = { modified: "2026-01-03T00:00:00Z" };

  const HOOK = { resourceHooks: { AfterUpdate: ["restart"] } };

  /** A key with a successor in the state. */
  const replaced = async (command: Partial<Command> = {}, context: Parameters<typeof StackHarness.start>[0] = {}) => {
    const harness = await StackHarness.start({
      urn: URN,
      command: () => ({ isInDoubt: true, isLimited: true, isDestroy: false, ...command }),
      ...context,
    });
    const old = await harness.createKey();
    const successor = await harness.createKey();
    return { harness, old, successor };
  };
  const consumer = (times: Properties) => ({
    ...{ id: "x", type: "ProjectReady", name: "app" },
    engine: { propertyDependencies: { key: [URN] }, ...times },
  });
  const save = ({ harness, old, successor }: Awaited<ReturnType<typeof replaced>>, saved = harness.save(), more = {}) =>
    saved
      .add({ ...old, engine: { delete: true } })
      .add({ ...successor, engine: { created: "2026-01-02T00:00:00Z", ...more } });

  it("fails while one was not updated since, which the error names, and the key stays in the state", async () => {
    const stack = await replaced();
    const { harness, old } = stack;
    save(stack).add(consumer(BEFORE));
    await expect(harness.deleteKey(old)).rejects.toThrow(/because "app" may still have it: .*Run `pulumi up` without/);
    expect(await harness.liveIds()).toContain(old.id);
  });

  it("revokes it once each was updated", async () => {
    const stack = await replaced();
    const { harness, old, successor } = stack;
    save(stack).add(consumer(AFTER));
    await harness.deleteKey(old);
    expect(await harness.liveIds()).toEqual([successor.id]);
  });

  it.each([false, true])(
    "fails while its successor does not work, unless a destroy deletes both: %j",
    async (isDestroy) => {
      const stack = await replaced({ isDestroy });
      const { harness, old, successor } = stack;
      const engine = { created: "2026-01-02T00:00:00Z", initErrors: ["not ready"] };
      harness
        .save()
        .add({ ...old, engine: { delete: true } })
        .add({ ...successor, engine });
      const deleting = harness.deleteKey(old);
      if (isDestroy) await deleting;
      else await expect(deleting).rejects.toThrow(/because "ci" may still have it/);
      expect((await harness.liveIds()).includes(old.id)).toBe(!isDestroy);
    },
  );

  it("looks at the state again if the one that the run shares is too old", async () => {
    const stack = await replaced();
    const [early, late] = [save(stack).add(consumer(BEFORE)), save(stack).add(consumer(AFTER))];
    const witness: Context["witness"] = async (identity, look) => (look?.fresh ? late : early).witness(identity, look);
    const { old } = stack;
    await resourceTypes.ApiKey.delete(old.id, old.outputs, { ...stack.harness.context, witness });
    expect(await stack.harness.liveIds()).not.toContain(old.id);
    expect([early.reads, late.reads]).toEqual([1, 1]);
  });

  it("fails if only the later look shows its successor, which does not work", async () => {
    const stack = await replaced();
    const early = stack.harness.save().add(stack.old);
    const late = save(stack, stack.harness.save(), { initErrors: ["not ready"] });
    const witness: Context["witness"] = async (identity, look) => (look?.fresh ? late : early).witness(identity, look);
    const { old } = stack;
    const deleting = resourceTypes.ApiKey.delete(old.id, old.outputs, { ...stack.harness.context, witness });
    await expect(deleting).rejects.toThrow(/because "ci" may still have it/);
    expect(await stack.harness.liveIds()).toContain(old.id);
  });

  it.each<[string, boolean, boolean, Partial<Command>]>([
    ["keeps a key without a successor that the program may lack because of an error", true, false, { goesOn: true }],
    ["revokes one that the program replaces", false, true, { goesOn: true }],
    ["revokes one that the program lacks, in a command that ends with the first error", false, false, {}],
    ["revokes one that the program lacks, in a destroy", false, false, { goesOn: true, isDestroy: true }],
  ])("%s", async (_, isKept, isDeclared, command) => {
    const { harness, old } = await replaced(command, { isDeclared });
    harness.save().add(old);
    const deleting = harness.deleteKey(old);
    if (isKept) await expect(deleting).rejects.toThrow(/because the program has not declared it/);
    else await deleting;
    expect((await harness.liveIds()).includes(old.id)).toBe(isKept);
  });

  it("fails in a destroy that goes on, if only a refresh may have changed a consumer since", async () => {
    const isUpdate = () => false;
    const command = { isLimited: false, goesOn: true, isDestroy: true };
    const stack = await replaced(command, { history: { updatesSince: async () => isUpdate } });
    save(stack).add(consumer(AFTER));
    await expect(stack.harness.deleteKey(stack.old)).rejects.toThrow(/"app" may still have it/);
    expect(await stack.harness.liveIds()).toContain(stack.old.id);
  });

  it.each(["cannot be read", "is that of another stack"])("fails if the state %s", async (why) => {
    const { harness, old } = await replaced();
    if (why !== "cannot be read") harness.saved = harness.beside({ owner: OTHER_OWNER }).save();
    await expect(harness.deleteKey(old)).rejects.toThrow(/because its consumers may still have it/);
    expect(await harness.liveIds()).toContain(old.id);
  });

  it("fails if the state was copied, and its owner has not been replaced yet, so that the original needs the key", async () => {
    const stack = await replaced();
    const { harness, old } = stack;
    const { owner: id, identity } = harness;
    harness.saved = save(stack, new SavedState({ id, identity, runs: [], stack: "original" })).add(consumer(AFTER));
    await expect(harness.deleteKey(old)).rejects.toThrow(
      /because its consumers may still have it: .*without these options/,
    );
    expect(await harness.liveIds()).toContain(old.id);
  });

  it("revokes it in a destroy whose state cannot be read, because that also deletes the consumers", async () => {
    const { harness, old } = await replaced({ isDestroy: true });
    await harness.deleteKey(old);
    expect(await harness.liveIds()).not.toContain(old.id);
  });

  it.each<[string, Partial<Command>, Properties, Properties]>([
    ["a consumer, in a command that goes on", { isLimited: false, goesOn: true }, HOOK, {}],
    ["a consumer, in a limited command that goes on", { goesOn: true }, HOOK, {}],
    ["a consumer, in a command that cannot be read", { isLimited: false }, HOOK, {}],
    ["its successor, in a command that goes on", { goesOn: true }, {}, HOOK],
  ])("keeps it if a hook may have failed after the change of %s", async (_, command, ofConsumer, ofSuccessor) => {
    const stack = await replaced(command);
    save(stack, undefined, ofSuccessor).add(consumer({ ...AFTER, ...ofConsumer }));
    await expect(stack.harness.deleteKey(stack.old)).rejects.toThrow(/may still have it/);
    expect(await stack.harness.liveIds()).toContain(stack.old.id);
  });

  it("revokes it although consumers have hooks, if the command ends with the first error", async () => {
    const stack = await replaced();
    save(stack).add(consumer({ ...AFTER, ...HOOK }));
    await stack.harness.deleteKey(stack.old);
    expect(await stack.harness.liveIds()).toEqual([stack.successor.id]);
  });

  it("does not look at the state in any other command", async () => {
    const stack = await replaced({ isInDoubt: false });
    const saved = save(stack).add(consumer(BEFORE));
    await stack.harness.deleteKey(stack.old);
    expect(await stack.harness.liveIds()).toEqual([stack.successor.id]);
    expect(saved.reads).toBe(0);
  });

  it("keeps the previous key of a RotatingApiKey, too", async () => {
    const { harness, old } = await replaced();
    const { keyId, name, key, owner } = old.outputs;
    const outputs = json({ owner, previousKeyId: keyId, previousName: name, previousKey: key });
    const failure = await failureOf(resourceTypes.RotatingApiKey.delete("some-uuid", outputs, harness.context));
    expect(failure).toMatchObject({ code: "KP-REVOKE" });
    expect(await harness.liveIds()).toContain(old.id);
  });
});
