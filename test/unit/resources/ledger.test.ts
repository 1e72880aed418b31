import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { AbortedError } from "../../../provider/errors";
import { noteHolder } from "../../../provider/keys/holders";
import { newRunId, startMark } from "../../../provider/keys/names";
import { diff } from "../../../provider/schema/diff";
import type { Properties } from "../../../provider/schema/outputs";
import { RunNotes } from "../../../provider/schema/resource-type";
import { generatedName } from "../../generated-name";
import { deliveredLongAgo, json, OTHER_OWNER, OWNER, previousOf, StackHarness } from "./harness";

const LIST = "GET /api_keys";
const DELETE = "DELETE /api_keys/{key_id}";
const HOUR = 3_600_000;

/** A key that an interrupted run created and that is in no state. The owner has that run on record. */
const orphan = async (harness: StackHarness) => (await harness.createKey()).id;

/** A stack whose state can be read. */
const startReadable = async (...args: Parameters<typeof StackHarness.start>) => {
  const harness = await StackHarness.start(...args);
  harness.save();
  return harness;
};

const isDue = (outputs: Properties, now = 0, news: Properties = {}) => {
  const inputs = json({ owner: outputs.owner, owned: outputs.owned, ...news });
  return diff(resourceTypes.Ledger, outputs, inputs, { now, driftOnly: false, hasLedger: true }).changes;
};

