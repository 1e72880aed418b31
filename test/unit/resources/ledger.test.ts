import { describe, expect, it } from "vitest";
import { AbortedError } from "../../../provider/errors";
import { autoName } from "../../../provider/keys/names";
import { resourceTypes } from "../../../provider/resources/registry";
import { diff } from "../../../provider/schema/diff";
import { newRunNotes, type Properties } from "../../../provider/schema/resource-type";
import { OTHER_OWNER, OWNER, StackHarness } from "./harness";

const LIST = "GET /api_keys";
const DELETE = "DELETE /api_keys/{key_id}";

/** A key that an interrupted run created and that is in no state. */
const orphan = async (harness: StackHarness) => (await harness.createKey()).id;

const isDue = (outputs: Properties) =>
  diff(resourceTypes.Ledger, outputs, { owner: outputs.owner, owned: outputs.owned }, { now: 0, driftOnly: false })
    .changes;

describe("the ledger", () => {
  it("costs one list if nothing was left behind, and nothing if nothing has changed", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.createKey();
    const outputs = await harness.sweep([id]);
    expect(await harness.requests(1)).toEqual([LIST]);
    expect(outputs).toMatchObject({ owned: [id], delivered: [id] });
    expect(isDue(outputs)).toBe(false);
  });

  it("C9: revokes the key of a run that was killed after the service created it", async () => {
    const harness = await StackHarness.start();
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
    const harness = await StackHarness.start();
    const first = await harness.sweep([(await harness.createKey()).id]);
    await orphan(harness);
    const { id } = await harness.createKey();
    await harness.sweep([id], first);
    expect(await harness.liveIds()).toEqual([...(first.delivered as string[]), id].sort());
  });

  it("C14: reports a key that no state holds but somebody has used, and leaves it alone (I4)", async () => {
    const harness = await StackHarness.start();
    const used = await orphan(harness);
    await harness.plane.state.useKey(used);
    const { id } = await harness.createKey();
    const outputs = await harness.sweep([id]);
    expect(await harness.liveIds()).toEqual([used, id].sort());
    expect(harness.told.warn.join()).toMatch(new RegExp(`key ${used} .*last used .*leaves it alone`));
    expect(isDue(outputs)).toBe(false);
  });

  it("C14: never touches keys of another stack in the account", async () => {
    const harness = await StackHarness.start();
    const other = harness.beside({ owner: OTHER_OWNER });
    const mine = await harness.createKey();
    const theirs = await other.createKey();
    await harness.sweep([mine.id]);
    await other.sweep([theirs.id]);
    await resourceTypes.Ledger.delete("ledger", await harness.sweep([]), harness.context);
    await resourceTypes.Owner.delete(OWNER, {}, harness.context);
    expect(await harness.liveIds()).toContain(theirs.id);
  });

  it("C14: leaves every key without its own tag alone", async () => {
    const harness = await StackHarness.start();
    const names = ["plain", `ci-${harness.tag}`, `ci-${harness.tag}-short`, `x${autoName("ci", harness.owner)}Y`];
    names.push(`CI-${harness.tag}-aaaaaaaa`, autoName("ci", OTHER_OWNER), `ci-${harness.tag}-aaaaaaaa-aaaaaaaa`);
    for (const name of names) await harness.plane.state.createKey(name);
    await harness.sweep([]);
    expect(await harness.liveIds()).toHaveLength(names.length);
  });

  it("leaves keys that were in the stack to the engine, because a consumer may still have them", async () => {
    const harness = await StackHarness.start();
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

  it("C13: does not fail a run if the list is unavailable, and tries again in the next one", async () => {
    const harness = await StackHarness.start();
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
    const harness = await StackHarness.start();
    const left = await orphan(harness);
    const { id } = await harness.createKey();
    await harness.plane.rules.add({ route: DELETE, status: 400 });
    const first = await harness.sweep([id]);
    expect(await harness.liveIds()).toContain(left);
    expect(harness.told.warn.join()).toContain("could not be revoked");
    expect(isDue(first)).toBe(true);
    const second = await harness.sweep([id], first);
    expect(await harness.liveIds()).toEqual([id]);
    expect(isDue(second)).toBe(false);
  });

  it("revokes retired keys with one request each, and looks for nothing else", async () => {
    const harness = await StackHarness.start();
    const keys = [await harness.createKey(), await harness.createKey()];
    const owned = keys.map(({ id }) => id);
    const first = await harness.sweep(owned);
    await harness.createKey();
    const { length } = await harness.requests();
    const news = { owner: harness.identity, owned, lostNames: [], pendingRevocations: owned.slice(0, 1) };
    const second = await harness.endRun(news, first);
    expect(await harness.requests(length)).toEqual([DELETE]);
    expect(second).not.toHaveProperty("unrevoked");
    expect(second.delivered).toEqual(expect.arrayContaining(owned));
    expect(isDue(second)).toBe(false);
    const third = await resourceTypes.Ledger.update(
      "ledger",
      second,
      { ...news, pendingRevocations: owned },
      harness.context,
    );
    expect(await harness.requests(length)).toEqual([DELETE, DELETE]);
    // The run that creates the next key sweeps the key that a crash left.
    await harness.sweep([...owned, (await harness.createKey()).id], third);
    expect(await harness.liveIds()).toHaveLength(1);
  });

  it("revokes many keys at the same time, and two lists show all keys that are already gone", async () => {
    const harness = await StackHarness.start();
    const owned: string[] = [];
    for (let n = 0; n < 20; n++) owned.push((await harness.createKey()).id);
    const first = await harness.sweep(owned);
    for (const id of owned.slice(0, 10)) await harness.plane.state.revokeKey(id);
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
    await next.endRun({ owner: harness.identity, owned, lostNames: [], pendingRevocations: owned }, first);
    expect((await harness.requests(length)).sort()).toEqual([...Array<string>(20).fill(DELETE), LIST, LIST]);
    expect(most, "the client holds back what is more than the limits allow").toBeGreaterThanOrEqual(10);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("also sweeps in a run that revokes a key if it has created one, because then a key can be left behind", async () => {
    const harness = await StackHarness.start();
    const old = await harness.createKey();
    const first = await harness.sweep([old.id]);
    await harness.createKey();
    const { id } = await harness.createKey();
    const news = { owner: harness.identity, owned: [old.id, id].sort(), lostNames: [], pendingRevocations: [old.id] };
    await harness.endRun(news, first);
    expect(await harness.liveIds()).toEqual([id]);
  });

  it("remembers a key that leaves the program in a run that only revokes, because a consumer may still have it", async () => {
    const harness = await StackHarness.start();
    const [kept, doomed] = [await harness.createKey(), await harness.createKey()];
    const first = await harness.sweep([kept.id, doomed.id]);
    const news = { owner: harness.identity, owned: [doomed.id], lostNames: [], pendingRevocations: [doomed.id] };
    const second = await harness.endRun(news, first);
    const { id } = await harness.createKey();
    await harness.sweep([id], second);
    expect(await harness.liveIds()).toEqual([kept.id, id]);
  });

  it("records keys that it could not revoke without failing the run, and tries again in the next one", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.createKey();
    const first = await harness.sweep([id]);
    const rule = await harness.plane.rules.add({ route: DELETE, status: 400, count: null });
    const news = { owner: harness.identity, owned: [id], lostNames: [], pendingRevocations: [id] };
    const second = await harness.endRun(news, first);
    expect(second.unrevoked).toEqual([id]);
    expect(harness.told.warn.join()).toMatch(new RegExp(`could not revoke key ${id}; the next .* tries again`));
    expect(isDue(second)).toBe(true);
    await harness.plane.rules.remove(rule.id);
    const third = await harness.endRun(news, second);
    expect(await harness.liveIds()).toEqual([]);
    expect(isDue(third)).toBe(false);
  });

  it("W6: records the keys that a cancelled run did not revoke, without a message for each key", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.createKey();
    const first = await harness.sweep([id]);
    harness.account.abort(new AbortedError("the run was cancelled"));
    const second = await harness.endRun({ owner: harness.identity, owned: [id], pendingRevocations: [id] }, first);
    expect(second.unrevoked).toEqual([id]);
    expect(harness.told.warn.join()).not.toContain("could not revoke");
  });

  it("fails the run if it cannot revoke a compromised key, and tries again in the next one", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.createKey();
    const first = await harness.sweep([id]);
    await harness.plane.rules.add({ route: DELETE, status: 400 });
    const news = { owner: harness.identity, owned: [id], lostNames: [], pendingRevocations: [id], compromised: [id] };
    await expect(harness.endRun(news, first)).rejects.toThrow(`key ${id}, which revokeNow names, could not be revoked`);
    await harness.endRun(news, first);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("revokes nothing in an incomplete run, and everything in the complete one after it", async () => {
    const harness = await StackHarness.start();
    const old = await harness.createKey();
    const first = await harness.sweep([old.id]);
    const current = await harness.createKey();
    const left = await orphan(harness);
    const news = { owner: harness.identity, owned: [old.id, current.id], lostNames: [], pendingRevocations: [old.id] };
    const second = await harness.endRun({ ...news, incomplete: true }, first);
    const third = await harness.endRun({ ...news, incomplete: true }, second);
    expect(await harness.liveIds()).toEqual([old.id, current.id, left].sort());
    expect(third).toMatchObject({ unrevoked: [old.id], unswept: true });
    expect(isDue(third)).toBe(true);
    const last = await harness.endRun(news, third);
    expect(await harness.liveIds()).toEqual([current.id]);
    expect(isDue(last)).toBe(false);
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
      const before = { owner: "o", owned: counted(ids), lostNames: [] };
      const news = { owner: "o", owned: counted(ids.slice(0, -1)), lostNames: [] };
      expect(diff(resourceTypes.Ledger, before, news, { now: 0, driftOnly: false }).changes).toBe(false);
      return steps;
    };
    expect(stepsFor(2000)).toBeLessThan(2.5 * stepsFor(1000));
  });

  it("C10: leaves revocations to the next run if states are written only at the end of a run", async () => {
    const harness = await StackHarness.start({ checkpointsSkipped: true });
    const { id } = await harness.createKey();
    const first = await harness.sweep([id]);
    const news = { owner: harness.identity, owned: [id], lostNames: [], pendingRevocations: [id] };
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
    const harness = await StackHarness.start();
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
    const harness = await StackHarness.start();
    const retained = await harness.createKey();
    const ledger = await harness.sweep([retained.id]);
    const kept = await harness.createKey({ revokeOnDelete: false });
    await orphan(harness);
    await resourceTypes.Ledger.delete("ledger", ledger, harness.context);
    await harness.deleteKey(kept);
    await resourceTypes.Owner.delete(OWNER, {}, harness.context);
    expect(await harness.liveIds()).toEqual([retained.id, kept.id].sort());
  });

  it("D9: spares a key that outlives its resource even in a resumed destroy, which does not know the key", async () => {
    const harness = await StackHarness.start();
    const kept = await harness.createKey({ revokeOnDelete: false });
    await harness.deleteKey(kept);
    await resourceTypes.Owner.delete(OWNER, {}, harness.beside({}).context);
    expect(await harness.liveIds()).toEqual([kept.id]);
  });

  it("D9: also spares a key that is kept only by a later update, which uses the key once", async () => {
    const harness = await StackHarness.start();
    const made = await harness.createKey();
    const kept = await harness.updateKey(made, { revokeOnDelete: false });
    await harness.deleteKey(kept);
    await resourceTypes.Owner.delete(OWNER, {}, harness.beside({}).context);
    expect(await harness.liveIds()).toEqual([kept.id]);
    expect(await harness.requests()).toContain("GET /projects");
  });

  it("C5: is followed by an owner that names lost requests that may still be carried out later", async () => {
    const harness = await StackHarness.start();
    const [late, found] = [autoName("ci", OWNER), autoName("ci", OWNER)];
    const { id, outputs } = await harness.createKey();
    await harness.plane.state.createKey(found);
    await resourceTypes.ApiKey.delete(id, { ...outputs, lostNames: [late, found] }, harness.context);
    await resourceTypes.Owner.delete(OWNER, {}, harness.context);
    const said = harness.told.warn.join();
    expect(said).toContain(`the creation of ${late} was lost`);
    expect(said).toContain(`npx keyplane sweep --owner ${harness.tag}`);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("C5: is followed by an owner that does not mention a request that was lost long ago", async () => {
    const harness = await StackHarness.start();
    const { id, outputs } = await harness.createKey();
    await harness.clock.pass(2 * 3_600_000);
    await resourceTypes.ApiKey.delete(id, { ...outputs, lostNames: [autoName("ci", OWNER)] }, harness.context);
    await resourceTypes.Owner.delete(OWNER, {}, harness.context);
    expect(harness.told.warn).toEqual([]);
  });

  it("C9: is not needed by a destroy after a crash in the first run, which leaves no key behind", async () => {
    const harness = await StackHarness.start();
    await orphan(harness);
    await resourceTypes.Owner.delete(OWNER, {}, harness.context);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("D9: is independent of an owner that is replaced in a copied stack, which leaves the original's keys alone", async () => {
    const harness = await StackHarness.start({ run: { ...newRunNotes(), hasProgram: true } });
    const left = await orphan(harness);
    await resourceTypes.Owner.delete(OWNER, {}, harness.context);
    expect(await harness.liveIds()).toEqual([left]);
  });

  it("D9: is followed by an owner that stays in the state if it cannot sweep, so that the next destroy does", async () => {
    const harness = await StackHarness.start();
    const left = await orphan(harness);
    await harness.plane.rules.add({ route: LIST, status: 500, count: 3 });
    await expect(resourceTypes.Owner.delete(OWNER, {}, harness.context)).rejects.toThrow("500");
    await harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 500, count: 3 });
    await expect(resourceTypes.Owner.delete(OWNER, {}, harness.context)).rejects.toThrow(
      `could not revoke key ${left}`,
    );
    await resourceTypes.Owner.delete(OWNER, {}, harness.context);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("C10: only reports an unknown key if states are written at the end of a run, because the key may be in use", async () => {
    const harness = await StackHarness.start({ checkpointsSkipped: true });
    const left = await orphan(harness);
    const { id } = await harness.createKey();
    await harness.sweep([id]);
    expect(await harness.liveIds()).toEqual([left, id].sort());
    expect(harness.told.warn.join()).toContain("PULUMI_SKIP_CHECKPOINTS");
  });
});
