import { describe, expect, it } from "vitest";
import { AbortedError } from "../../../provider/errors";
import { diff, kinds, newRunNotes, type Properties } from "../../../provider/resources";
import { autoName } from "../../../provider/resources/names";
import { Bench, OTHER_OWNER, OWNER } from "./harness";

const LIST = "GET /api_keys";
const DELETE = "DELETE /api_keys/{key_id}";

/** A key that an interrupted run has made and no state holds: its creation is forgotten. */
const orphan = async (bench: Bench) => (await bench.createKey()).id;

const isDue = (outputs: Properties) =>
  diff(kinds.Ledger, outputs, { owner: outputs.owner, owned: outputs.owned }, { now: 0, driftOnly: false }).changes;

describe("the ledger", () => {
  it("costs one list where nothing was left behind, and nothing where nothing has changed", async () => {
    const bench = await Bench.start();
    const { id } = await bench.createKey();
    const outputs = await bench.sweep([id]);
    expect(await bench.requests(1)).toEqual([LIST]);
    expect(outputs).toMatchObject({ owned: [id], delivered: [id] });
    expect(isDue(outputs)).toBe(false);
  });

  it("C9: revokes the key of a run that was killed after the service had made it", async () => {
    const bench = await Bench.start();
    await orphan(bench);
    const { id } = await bench.createKey();
    const outputs = await bench.sweep([id]);
    expect(await bench.liveIds()).toEqual([id]);
    expect(bench.told.info.join()).toContain("left behind by an interrupted run");
    expect(isDue(outputs)).toBe(false);
  });

  it("C8: finds nothing to revoke after a run that was killed before it had sent anything", async () => {
    const bench = await Bench.start();
    const { id } = await bench.createKey();
    await bench.sweep([id]);
    expect(await bench.requests()).not.toContain(DELETE);
  });

  it("C10: treats a key whose state could not be written like that of a killed run", async () => {
    const bench = await Bench.start();
    const first = await bench.sweep([(await bench.createKey()).id]);
    await orphan(bench);
    const { id } = await bench.createKey();
    await bench.sweep([id], first);
    expect(await bench.liveIds()).toEqual([...(first.delivered as string[]), id].sort());
  });

  it("C14: reports a key that nobody holds but somebody has used, and leaves it alone: I4", async () => {
    const bench = await Bench.start();
    const used = await orphan(bench);
    await bench.plane.state.useKey(used);
    const { id } = await bench.createKey();
    const outputs = await bench.sweep([id]);
    expect(await bench.liveIds()).toEqual([used, id].sort());
    expect(bench.told.warn.join()).toMatch(new RegExp(`key ${used} .*last used .*leaves it alone`));
    expect(isDue(outputs)).toBe(false);
  });

  it("C14: two stacks in one account never touch each other's keys", async () => {
    const bench = await Bench.start();
    const other = bench.beside({ owner: OTHER_OWNER });
    const mine = await bench.createKey();
    const theirs = await other.createKey();
    await bench.sweep([mine.id]);
    await other.sweep([theirs.id]);
    await kinds.Ledger.delete("ledger", await bench.sweep([]), bench.context);
    await kinds.Owner.delete(OWNER, {}, bench.context);
    expect(await bench.liveIds()).toContain(theirs.id);
  });

  it("C14: leaves every key without its own tag alone, whatever it is called", async () => {
    const bench = await Bench.start();
    const names = ["plain", `ci-${bench.tag}`, `ci-${bench.tag}-short`, `x${autoName("ci", bench.owner)}Y`];
    names.push(`CI-${bench.tag}-aaaaaaaa`, autoName("ci", OTHER_OWNER), `ci-${bench.tag}-aaaaaaaa-aaaaaaaa`);
    for (const name of names) await bench.plane.state.createKey(name);
    await bench.sweep([]);
    expect(await bench.liveIds()).toHaveLength(names.length);
  });

  it("leaves what it ever saw in the stack to the engine: a key to be deleted may still be in a consumer's hands", async () => {
    const bench = await Bench.start();
    const old = await bench.createKey();
    const first = await bench.sweep([old.id]);
    const next = await bench.createKey();
    const second = await bench.sweep([next.id], first);
    const third = await bench.sweep([next.id], second);
    expect(await bench.liveIds()).toEqual([old.id, next.id].sort());
    expect(third.delivered).toEqual(expect.arrayContaining([old.id, next.id]));
    await bench.deleteKey(old);
    const last = await bench.createKey();
    expect((await bench.sweep([next.id, last.id], third)).delivered).toEqual([last.id, next.id]);
  });

  it("C13: never fails a run because the list is unavailable, and tries again in the next one", async () => {
    const bench = await Bench.start();
    await orphan(bench);
    const { id } = await bench.createKey();
    const first = await bench.sweep([id]);
    await orphan(bench);
    const more = await bench.createKey();
    await bench.plane.rules.add({ route: LIST, status: 500, count: 3 });
    const second = await bench.sweep([more.id], first);
    expect(bench.told.warn.join()).toContain("the next run tries again");
    expect(second.delivered, "a key that the run before held").toEqual([id]);
    expect(isDue(second)).toBe(true);
    const third = await bench.sweep([more.id], second);
    expect(await bench.liveIds()).toEqual([id, more.id]);
    expect(isDue(third)).toBe(false);
  });

  it("R3: revokes nothing, and tries again, where the list contradicts itself", async () => {
    const bench = await Bench.start();
    const key = await bench.createKey();
    await bench.plane.rules.add({ route: LIST, page: "empty" });
    const outputs = await bench.sweep([key.id]);
    expect(isDue(outputs)).toBe(true);
    expect(await bench.requests()).not.toContain(DELETE);
  });

  it("C7: keeps an orphan that cannot be revoked and tries again in the next run", async () => {
    const bench = await Bench.start();
    const left = await orphan(bench);
    const { id } = await bench.createKey();
    await bench.plane.rules.add({ route: DELETE, status: 400 });
    const first = await bench.sweep([id]);
    expect(await bench.liveIds()).toContain(left);
    expect(bench.told.warn.join()).toContain("could not be revoked");
    expect(isDue(first)).toBe(true);
    const second = await bench.sweep([id], first);
    expect(await bench.liveIds()).toEqual([id]);
    expect(isDue(second)).toBe(false);
  });

  it("revokes what its keys want gone at the cost of one request each, and looks for nothing besides", async () => {
    const bench = await Bench.start();
    const keys = [await bench.createKey(), await bench.createKey()];
    const owned = keys.map(({ id }) => id);
    const first = await bench.sweep(owned);
    await bench.createKey();
    const { length } = await bench.requests();
    const news = { owner: bench.identity, owned, lostNames: [], pendingRevocations: owned.slice(0, 1) };
    const second = await bench.endRun(news, first);
    expect(await bench.requests(length)).toEqual([DELETE]);
    expect(second).not.toHaveProperty("unrevoked");
    expect(second.delivered).toEqual(expect.arrayContaining(owned));
    expect(isDue(second)).toBe(false);
    const third = await kinds.Ledger.update("ledger", second, { ...news, pendingRevocations: owned }, bench.context);
    expect(await bench.requests(length)).toEqual([DELETE, DELETE]);
    // The key that a crash has left is swept by the run that makes the next one.
    await bench.sweep([...owned, (await bench.createKey()).id], third);
    expect(await bench.liveIds()).toHaveLength(1);
  });

  it("revokes many keys side by side, and two lists show all that are gone already", async () => {
    const bench = await Bench.start();
    const owned: string[] = [];
    for (let n = 0; n < 20; n++) owned.push((await bench.createKey()).id);
    const first = await bench.sweep(owned);
    for (const id of owned.slice(0, 10)) await bench.plane.state.revokeKey(id);
    // A run of its own, whose process has read no list yet.
    const next = bench.beside({ apiKey: bench.plane.apiKey });
    const { keys } = next.account;
    const revoke = keys.revoke.bind(keys);
    let [underWay, most] = [0, 0];
    keys.revoke = async (...args) => {
      most = Math.max(most, ++underWay);
      return revoke(...args).finally(() => underWay--);
    };
    const { length } = await bench.requests();
    await next.endRun({ owner: bench.identity, owned, lostNames: [], pendingRevocations: owned }, first);
    expect((await bench.requests(length)).sort()).toEqual([...Array<string>(20).fill(DELETE), LIST, LIST]);
    expect(most, "the client holds back what is more than the limits allow").toBeGreaterThanOrEqual(10);
    expect(await bench.liveIds()).toEqual([]);
  });

  it("sweeps, too, in a run that revokes where it has made a key: that is when one can be left behind", async () => {
    const bench = await Bench.start();
    const old = await bench.createKey();
    const first = await bench.sweep([old.id]);
    await bench.createKey();
    const { id } = await bench.createKey();
    const news = { owner: bench.identity, owned: [old.id, id].sort(), lostNames: [], pendingRevocations: [old.id] };
    await bench.endRun(news, first);
    expect(await bench.liveIds()).toEqual([id]);
  });

  it("remembers a key that leaves the program in a run that only revokes: it may live on in a consumer's hands", async () => {
    const bench = await Bench.start();
    const [kept, doomed] = [await bench.createKey(), await bench.createKey()];
    const first = await bench.sweep([kept.id, doomed.id]);
    const news = { owner: bench.identity, owned: [doomed.id], lostNames: [], pendingRevocations: [doomed.id] };
    const second = await bench.endRun(news, first);
    const { id } = await bench.createKey();
    await bench.sweep([id], second);
    expect(await bench.liveIds()).toEqual([kept.id, id]);
  });

  it("notes what it could not revoke, never fails a run for it, and tries again in the next one", async () => {
    const bench = await Bench.start();
    const { id } = await bench.createKey();
    const first = await bench.sweep([id]);
    const rule = await bench.plane.rules.add({ route: DELETE, status: 400, count: null });
    const news = { owner: bench.identity, owned: [id], lostNames: [], pendingRevocations: [id] };
    const second = await bench.endRun(news, first);
    expect(second.unrevoked).toEqual([id]);
    expect(bench.told.warn.join()).toMatch(new RegExp(`could not revoke key ${id}; the next .* tries again`));
    expect(isDue(second)).toBe(true);
    await bench.plane.rules.remove(rule.id);
    const third = await bench.endRun(news, second);
    expect(await bench.liveIds()).toEqual([]);
    expect(isDue(third)).toBe(false);
  });

  it("W6: notes what a cancelled run left to revoke, without a word for each key", async () => {
    const bench = await Bench.start();
    const { id } = await bench.createKey();
    const first = await bench.sweep([id]);
    bench.account.abort(new AbortedError("the run was cancelled"));
    const second = await bench.endRun({ owner: bench.identity, owned: [id], pendingRevocations: [id] }, first);
    expect(second.unrevoked).toEqual([id]);
    expect(bench.told.warn.join()).not.toContain("could not revoke");
  });

  it("fails the run where it could not revoke a key that got into wrong hands, and tries again in the next one", async () => {
    const bench = await Bench.start();
    const { id } = await bench.createKey();
    const first = await bench.sweep([id]);
    await bench.plane.rules.add({ route: DELETE, status: 400 });
    const news = { owner: bench.identity, owned: [id], lostNames: [], pendingRevocations: [id], compromised: [id] };
    await expect(bench.endRun(news, first)).rejects.toThrow(`key ${id}, which revokeNow names, is still live`);
    await bench.endRun(news, first);
    expect(await bench.liveIds()).toEqual([]);
  });

  it("revokes nothing in an incomplete run, and everything in the complete one after it", async () => {
    const bench = await Bench.start();
    const old = await bench.createKey();
    const first = await bench.sweep([old.id]);
    const current = await bench.createKey();
    const left = await orphan(bench);
    const news = { owner: bench.identity, owned: [old.id, current.id], lostNames: [], pendingRevocations: [old.id] };
    const second = await bench.endRun({ ...news, incomplete: true }, first);
    const third = await bench.endRun({ ...news, incomplete: true }, second);
    expect(await bench.liveIds()).toEqual([old.id, current.id, left].sort());
    expect(third).toMatchObject({ unrevoked: [old.id], unswept: true });
    expect(isDue(third)).toBe(true);
    const last = await bench.endRun(news, third);
    expect(await bench.liveIds()).toEqual([current.id]);
    expect(isDue(last)).toBe(false);
  });

  it("compares its keys in one pass: twice as many take twice as many steps", () => {
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
      expect(diff(kinds.Ledger, before, news, { now: 0, driftOnly: false }).changes).toBe(false);
      return steps;
    };
    expect(stepsFor(2000)).toBeLessThan(2.5 * stepsFor(1000));
  });

  it("C10: leaves it to the next run to revoke where states are written at the end of a run", async () => {
    const bench = await Bench.start({ checkpointsSkipped: true });
    const { id } = await bench.createKey();
    const first = await bench.sweep([id]);
    const news = { owner: bench.identity, owned: [id], lostNames: [], pendingRevocations: [id] };
    const second = await bench.endRun(news, first);
    expect(await bench.liveIds()).toEqual([id]);
    expect(second.unrevoked).toEqual([id]);
    expect(bench.told.warn.join()).toContain("PULUMI_SKIP_CHECKPOINTS");
    expect(isDue(second)).toBe(true);
    // By now the state of the run before is written, and so are the successors.
    await bench.endRun(news, second);
    expect(await bench.liveIds()).toEqual([]);
  });

  it("C5: only flags what a refresh finds, so that the up after it revokes", async () => {
    const bench = await Bench.start();
    const { id } = await bench.createKey();
    const outputs = await bench.sweep([id]);
    const left = await orphan(bench);
    const read = await kinds.Ledger.read("ledger", outputs, bench.context);
    expect(read).toEqual({ ...outputs, unswept: true });
    expect(await bench.liveIds()).toEqual([id, left].sort());
    expect(isDue(read ?? {})).toBe(true);
    await bench.sweep([id], read);
    expect(await bench.liveIds()).toEqual([id]);
  });

  it("R1: reads on without a list: an outage is no drift, and the next run looks again", async () => {
    const bench = await Bench.start();
    const { id } = await bench.createKey();
    const outputs = await bench.sweep([id]);
    await bench.plane.rules.add({ route: LIST, status: 500, count: 3 });
    const read = await kinds.Ledger.read("ledger", outputs, bench.beside({}).context);
    expect(isDue(read ?? {})).toBe(true);
    expect(read).toMatchObject(outputs);
  });

  it("D9: leaves the last sweep to the owner: a key of a failed run is in the state, but not in the ledger", async () => {
    const bench = await Bench.start();
    const owned = await bench.createKey();
    const ledger = await bench.sweep([owned.id]);
    const unseen = await bench.createKey();
    await kinds.Ledger.delete("ledger", ledger, bench.context);
    expect(await bench.liveIds()).toEqual([owned.id, unseen.id].sort());
  });

  it("D9: is followed by the owner, which sweeps last, but nothing that is to outlive the stack", async () => {
    const bench = await Bench.start();
    const retained = await bench.createKey();
    const ledger = await bench.sweep([retained.id]);
    const kept = await bench.createKey({ revokeOnDelete: false });
    await orphan(bench);
    await kinds.Ledger.delete("ledger", ledger, bench.context);
    await bench.deleteKey(kept);
    await kinds.Owner.delete(OWNER, {}, bench.context);
    expect(await bench.liveIds()).toEqual([retained.id, kept.id].sort());
  });

  it("D9: leaves a key that outlives its resource alone also in a resumed destroy, which knows nothing of it", async () => {
    const bench = await Bench.start();
    const kept = await bench.createKey({ revokeOnDelete: false });
    await bench.deleteKey(kept);
    await kinds.Owner.delete(OWNER, {}, bench.beside({}).context);
    expect(await bench.liveIds()).toEqual([kept.id]);
  });

  it("D9: does so as well where the key was kept only later, which uses it once", async () => {
    const bench = await Bench.start();
    const made = await bench.createKey();
    const kept = await bench.updateKey(made, { revokeOnDelete: false });
    await bench.deleteKey(kept);
    await kinds.Owner.delete(OWNER, {}, bench.beside({}).context);
    expect(await bench.liveIds()).toEqual([kept.id]);
    expect(await bench.requests()).toContain("GET /projects");
  });

  it("C5: is followed by an owner that tells which lost requests may still be carried out, when nobody looks", async () => {
    const bench = await Bench.start();
    const [late, found] = [autoName("ci", OWNER), autoName("ci", OWNER)];
    const { id, outputs } = await bench.createKey();
    await bench.plane.state.createKey(found);
    await kinds.ApiKey.delete(id, { ...outputs, lostNames: [late, found] }, bench.context);
    await kinds.Owner.delete(OWNER, {}, bench.context);
    const said = bench.told.warn.join();
    expect(said).toContain(`the creation of ${late} was lost`);
    expect(said).toContain(`npx keyplane sweep --owner ${bench.tag}`);
    expect(await bench.liveIds()).toEqual([]);
  });

  it("C5: is followed by an owner that says nothing of a request that was lost long ago", async () => {
    const bench = await Bench.start();
    const { id, outputs } = await bench.createKey();
    await bench.clock.pass(2 * 3_600_000);
    await kinds.ApiKey.delete(id, { ...outputs, lostNames: [autoName("ci", OWNER)] }, bench.context);
    await kinds.Owner.delete(OWNER, {}, bench.context);
    expect(bench.told.warn).toEqual([]);
  });

  it("C9: is not needed for that: a destroy after a crash in the very first run leaves no key behind", async () => {
    const bench = await Bench.start();
    await orphan(bench);
    await kinds.Owner.delete(OWNER, {}, bench.context);
    expect(await bench.liveIds()).toEqual([]);
  });

  it("D9: an owner that a program replaces, because its stack was copied, leaves the original's keys alone", async () => {
    const bench = await Bench.start({ run: { ...newRunNotes(), hasProgram: true } });
    const left = await orphan(bench);
    await kinds.Owner.delete(OWNER, {}, bench.context);
    expect(await bench.liveIds()).toEqual([left]);
  });

  it("D9: an owner that cannot sweep stays in the state, so that the next destroy does", async () => {
    const bench = await Bench.start();
    const left = await orphan(bench);
    await bench.plane.rules.add({ route: LIST, status: 500, count: 3 });
    await expect(kinds.Owner.delete(OWNER, {}, bench.context)).rejects.toThrow("500");
    await bench.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 500, count: 3 });
    await expect(kinds.Owner.delete(OWNER, {}, bench.context)).rejects.toThrow(`could not revoke key ${left}`);
    await kinds.Owner.delete(OWNER, {}, bench.context);
    expect(await bench.liveIds()).toEqual([]);
  });

  it("C10: only reports where states are written at the end of a run: an unknown key may be in use already", async () => {
    const bench = await Bench.start({ checkpointsSkipped: true });
    const left = await orphan(bench);
    const { id } = await bench.createKey();
    await bench.sweep([id]);
    expect(await bench.liveIds()).toEqual([left, id].sort());
    expect(bench.told.warn.join()).toContain("PULUMI_SKIP_CHECKPOINTS");
  });
});