describe("the ledger", () => {
  it("costs one list if nothing was left behind, and nothing if nothing has changed", async () => {
    const harness = await startReadable();
    const { id } = await harness.createKey();
    const outputs = await harness.sweep([id]);
    expect(await harness.requests(1)).toEqual([LIST]);
    expect(harness.saved?.reads, "the stack's state is not needed").toBe(0);
    expect(outputs).toMatchObject({ owned: [id], delivered: [id] });
    expect(isDue(outputs)).toBe(false);
  });

  it("C9: revokes the key of a run that was killed after the service created it", async () => {
    const harness = await startReadable();
    await orphan(harness);
    const { id } = await harness.createKey();
    const outputs = await harness.sweep([id]);
    expect(await harness.liveIds()).toEqual([id]);
    expect(harness.told.info.join()).toContain("left behind by an interrupted run");
    expect(isDue(outputs)).toBe(false);
  });

  it("C8: finds nothing to revoke after a run that was killed before it sent anything", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.createKey();
    await harness.sweep([id]);
    expect(await harness.requests()).not.toContain(DELETE);
  });

  it("C10: treats a key whose state could not be written like a key of a killed run", async () => {
    const harness = await startReadable();
    const first = await harness.sweep([(await harness.createKey()).id]);
    await orphan(harness);
    const { id } = await harness.createKey();
    await harness.sweep([id], first);
    expect(await harness.liveIds()).toEqual([...(first.delivered as string[]), id].sort());
  });

  it("C14: reports a key that no state holds but somebody has used, and leaves it alone (I4)", async () => {
    const harness = await startReadable();
    const used = await orphan(harness);
    await harness.plane.state.useKey(used);
    const { id } = await harness.createKey();
    const outputs = await harness.sweep([id]);
    expect(await harness.liveIds()).toEqual([used, id].sort());
    expect(harness.told.warn.join()).toMatch(
      new RegExp(`key ${used} .*last used .*It stays live, because it was used.*npx keyplane revoke ${used}`),
    );
    expect(isDue(outputs)).toBe(false);
  });

  it("C14: never touches keys of another stack in the account", async () => {
    const harness = await startReadable();
    const other = harness.beside({ owner: OTHER_OWNER });
    const mine = await harness.createKey();
    const theirs = await other.createKey();
    await harness.sweep([mine.id]);
    await other.sweep([theirs.id]);
    await resourceTypes.Ledger.delete("ledger", await harness.sweep([]), harness.context);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toContain(theirs.id);
  });

  it("C14: leaves every key without its own tag alone", async () => {
    const harness = await startReadable();
    const names = ["plain", `ci-${harness.tag}`, `ci-${harness.tag}-short`, `x${generatedName("ci", harness.owner)}Y`];
    names.push(`CI-${harness.tag}-aaaaaaaa`, generatedName("ci", OTHER_OWNER), `ci-${harness.tag}-aaaaaaaa-aaaaaaaa`);
    for (const name of names) await harness.plane.state.createKey(name);
    await harness.sweep([]);
    expect(await harness.liveIds()).toHaveLength(names.length);
  });

  it("leaves keys that were in the stack to the engine, because a consumer may still have them", async () => {
    const harness = await startReadable();
    const old = await harness.createKey();
    const first = await harness.sweep([old.id]);
    const next = await harness.createKey();
    const second = await harness.sweep([next.id], first);
    const third = await harness.sweep([next.id], second);
    expect(await harness.liveIds()).toEqual([old.id, next.id].sort());
    expect(third.delivered).toEqual(expect.arrayContaining([old.id, next.id]));
    await harness.deleteKey(old);
    const last = await harness.createKey();
    expect((await harness.sweep([next.id, last.id], third)).delivered).toEqual([last.id, next.id]);
  });

  it("leaves the key of a failed run to the engine without a warning if this run replaces its resource", async () => {
    const harness = await startReadable();
    const first = await harness.sweep([(await harness.createKey()).id]);
    const failed = await harness.createKey({ revokeOnDelete: false });
    noteHolder(resourceTypes.ApiKey, failed, harness.context);
    harness.saved?.add({ type: "ApiKey", name: "ci", id: failed.id, outputs: failed.outputs });
    const { id } = await harness.createKey();
    const { delivered } = await harness.sweep([id], first);
    expect(harness.told.warn).toEqual([]);
    expect(delivered).toContain(failed.id);
    expect(await harness.liveIds()).toContain(failed.id);
  });

  it("C13: does not fail a run if the list is unavailable, and tries again in the next one", async () => {
    const harness = await startReadable();
    await orphan(harness);
    const { id } = await harness.createKey();
    const first = await harness.sweep([id]);
    await orphan(harness);
    const more = await harness.createKey();
    await harness.plane.rules.add({ route: LIST, status: 500, count: 3 });
    const second = await harness.sweep([more.id], first);
    expect(harness.told.warn.join()).toContain("The next run tries again");
    expect(second.delivered, "a key that the run before held").toEqual([id]);
    expect(isDue(second)).toBe(true);
    const third = await harness.sweep([more.id], second);
    expect(await harness.liveIds()).toEqual([id, more.id]);
    expect(isDue(third)).toBe(false);
  });

  it("R3: revokes nothing and tries again in the next run if the list contradicts itself", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey();
    await harness.plane.rules.add({ route: LIST, page: "empty" });
    const outputs = await harness.sweep([key.id]);
    expect(isDue(outputs)).toBe(true);
    expect(await harness.requests()).not.toContain(DELETE);
  });

  it("C7: keeps an orphan that cannot be revoked and tries again in the next run", async () => {
    const harness = await startReadable();
    const left = await orphan(harness);
    const { id } = await harness.createKey();
    await harness.plane.rules.add({ route: DELETE, status: 400 });
    const first = await harness.sweep([id]);
    expect(await harness.liveIds()).toContain(left);
    expect(harness.told.warn.join()).toContain(`could not revoke key ${left}; the next \`pulumi up\` tries again`);
    expect(isDue(first)).toBe(true);
    const second = await harness.sweep([id], first);
    expect(await harness.liveIds()).toEqual([id]);
    expect(isDue(second)).toBe(false);
  });

  it("revokes retired keys with one request each and one list together, which shows that nobody uses them", async () => {
    const harness = await startReadable();
    const keys = [await harness.createKey(), await harness.createKey(), await harness.createKey()];
    const [one, other, current] = keys.map(({ id }) => id) as [string, string, string];
    const owned = [one, other, current];
    const told = (isRetired: boolean) => ({
      owner: harness.identity,
      owned,
      previous: { ...previousOf(one, current, isRetired), ...previousOf(other, current, isRetired) },
    });
    const first = await harness.endRun(told(false));
    await orphan(harness);
    await harness.clock.pass(HOUR);
    const { length } = await harness.requests();
    const second = await harness.endRun(told(true), first);
    expect((await harness.requests(length)).sort()).toEqual([DELETE, DELETE, LIST]);
    expect(second.delivered).toEqual(expect.arrayContaining(owned));
    expect(isDue(second, harness.clock.now(), told(true))).toBe(false);
    // The run that creates the next key sweeps the key that a crash left.
    await harness.sweep([...owned, (await harness.createKey()).id], second);
    expect(await harness.liveIds()).toHaveLength(2);
  });

  it("revokes many keys at the same time, but none that two lists lack", async () => {
    const harness = await StackHarness.start();
    const owned: string[] = [];
    for (let n = 0; n < 20; n++) owned.push((await harness.createKey()).id);
    const first = await harness.sweep(owned);
    for (const id of owned.slice(0, 5)) await harness.plane.state.revokeKey(id);
    // A separate run, whose process has read no list yet.
    const next = harness.beside({ apiKey: harness.plane.apiKey });
    const { keys } = next.account;
    const revoke = keys.revoke.bind(keys);
    let [underWay, most] = [0, 0];
    keys.revoke = async (...args) => {
      most = Math.max(most, ++underWay);
      return revoke(...args).finally(() => underWay--);
    };
    const { length } = await harness.requests();
    const previous = Object.assign({}, ...owned.map((id) => previousOf(id, "1", true)));
    const deliveries = Object.assign({}, ...owned.map((id) => deliveredLongAgo(id, "1")));
    await next.endRun({ owner: harness.identity, owned, previous }, { ...first, deliveries });
    expect((await harness.requests(length)).sort()).toEqual([...Array<string>(15).fill(DELETE), LIST, LIST]);
    expect(most, "the client holds back what is more than the limits allow").toBeGreaterThanOrEqual(10);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("also sweeps in a run that revokes a key if it has created one, because then a key can be left behind", async () => {
    const harness = await startReadable();
    const old = await harness.createKey();
    const first = await harness.sweep([old.id]);
    await orphan(harness);
    const { id } = await harness.createKey();
    const news = { owner: harness.identity, owned: [old.id, id].sort(), compromised: [old.id] };
    await harness.endRun(news, first);
    expect(await harness.liveIds()).toEqual([id]);
  });

  it("remembers a key that leaves the program in a run that only revokes, because a consumer may still have it", async () => {
    const harness = await startReadable();
    const [kept, doomed] = [await harness.createKey(), await harness.createKey()];
    const first = await harness.sweep([kept.id, doomed.id]);
    const second = await harness.endRun(
      { owner: harness.identity, owned: [doomed.id], compromised: [doomed.id] },
      first,
    );
    const { id } = await harness.createKey();
    await harness.sweep([id], second);
    expect(await harness.liveIds()).toEqual([kept.id, id]);
  });

  it("records that it could not revoke a retired key without failing the run, and tries again in the next one", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.createKey();
    const first = { ...(await harness.sweep([id])), deliveries: deliveredLongAgo(id, "1") };
    const rule = await harness.plane.rules.add({ route: DELETE, status: 400, count: null });
    const news = { owner: harness.identity, owned: [id], previous: previousOf(id, "1", true) };
    const second = await harness.endRun(news, first);
    expect(second.deliveries).toEqual(deliveredLongAgo(id, "1"));
    expect(harness.told.warn.join()).toMatch(new RegExp(`could not revoke key ${id}; the next .* tries again`));
    const now = harness.clock.now();
    expect(isDue(second, now, news)).toBe(true);
    await harness.plane.rules.remove(rule.id);
    const third = await harness.endRun(news, second);
    expect(await harness.liveIds()).toEqual([]);
    expect(isDue(third, now, news)).toBe(false);
  });

  it.each([
    ["can have left out a consumer of it", true, undefined, undefined],
    ["continues after errors, which it cannot see in a component of another program", false, true, {}],
    ["continues after errors, which it cannot see in a hook", false, undefined, { AfterCreate: ["restart"] }],
    ["continues after errors, and the state cannot be read", false, undefined, undefined],
  ])("revokes no old key and starts no grace if the command %s", async (_, isLimited, unseen, resourceHooks) => {
    const harness = await StackHarness.start({
      command: () => ({ isInDoubt: true, isLimited, goesOn: !isLimited, isDestroy: false }),
    });
    if (resourceHooks !== undefined) {
      harness.save().add({ id: "x", type: "ProjectReady", name: "app", engine: { resourceHooks } });
    }
    const [old, retired, bad] = [await harness.createKey(), await harness.createKey(), await harness.createKey()];
    const owned = [old.id, retired.id, bad.id];
    const first = { ...(await harness.sweep(owned)), deliveries: deliveredLongAgo(retired.id, "1") };
    expect(harness.told.warn).toEqual([]);
    const previous = { ...previousOf(old.id, "1", false), ...previousOf(retired.id, "1", true) };
    const news = { owner: harness.identity, owned, previous, compromised: [bad.id], ...(unseen && { unseen }) };
    const second = await harness.endRun(news, first);
    expect(await harness.liveIds()).toEqual(owned);
    expect(second).not.toHaveProperty("unseen");
    expect(second).toMatchObject({ deliveries: first.deliveries, unrevoked: [bad.id] });
    const left = isLimited ? "left out" : "may have left out";
    expect(harness.told.warn.join()).toContain(`this run ${left} resources, which may still have them`);
    const next = harness.beside({});
    const third = await next.endRun(news, second);
    expect(await harness.liveIds()).toEqual([old.id]);
    expect(third.deliveries).toHaveProperty(old.id);
  });

  it("revokes old keys in a command that continues after errors, if nothing can hide one", async () => {
    const command = { isInDoubt: true, isLimited: false, goesOn: true, isDestroy: false };
    const harness = await startReadable({ command: () => command });
    const bad = await harness.createKey();
    const first = await harness.sweep([bad.id]);
    await harness.endRun({ owner: harness.identity, owned: [bad.id], compromised: [bad.id] }, first);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("tells a destroy which retired keys it has revoked, so that nobody asks for them again", async () => {
    const harness = await StackHarness.start();
    const [key, retired, left] = [await harness.createKey(), await harness.createKey(), await harness.createKey()];
    const first = await harness.sweep([key.id, retired.id, left.id]);
    await harness.context.keys().revoke(retired.id);
    const revoked = { ...Object.assign({}, ...Object.values(deliveredLongAgo(retired.id, key.id))), isRevoked: true };
    const deliveries = {
      [retired.id]: revoked,
      ...deliveredLongAgo(left.id, key.id),
    };
    const next = harness.beside({});
    await resourceTypes.Ledger.delete("ledger", json({ ...first, deliveries }), next.context);
    const { length } = await harness.requests();
    const { keyId, name, key: secret, owner } = key.outputs;
    const outputs = json({ keyId, name, key: secret, owner, retired: [retired.id, left.id] });
    await resourceTypes.RotatingApiKey.delete("web", outputs, next.context);
    expect((await harness.requests(length)).sort()).toEqual([DELETE, DELETE, LIST]);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("W6: keeps the records of retired keys that a cancelled run did not revoke, without a message for each key", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.createKey();
    const first = { ...(await harness.sweep([id])), deliveries: deliveredLongAgo(id, "1") };
    const news = { owner: harness.identity, owned: [id], previous: previousOf(id, "1", true) };
    harness.account.abort(new AbortedError("the run was cancelled"));
    const second = await harness.endRun(news, first);
    expect(second.deliveries).toEqual(deliveredLongAgo(id, "1"));
    expect(harness.told.warn.join()).not.toContain("could not revoke");
  });

  it("fails the run if it cannot revoke a compromised key, and tries again in the next one", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.createKey();
    const first = await harness.sweep([id]);
    await harness.plane.rules.add({ route: DELETE, status: 400 });
    const news = { owner: harness.identity, owned: [id], compromised: [id] };
    await expect(harness.endRun(news, first)).rejects.toThrow(`key ${id}, which revokeNow names, could not be revoked`);
    await harness.endRun(news, first);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("revokes nothing in an incomplete run, and everything in the complete one after it", async () => {
    const harness = await startReadable();
    const [old, retired] = [await harness.createKey(), await harness.createKey()];
    const first = { ...(await harness.sweep([old.id, retired.id])), deliveries: deliveredLongAgo(retired.id, "1") };
    const current = await harness.createKey();
    const left = await orphan(harness);
    const previous = previousOf(retired.id, "1", true);
    const owned = [old.id, retired.id, current.id];
    const news = { owner: harness.identity, owned, compromised: [old.id], previous };
    const second = await harness.endRun({ ...news, incomplete: true }, first);
    const third = await harness.endRun({ ...news, incomplete: true }, second);
    expect(await harness.liveIds()).toEqual([...owned, left].sort());
    expect(third).toMatchObject({ unrevoked: [old.id], unswept: true, deliveries: first.deliveries });
    expect(isDue(third)).toBe(true);
    const last = await harness.endRun(news, third);
    expect(await harness.liveIds()).toEqual([current.id]);
    expect(isDue(last)).toBe(false);
  });

  it("records no delivery in an incomplete run, because part of the stack has only the old key", async () => {
    const harness = await StackHarness.start();
    const [old, current] = [await harness.createKey(), await harness.createKey()];
    const owned = [old.id, current.id];
    const news = { owner: harness.identity, owned, previous: previousOf(old.id, current.id, true) };
    expect(await harness.endRun({ ...news, incomplete: true })).not.toHaveProperty("deliveries");
    // A run with --target leaves the current key out.
    harness.context.run.holders.clear();
    harness.context.run.holders.set(old.id, new Set([old.id]));
    const { outputs } = await resourceTypes.Ledger.create(news, harness.context);
    expect(outputs).not.toHaveProperty("deliveries");
    expect(harness.told.warn.join()).toContain(`this run left out key ${current.id}`);
  });

  it("compares its keys in linear time", () => {
    const stepsFor = (count: number): number => {
      let steps = 0;
      const get = (list: string[], at: string | symbol) => {
        steps++;
        return Reflect.get(list, at);
      };
      const counted = (ids: string[]) => new Proxy(ids, { get });
      const ids = Array.from({ length: count }, (_, n) => String(n));
      const before = { owner: "o", owned: counted(ids) };
      const news = { owner: "o", owned: counted(ids.slice(0, -1)) };
      expect(diff(resourceTypes.Ledger, before, news, { now: 0, driftOnly: false, hasLedger: true }).changes).toBe(
        false,
      );
      return steps;
    };
    expect(stepsFor(2000)).toBeLessThan(2.5 * stepsFor(1000));
  });

  it("C10: leaves revocations to the next run if states are written only at the end of a run", async () => {
    const harness = await StackHarness.start({ checkpointsSkipped: true });
    const { id } = await harness.createKey();
    const first = await harness.sweep([id]);
    const news = { owner: harness.identity, owned: [id], compromised: [id] };
    const second = await harness.endRun(news, first);
    expect(await harness.liveIds()).toEqual([id]);
    expect(second.unrevoked).toEqual([id]);
    expect(harness.told.warn.join()).toContain("PULUMI_SKIP_CHECKPOINTS");
    expect(isDue(second)).toBe(true);
    // The state of the previous run with the successors is written by now.
    await harness.endRun(news, second);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("C5: only marks what a refresh finds, so that the next up revokes it", async () => {
    const harness = await startReadable();
    const { id } = await harness.createKey();
    const outputs = await harness.sweep([id]);
    const left = await orphan(harness);
    const read = await resourceTypes.Ledger.read("ledger", outputs, harness.context);
    expect(read).toEqual({ ...outputs, unswept: true });
    expect(await harness.liveIds()).toEqual([id, left].sort());
    expect(isDue(read ?? {})).toBe(true);
    await harness.sweep([id], read);
    expect(await harness.liveIds()).toEqual([id]);
  });

  it("R1: does not report an outage as drift in a refresh without a list, and the next run looks again", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.createKey();
    const outputs = await harness.sweep([id]);
    await harness.plane.rules.add({ route: LIST, status: 500, count: 3 });
    const read = await resourceTypes.Ledger.read("ledger", outputs, harness.beside({}).context);
    expect(isDue(read ?? {})).toBe(true);
    expect(read).toMatchObject(outputs);
  });

  it("D9: leaves the last sweep to the owner, because the state may contain keys that the ledger does not know", async () => {
    const harness = await StackHarness.start();
    const owned = await harness.createKey();
    const ledger = await harness.sweep([owned.id]);
    const unseen = await harness.createKey();
    await resourceTypes.Ledger.delete("ledger", ledger, harness.context);
    expect(await harness.liveIds()).toEqual([owned.id, unseen.id].sort());
  });

  it("D9: is deleted before the owner, which sweeps last and spares keys that should outlive the stack", async () => {
    const harness = await startReadable();
    const retained = await harness.createKey();
    const ledger = await harness.sweep([retained.id]);
    const kept = await harness.createKey({ revokeOnDelete: false });
    await orphan(harness);
    await resourceTypes.Ledger.delete("ledger", ledger, harness.context);
    await harness.deleteKey(kept);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([retained.id, kept.id].sort());
  });

  it("D9: spares a key that outlives its resource even in a resumed destroy, which does not know the key", async () => {
    const harness = await startReadable();
    const kept = await harness.createKey({ revokeOnDelete: false });
    await harness.deleteKey(kept);
    const resumed = harness.beside({});
    resumed.saved = harness.saved;
    await resumed.deleteOwner();
    expect(await harness.liveIds()).toEqual([kept.id]);
  });

  it("D9: also spares a key that is kept only by a later update, which uses the key once", async () => {
    const harness = await startReadable();
    const made = await harness.createKey();
    const kept = await harness.updateKey(made, { revokeOnDelete: false });
    await harness.deleteKey(kept);
    const resumed = harness.beside({});
    resumed.saved = harness.saved;
    await resumed.deleteOwner();
    expect(await harness.liveIds()).toEqual([kept.id]);
    expect(await harness.requests()).toContain("GET /projects");
  });

  it("C5: is followed by the owner, after deletions that name lost requests that may still be carried out later", async () => {
    const harness = await StackHarness.start();
    const [late, found] = [generatedName("ci", OWNER), generatedName("ci", OWNER)];
    const { id, outputs } = await harness.createKey();
    await harness.plane.state.createKey(found);
    await resourceTypes.ApiKey.delete(id, json({ ...outputs, lostNames: [late, found] }), harness.context);
    await harness.deleteOwner();
    const said = harness.told.warn.join();
    expect(said).toContain(`the creation of ${late} was lost`);
    expect(said).not.toContain(found);
    expect(said).toContain(`npx keyplane sweep --owner ${OWNER}`);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("C5: is followed by the owner, after deletions that do not mention a request that was lost long ago", async () => {
    const harness = await StackHarness.start();
    const { id, outputs } = await harness.createKey();
    await harness.clock.pass(2 * HOUR);
    await resourceTypes.ApiKey.delete(
      id,
      json({ ...outputs, lostNames: [generatedName("ci", OWNER)] }),
      harness.context,
    );
    await harness.deleteOwner();
    expect(harness.told.warn).toEqual([]);
  });

  it("C9: is not needed by a destroy after a crash in the first run, which leaves no key behind", async () => {
    const harness = await startReadable();
    await orphan(harness);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([]);
  });

  it("D9: names a key with an exact name that outlives its resource, and no key of another stack", async () => {
    const harness = await startReadable();
    const { id } = await harness.createKey({ name: "exact" });
    const copied = await harness.createKey({ name: "copied" });
    const stranger = await harness.plane.state.createKey("stranger");
    const original = await harness.plane.state.createKey(generatedName("ci", "the owner of the original"));
    const held = new Set([id, copied.id, String(original.id)]);
    harness.context.run.ledger = { ...harness.context.run.ledger, held };
    await harness.deleteKey({ ...copied, outputs: { ...copied.outputs, mintedBy: "aaaaaaaa" } });
    await harness.deleteOwner();
    expect(harness.told.warn).toEqual([
      expect.stringContaining("was created by another stack"),
      expect.stringMatching(new RegExp(`^key ${id} \\(exact, .* stays live: .* run \`npx keyplane revoke ${id}\`$`)),
    ]);
    expect(await harness.liveIds()).toEqual([id, copied.id, String(stranger.id), String(original.id)]);
  });

  it("D9: is independent of an owner that is replaced in a copied stack, which leaves the original's keys alone", async () => {
    const harness = await startReadable({ run: { ...new RunNotes(), hasProgram: true } });
    const left = await orphan(harness);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([left]);
  });

  it("D9: is followed by an owner that stays in the state if it cannot sweep, so that the next destroy does", async () => {
    const harness = await startReadable();
    const left = await orphan(harness);
    await harness.plane.rules.add({ route: LIST, status: 500, count: 3 });
    await expect(harness.deleteOwner()).rejects.toThrow("500");
    await harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 500, count: 3 });
    await expect(harness.deleteOwner()).rejects.toThrow(`could not revoke key ${left}`);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([]);
  });

  it("C10: only reports an unknown key if the stack's state cannot be read, because the key may be in use", async () => {
    const harness = await StackHarness.start();
    const left = await orphan(harness);
    const { id } = await harness.createKey();
    const outputs = await harness.sweep([id]);
    expect(await harness.liveIds()).toEqual([left, id].sort());
    expect(harness.told.warn).toEqual([
      expect.stringMatching(
        `^key ${left} \\(ci-.*never used\\) has this stack's tag.*could not be read.*npx keyplane revoke ${left}\`$`,
      ),
    ]);
    expect(isDue(outputs)).toBe(false);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([left, id].sort());
  });
});

describe("an unknown key", () => {
  /** A stack with a key and with one that nobody knows. */
  const withUnknown = async (...args: Parameters<typeof StackHarness.start>) => {
    const harness = await startReadable(...args);
    const [left, held] = [await harness.createKey(), await harness.createKey()];
    harness.save().add(held);
    return { harness, left, held };
  };

  it("is only reported if the state is that of another stack, which does not contain the owner", async () => {
    const { harness, left, held } = await withUnknown();
    harness.saved = harness.beside({ owner: OTHER_OWNER }).save([harness.runId]);
    await harness.sweep([held.id]);
    expect(await harness.liveIds()).toContain(left.id);
    expect(harness.told.warn.join()).toContain("could not be read");
  });

  it("is only reported if its run is not on record, for example because it is too long ago", async () => {
    const { harness, left, held } = await withUnknown();
    harness.save([newRunId()]).add(held);
    await harness.sweep([held.id]);
    expect(await harness.liveIds()).toContain(left.id);
    expect(harness.told.warn.join()).toContain("nothing shows that an interrupted run left it behind");
  });

  it.each([
    ["has a run that succeeded", true],
    ["cannot be read", undefined],
  ])(
    "is only reported by a new ledger if the history %s, and is never taken for an orphan again",
    async (_, mayHaveDelivered) => {
      const { harness, left, held } = await withUnknown();
      harness.mayHaveDelivered = mayHaveDelivered;
      const outputs = await harness.sweep([held.id]);
      expect(await harness.liveIds()).toContain(left.id);
      expect(harness.told.warn.join()).toContain("nothing shows that an interrupted run left it behind");
      await harness.sweep([held.id], { ...outputs, unswept: true });
      await harness.deleteOwner();
      expect(await harness.liveIds()).toContain(left.id);
    },
  );

  it("is only revoked if no run has succeeded from five minutes before its creation on, because clocks differ", async () => {
    const asked: number[] = [];
    const mayHaveDeliveredBetween = async (from: number) => {
      asked.push(from);
      return false;
    };
    const { harness, left, held } = await withUnknown({ history: { mayHaveDeliveredBetween } });
    const made = (await harness.plane.liveKeys()).find(({ id }) => String(id) === left.id);
    await harness.sweep([held.id]);
    expect(new Set(asked)).toEqual(new Set([Date.parse(made?.createdAt ?? "") - 300_000]));
    expect(await harness.liveIds()).toEqual([held.id]);
  });

  const START = Date.UTC(2026, 0, 1);
  const settled = (harness: StackHarness) => ({ owner: harness.identity, owned: [], delivered: [] });

  it.each([
    ["succeeded: the state is from the middle of that run, and was restored", true],
    ["is unknown, because the history cannot be read", undefined],
  ])("is only reported if the run that made it %s", async (_, mayHave) => {
    const { harness, left, held } = await withUnknown({
      history: { mayHaveSucceeded: async (start) => mayHave && start === START },
    });
    harness.save([harness.runId + startMark(START)]).add(held);
    await harness.sweep([held.id], settled(harness));
    expect(await harness.liveIds()).toContain(left.id);
    expect(harness.told.warn.join()).toContain("nothing shows that an interrupted run left it behind");
  });

  it("is revoked if the run that made it did not succeed, also if version 0.2 did not record its start", async () => {
    for (const mark of [startMark(START), ""]) {
      const { harness, left, held } = await withUnknown({ history: { mayHaveSucceeded: async () => false } });
      harness.save([harness.runId + mark]).add(held);
      await harness.sweep([held.id], settled(harness));
      expect(await harness.liveIds()).not.toContain(left.id);
    }
  });

  it("is revoked although the run that requested it succeeded, if the ledger knows all keys of that run", async () => {
    const { harness, left, held } = await withUnknown({ history: { mayHaveSucceeded: async () => true } });
    harness.save([harness.runId + startMark(START)]).add(held);
    const first = await harness.createKey();
    const before = await harness.sweep([held.id, first.id], { ...settled(harness), owned: [held.id, left.id] });
    expect(await harness.liveIds()).toContain(left.id);
    const late = await harness.createKey();
    await harness.sweep([held.id, first.id], { ...before, unswept: true });
    expect(await harness.liveIds()).toContain(left.id);
    expect(await harness.liveIds()).not.toContain(late.id);
  });

  it("is only reported if a run succeeded that was under way, by this machine's clock, when it was made", async () => {
    const asked: number[] = [];
    const mayHaveSucceeded = async (at: number) => {
      asked.push(at);
      return true;
    };
    const { harness, left, held } = await withUnknown({ history: { mayHaveSucceeded } });
    const made = (await harness.plane.liveKeys()).find(({ id }) => String(id) === left.id);
    await harness.plane.clock.set({ offsetMs: 3_600_000 });
    await harness.sweep([held.id], settled(harness));
    expect(await harness.liveIds()).toContain(left.id);
    const difference = (asked[0] ?? 0) - (Date.parse(made?.createdAt ?? "") - 3_600_000);
    expect(Math.abs(difference)).toBeLessThanOrEqual(1_000);
  });

  it("is revoked without a look at later runs by a ledger that knew the stack before the key was made", async () => {
    const { harness, left, held } = await withUnknown();
    harness.mayHaveDelivered = true;
    const before = { owner: harness.identity, owned: [], delivered: [] };
    await harness.sweep([held.id], before);
    expect(await harness.liveIds()).toEqual([held.id]);
    expect(harness.told.info.join()).toContain(left.id);
  });

  it.each(["knowsSince", "sweptAt"])("is only reported by a ledger whose %s cannot be read", async (time) => {
    const { harness, left, held } = await withUnknown();
    harness.mayHaveDelivered = true;
    const before = { owner: harness.identity, owned: [], delivered: [], [time]: "long ago" };
    await harness.plane.rules.add({ route: "GET /api_keys", count: null, status: 500 });
    const read = await resourceTypes.Ledger.read("ledger", before, harness.context);
    await harness.plane.rules.clear();
    await resourceTypes.Ledger.delete("ledger", read ?? {}, harness.context);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toContain(left.id);
    const outputs = await harness.sweep([held.id], read);
    await harness.beside({}).sweep([held.id], { ...outputs, unswept: true });
    expect(await harness.liveIds()).toContain(left.id);
  });

  it("is only reported by a ledger that could not look for it in its first run", async () => {
    const { harness, left, held } = await withUnknown();
    harness.mayHaveDelivered = true;
    await harness.plane.rules.add({ route: "GET /api_keys", count: 10, status: 500 });
    const outputs = await harness.sweep([held.id]);
    await harness.plane.rules.clear();
    await harness.sweep([held.id], outputs);
    expect(await harness.liveIds()).toContain(left.id);
  });

  it("is only reported by a ledger of a machine whose clock is behind, which has begun after a run delivered it", async () => {
    const { harness, left, held } = await withUnknown();
    harness.mayHaveDelivered = true;
    await harness.plane.clock.set({ offsetMs: 24 * HOUR });
    const later = await harness.createKey();
    harness.saved?.add(later);
    const outputs = await harness.sweep([held.id, later.id]);
    expect(Date.parse(String(outputs.knowsSince))).toBeGreaterThan(harness.clock.now() + 23 * HOUR);
    await harness.plane.clock.set({ offsetMs: 0 });
    await harness.beside({}).sweep([held.id, later.id], { ...outputs, unswept: true });
    expect(await harness.liveIds()).toContain(left.id);
  });

  it("is revoked by an owner only if the ledger has told it what the stack held, or no run has succeeded", async () => {
    for (const isHeldKnown of [false, true]) {
      const { harness, left } = await withUnknown();
      harness.mayHaveDelivered = true;
      if (isHeldKnown) harness.context.run.ledger = { ...harness.context.run.ledger, record: { knowsSince: 0 } };
      await harness.deleteOwner();
      expect((await harness.liveIds()).includes(left.id)).toBe(!isHeldKnown);
    }
  });

  it("stays live after its resource is deleted if the state had it while an earlier run looked for such keys", async () => {
    const { harness, left, held } = await withUnknown();
    harness.saved?.add({ ...left, name: "removed" });
    const before = await harness.sweep([held.id], { owner: harness.identity, owned: [], delivered: [] });
    const next = await harness.createKey();
    harness.save().add(held);
    harness.saved?.add(next);
    await harness.sweep([held.id, next.id], before);
    expect(await harness.liveIds()).toContain(left.id);
  });

  it("stays live if a ledger has forgotten it because a list lacked it, also in a destroy", async () => {
    const { harness, left, held } = await withUnknown();
    const next = await harness.createKey();
    harness.saved?.add(next);
    await harness.plane.clock.advance(2_000);
    // Its answer shows the time of the service.
    await harness.context.keys().list({ fresh: true });
    const lacks = { route: "GET /api_keys", lacks: 2, count: 1 } as const;
    await harness.plane.rules.add(lacks);
    const before = await harness.sweep([held.id], { owner: harness.identity, owned: [left.id], delivered: [left.id] });
    expect(before.delivered).not.toContain(left.id);
    await harness.sweep([held.id, next.id], before);
    expect(await harness.liveIds()).toContain(left.id);
    expect(harness.told.warn.join()).toContain(`npx keyplane revoke ${left.id}`);
    await resourceTypes.Ledger.delete("ledger", before, harness.context);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toContain(left.id);
  });

  it.each([
    ["the state still has with another resource", {}],
    ["a replaced resource still has", { delete: true }],
    ["another resource still has to revoke", { isPending: true }],
  ])("that %s is kept without a message", async (_, { isPending, ...engine }: Properties) => {
    const { harness, left, held } = await withUnknown();
    const pending = { owner: harness.identity, pendingRevocations: [left.id] };
    harness.saved?.add({ ...(isPending ? { id: held.id, outputs: pending } : left), name: "other", engine });
    await harness.sweep([held.id]);
    expect(await harness.liveIds()).toContain(left.id);
    expect(harness.told.warn).toEqual([]);
  });

  it("is only reported if the ids of keys in the state are encrypted, because one of them may be its own", async () => {
    const { harness, left, held } = await withUnknown();
    const keyId = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:abc" };
    harness.saved?.add({ type: "RotatingApiKey", id: "some-uuid", name: "other", outputs: { keyId } });
    await harness.sweep([held.id]);
    expect(await harness.liveIds()).toContain(left.id);
    expect(harness.told.warn.join()).toContain("could not be read");
  });

  it("is only reported if a key of the state is missing, because another history may have gone on from the state", async () => {
    const { harness, left, held } = await withUnknown();
    const gone = await harness.createKey();
    harness.saved?.add({ ...gone, name: "gone" });
    await harness.plane.state.revokeKey(gone.id);
    await harness.sweep([held.id]);
    expect(await harness.liveIds()).toEqual([left.id, held.id]);
    expect(harness.told.warn.join()).toContain("the account lacks a key that this stack holds");
  });

  it("is revoked although a key is missing that this run has revoked, or that a replaced resource had", async () => {
    const { harness, held } = await withUnknown();
    const [own, old] = [await harness.createKey(), await harness.createKey()];
    harness.saved?.add({ ...own, name: "own" }).add({ ...old, name: "old", engine: { delete: true } });
    await harness.deleteKey(own);
    await harness.plane.state.revokeKey(old.id);
    await harness.sweep([held.id]);
    expect(await harness.liveIds()).toEqual([held.id]);
  });

  it("is never revoked if a complete run had it, although its run is on record", async () => {
    const { harness, left, held } = await withUnknown();
    const first = await harness.sweep([left.id, held.id]);
    const next = await harness.createKey();
    await harness.sweep([held.id, next.id], first);
    expect(await harness.liveIds()).toContain(left.id);
    expect(harness.told.warn).toEqual([]);
  });

  it("is revoked without the stack's state if its request was lost in this run, because nobody has its secret", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: "POST /api_keys", fault: "close", commit: "late" });
    const { id } = await harness.createKey();
    await harness.plane.commitLate();
    await harness.sweep([id]);
    expect(await harness.liveIds()).toEqual([id]);
  });

  it("is only reported if it was used after the list of this run that its owner looks through", async () => {
    const { harness, left, held } = await withUnknown();
    harness.context.run.ledger = { ...harness.context.run.ledger, record: { knowsSince: 0 } };
    await harness.deleteKey(held);
    await harness.clock.pass(HOUR);
    await harness.plane.state.useKey(left.id);
    await harness.deleteOwner();
    expect(await harness.liveIds()).toEqual([left.id]);
    expect(harness.told.warn.join()).toContain("It stays live, because it was used");
  });

  it("costs one look at the state together with all other unknown keys", async () => {
    const { harness, held } = await withUnknown();
    for (let n = 0; n < 5; n++) await orphan(harness);
    await harness.sweep([held.id]);
    expect(harness.saved?.reads).toBe(1);
    expect(await harness.liveIds()).toEqual([held.id]);
  });

  it("of the first run of a new owner is not looked for, because no earlier run can have left it behind", async () => {
    const { harness, left, held } = await withUnknown();
    harness.context.run.isNewOwner = true;
    const { length } = await harness.requests();
    await harness.sweep([held.id]);
    expect(await harness.requests(length)).toEqual([]);
    expect(await harness.liveIds()).toContain(left.id);
  });
});

describe("the record of a previous key", () => {
  /** A rotated key, of which the ledger has the delivery on record. */
  const rotated = async () => {
    const harness = await StackHarness.start();
    const [old, current] = [(await harness.createKey()).id, (await harness.createKey()).id];
    const told = (successor: string, isRetired: boolean, more: readonly string[] = []) => ({
      owner: harness.identity,
      owned: [old, current, ...more],
      previous: previousOf(old, successor, isRetired),
    });
    return { harness, old, current, told, first: await harness.endRun(told(current, false)) };
  };
  const recordOf = ({ deliveries }: Properties) => Object.values((deliveries ?? {}) as Properties)[0];

  it("has the end of the first complete run with its successor, and later runs do not change it", async () => {
    const { harness, current, told, first } = await rotated();
    const deliveredAt = new Date(harness.clock.now()).toISOString();
    expect(recordOf(first)).toEqual({ successor: current, deliveredAt });
    await harness.clock.pass(HOUR / 2);
    expect(recordOf(await harness.endRun(told(current, true), first))).toEqual({ successor: current, deliveredAt });
  });

  it("makes the ledger due when its grace is over, and not before", async () => {
    const { harness, current, told, first } = await rotated();
    const now = harness.clock.now();
    expect(isDue(first, now + 1_000 * HOUR, told(current, false)), "a key that is not retired").toBe(false);
    expect(isDue(first, now + HOUR - 1, told(current, true))).toBe(false);
    expect(isDue(first, now + HOUR, told(current, true))).toBe(true);
    expect(isDue(first, now, told("4711", true)), "a successor that was not delivered yet").toBe(true);
  });

  it("starts anew if the successor is gone, because its users have to change once more", async () => {
    const { harness, current, told, first } = await rotated();
    const news = { ...told("4711", true), owned: ["4711"] };
    await harness.clock.pass(2 * HOUR);
    const deliveredAt = new Date(harness.clock.now()).toISOString();
    expect(recordOf(await harness.endRun(news, first))).toEqual({ successor: "4711", deliveredAt });
    const compromised = { ...told("4711", true), compromised: [current] };
    expect(recordOf(await harness.endRun(compromised, first))).toEqual({ successor: "4711", deliveredAt });
  });

  it("goes on if the successor is replaced, too, so that at most two keys outlive a rotation", async () => {
    const { harness, old, told, first } = await rotated();
    const next = (await harness.createKey()).id;
    await harness.clock.pass(HOUR);
    await harness.endRun(told(next, true, [next]), first);
    expect(await harness.liveIds()).not.toContain(old);
  });

  it("counts from the later clock, so that a clock that is behind ends no grace too early", async () => {
    const { harness, current, told } = await rotated();
    await harness.plane.clock.set({ offsetMs: 2 * HOUR });
    await harness.context.keys().list({ fresh: true });
    const { deliveredAt } = recordOf(await harness.endRun(told(current, false))) as { deliveredAt: string };
    expect(Date.parse(deliveredAt)).toBeGreaterThan(harness.clock.now() + HOUR);
  });

  it("is only made with the service's clock, for which a run without any request asks", async () => {
    const { harness, current, told, first } = await rotated();
    await harness.plane.clock.set({ offsetMs: 2 * HOUR });
    const before = { ...first, deliveries: undefined };
    await harness.plane.rules.add({ route: LIST, status: 400 });
    const unknown = await harness.beside({}).endRun(told(current, true), before);
    expect(recordOf(unknown)).toBeUndefined();
    expect(isDue(unknown, harness.clock.now(), told(current, true))).toBe(true);
    const made = recordOf(await harness.beside({}).endRun(told(current, true), unknown)) as { deliveredAt: string };
    expect(Date.parse(made.deliveredAt)).toBeGreaterThan(harness.clock.now() + HOUR);
  });

  it("is not used if it is damaged: the grace starts again, and nothing is revoked", async () => {
    const { harness, old, current, told, first } = await rotated();
    for (const deliveredAt of ["soon", undefined, 7]) {
      const damaged = { ...first, deliveries: { [old]: { successor: current, deliveredAt } } };
      const record = recordOf(await harness.endRun(told(current, true), damaged)) as { deliveredAt: string };
      expect(Date.parse(record.deliveredAt)).toBe(harness.clock.now());
    }
    expect(await harness.liveIds()).toContain(old);
  });

  it("remembers a use that the list shows, and the ledger is due when the quiet period is over", async () => {
    const { harness, old, current, told, first } = await rotated();
    await harness.clock.pass(HOUR);
    await harness.plane.state.useKey(old);
    const second = await harness.endRun(told(current, true), first);
    const { usedAt } = recordOf(second) as { usedAt: string };
    expect(isDue(second, Date.parse(usedAt) + 2 * HOUR - 1, told(current, true))).toBe(false);
    expect(isDue(second, Date.parse(usedAt) + 2 * HOUR, told(current, true))).toBe(true);
    expect(await harness.liveIds()).toContain(old);
  });

  it("does not let an unknown use end the overlap before its maximum", async () => {
    const { harness, old, current, told, first } = await rotated();
    await harness.clock.pass(HOUR);
    await harness.plane.rules.add({ route: LIST, status: 500, count: 3 });
    const { keys } = harness.account;
    const second = await harness.beside({ context: { keys: () => keys } }).endRun(told(current, true), first);
    expect(recordOf(second)).not.toHaveProperty("isRevoked");
    expect(await harness.liveIds()).toContain(old);
  });

  it("says that the key was revoked, so that no later run looks for it", async () => {
    const { harness, old, current, told, first } = await rotated();
    await harness.clock.pass(HOUR);
    const second = await harness.endRun(told(current, true), first);
    expect(await harness.liveIds()).not.toContain(old);
    expect(recordOf(second)).toMatchObject({ isRevoked: true });
    const { length } = await harness.requests();
    expect(recordOf(await harness.endRun(told("4711", true), second))).toMatchObject({ isRevoked: true });
    expect(await harness.requests(length)).toEqual([]);
    expect(isDue(second, harness.clock.now() + 1_000 * HOUR, told(current, true))).toBe(false);
  });
});
