import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import {
  cli,
  failureOf,
  type PluginOptions,
  PluginUnderTest,
  type State,
  secret,
  stopPlugins,
  type Values,
} from "./plugin-harness";
import type { SavedRun } from "./pulumi-cli";

const DAY = 86_400_000;
const KIND = "RotatingApiKey";
const TWO = { rotationTriggers: { at: "2" } };
const THREE = { rotationTriggers: { at: "3" } };

let plane: ControlPlane;
let first: PluginUnderTest;

beforeEach(async () => {
  cli().saveHistory([BEFORE]);
  plane = await startControlPlane();
  first = await PluginUnderTest.start(plane);
});

afterEach(async () => {
  await stopPlugins();
  await plane.close();
});

const next = (options: PluginOptions = {}) => PluginUnderTest.start(plane, { provider: first.provider, ...options });
const live = async () => (await plane.liveKeys()).map(({ id }) => String(id)).sort();
const posts = () => plane.count("POST", "/api_keys");
const deletes = () => plane.count("DELETE");

/** A resource whose key was rotated: a current and a previous key. */
async function rotated(news: Values = {}): Promise<State> {
  const made = await first.add(KIND, { rotationTriggers: { at: "1" }, ...news });
  const { step, state } = await first.up(made, { ...TWO, ...news });
  expect(step).toBe("update");
  return state;
}

/** The same some days later: as if the machine's clock and the service's were ahead. */
async function later(state: State, days: number): Promise<State> {
  await plane.clock.set({ offsetMs: days * DAY });
  const earlier = (time: unknown) => new Date(Date.parse(String(time)) - days * DAY).toISOString();
  const { rotatedAt, deliveredAt, historyMark } = state.outputs;
  const mark = historyMark as { readonly startedAt: number } | undefined;
  const times = {
    rotatedAt: earlier(rotatedAt),
    ...(deliveredAt !== undefined && { deliveredAt: earlier(deliveredAt) }),
    ...(mark !== undefined && { historyMark: { ...mark, startedAt: mark.startedAt - days * DAY } }),
  };
  return { ...state, outputs: { ...state.outputs, ...times } };
}

/** A complete run before any rotation. */
const BEFORE = { began: "2026-01-01T00:00:00Z", ended: "2026-01-01T00:00:10Z" };

/** The run of a rotation, some seconds later. */
function runOf({ outputs }: State, secondsLater = 0): SavedRun {
  const { startedAt } = outputs.historyMark as { readonly startedAt: number };
  const at = (seconds: number) => new Date(startedAt + 1_000 * (secondsLater + seconds)).toISOString();
  return { began: at(-5), ended: at(5) };
}

/** Saves the state of the stack, and its history. By default, the run of the last rotation was complete. */
function save(state: State, runs: readonly SavedRun[] = [runOf(state)]): void {
  first.save([state]);
  cli().saveHistory([...runs, BEFORE]);
}

/** The same after its grace, and after a complete run. */
async function due(news: Values = {}): Promise<State> {
  const state = await later(await rotated(news), 2);
  save(state);
  return state;
}

/** Lets the CLI answer with the state of another stack, which has another owner. */
async function saveAnother(): Promise<void> {
  (await PluginUnderTest.start(plane)).save([]);
}

describe("a rotation", () => {
  it("creates the next key, keeps the previous one, and replaces nothing", async () => {
    const state = await rotated();
    const { keyId, previousKeyId, previousKey } = state.outputs;
    expect(await live()).toEqual([keyId, previousKeyId].sort());
    expect(await plane.secretsEverIssued()).toContain(previousKey);
    expect((await (await next()).up(state)).step).toBe("same");
    expect([await posts(), await deletes()]).toEqual([2, 0]);
  });

  it("asks for the history once for all resources, and the first key of a resource does not", async () => {
    const made = await first.add(KIND, { rotationTriggers: { at: "1" } });
    const other = await first.add(KIND, { rotationTriggers: { at: "1" } }, "other");
    expect(cli().questions).toEqual([]);
    await Promise.all([first.up(made, TWO), first.up(other, TWO)]);
    expect(cli().questions).toEqual(["stack history"]);
  });

  it("starts no grace by the history if it is a `pulumi do`, which the history shows as a complete run", async () => {
    const made = await first.add(KIND, { rotationTriggers: { at: "1" } });
    const plugin = await next({ command: ["do", "keyplane:index:RotatingApiKey", "patch", "r"] });
    expect((await plugin.up(made, TWO)).state.outputs).not.toHaveProperty("historyMark");
  });

  it("succeeds if the history cannot be read", async () => {
    cli().forgetHistory();
    const state = await rotated();
    expect(state.outputs).not.toHaveProperty("historyMark");
    expect(await live()).toHaveLength(2);
    expect(first.messages.join()).toContain("keyplane asked the Pulumi CLI about this stack, but");
  });
});

describe("after the grace of a previous key", () => {
  it.each([{}, { revokeOnDelete: false, maxOverlap: "1d" }, { retirement: "inPlace" }])(
    "it is revoked by an update that changes nothing else, with %j",
    async (news) => {
      const state = await due(news);
      const { keyId, previousKeyId, key } = state.outputs;
      const plugin = await next();
      const { step, state: updated } = await plugin.up(state);
      expect(step).toBe("update");
      expect(updated.outputs).toMatchObject({ keyId, key, previousKeyId: null, previousKey: null });
      expect(await live()).toEqual([keyId]);
      expect(await posts()).toBe(2);
      expect(plugin.messages).toContainEqual(
        expect.stringMatching(`^revoked key ${previousKeyId} .*Its successor is key ${keyId}`),
      );
      expect((await (await next()).up(updated)).step).toBe("same");
    },
  );

  it("counts the grace from the end of the run that rotated, because consumers elsewhere read the key then", async () => {
    const state = await later(await rotated(), 2);
    const { startedAt } = state.outputs.historyMark as { readonly startedAt: number };
    const at = (ms: number) => new Date(startedAt + ms).toISOString();
    save(state, [{ began: at(-5_000), ended: at(1.9 * DAY) }]);
    const { state: updated } = await (await next()).up(state);
    expect(Date.parse(String(updated.outputs.deliveredAt))).toBeGreaterThanOrEqual(startedAt + 1.9 * DAY);
    expect(await live()).toHaveLength(2);
  });

  it("a preview knows the current key, sends no request, and does not ask for the state", async () => {
    const state = await due();
    const asked = cli().questions;
    const plugin = await next();
    const inputs = await plugin.checked(KIND, TWO, state.inputs);
    const before = await plane.count();
    expect(await plugin.diff(state, inputs)).toMatchObject({ changes: true, replaces: [] });
    const { keyId, name, key, createdAt } = state.outputs;
    expect(await plugin.previewUpdate(state, inputs)).toMatchObject({ keyId, name, key: secret(key), createdAt });
    expect([await plane.count(), cli().questions]).toEqual([before, asked]);
  });

  it("one look at the history is enough for all resources", async () => {
    const state = await due();
    const asked = cli().questions;
    const plugin = await next();
    await plugin.up(state);
    await plugin.up({ ...state, name: "other" });
    expect(cli().questions).toEqual([...asked, "stack history"]);
  });

  it("a key that is still used stays until its quiet period is over", async () => {
    const state = await due();
    const { keyId, previousKeyId } = state.outputs;
    await plane.state.useKey(String(previousKeyId));
    const plugin = await next();
    const { step, state: updated } = await plugin.up(state);
    expect(step).toBe("update");
    expect(updated.outputs).toMatchObject({ keyId, previousKeyId });
    expect(await live()).toEqual([keyId, previousKeyId].sort());
    expect(plugin.messages).toContainEqual(expect.stringMatching(`key ${previousKeyId} .* was last used`));
    expect((await (await next()).up(updated)).step).toBe("same");
  });

  it("a key that is still used stays if a list lacks it, because that proves nothing about its use", async () => {
    const state = await due();
    await plane.state.useKey(String(state.outputs.previousKeyId));
    await plane.rules.add({ route: "GET /api_keys", lacks: 1, count: 1 });
    const { state: updated } = await (await next()).up(state);
    expect(await live()).toContain(state.outputs.previousKeyId);
    expect(updated.outputs.previousKeyId).toBe(state.outputs.previousKeyId);
  });

  it("a key that works stays if two lists lack it, because its use is unknown", async () => {
    const state = await due();
    const { previousKeyId } = state.outputs;
    await plane.state.useKey(String(previousKeyId));
    await plane.rules.add({ route: "GET /api_keys", lacks: 1, count: 2 });
    const plugin = await next();
    const { state: updated } = await plugin.up(state);
    expect(updated.outputs.previousKeyId).toBe(previousKeyId);
    expect([await live(), await deletes()]).toEqual([[previousKeyId, updated.outputs.keyId].sort(), 0]);
    expect(plugin.messages.join()).toMatch(
      new RegExp(`the last use of key ${previousKeyId} is unknown: .*but the key works`),
    );
  });

  it("a key that is gone is no longer in the state, and costs no deletion", async () => {
    const state = await due();
    await plane.state.revokeKey(String(state.outputs.previousKeyId));
    const { state: updated } = await (await next()).up(state);
    expect(updated.outputs.previousKeyId).toBeNull();
    expect([await live(), await deletes()]).toEqual([[state.outputs.keyId], 0]);
  });

  it("another change of the program goes with the revocation", async () => {
    const state = await due();
    const { step, state: updated } = await (await next()).up(state, { ...TWO, rotateAfter: "90d" });
    expect([step, updated.outputs.rotateAfter]).toEqual(["update", "90d"]);
    expect(await live()).toEqual([updated.outputs.keyId]);
  });

  it("a key that could not be revoked stays in the state, and the next run revokes it", async () => {
    const state = await due();
    await plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    const { state: updated } = await (await next()).up(state);
    expect(updated.outputs.previousKeyId).toBe(state.outputs.previousKeyId);
    const { step, state: last } = await (await next()).up(updated);
    expect([step, last.outputs.previousKeyId]).toEqual(["update", null]);
    expect(await live()).toEqual([state.outputs.keyId]);
  });

  it.each<[string, (state: State) => readonly SavedRun[] | undefined]>([
    ["the run that rotated failed", (state) => [{ ...runOf(state), result: "failed" }]],
    [
      "the run that rotated was limited",
      (state) => [{ ...runOf(state), environment: { "pulumi.flag.target": "true" } }],
    ],
    ["no run is known since the rotation", () => []],
    ["the history cannot be read", () => undefined],
  ])("a key stays, and its grace starts with this change, if %s", async (_, runsOf) => {
    const state = await due();
    const runs = runsOf(state);
    if (runs === undefined) cli().forgetHistory();
    else save(state, runs);
    const plugin = await next();
    const { step, state: updated } = await plugin.up(state);
    expect(step).toBe("update");
    expect(await live()).toHaveLength(2);
    expect(plugin.messages.join()).toContain("does not prove that the run of the rotation has reached the whole stack");
    expect((await (await next()).up(updated)).step).toBe("same");

    if (runs === undefined) return;
    const overdue = await later(updated, 4);
    save(overdue);
    await (await next()).up(overdue);
    expect(await live()).toEqual([state.outputs.keyId]);
  });

  it.each([
    ["the history could not be read in the rotation", {}],
    ["the mark of the history is damaged", { historyMark: { startedAt: "soon" } }],
  ])("a key stays, and its grace starts again, if %s", async (_, damage) => {
    const state = await due();
    const { historyMark, ...others } = state.outputs;
    cli().saveHistory([BEFORE]);
    const { state: updated } = await (await next()).up({ ...state, outputs: { ...others, ...damage } });
    expect(await live()).toHaveLength(2);
    const overdue = await later(updated, 4);
    save(overdue);
    await (await next()).up(overdue);
    expect(await live()).toEqual([state.outputs.keyId]);
  });

  it("a key stays if the run that rotated failed in the second in which the run before it had ended", async () => {
    const sameSecond = () => {
      const now = new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
      return { began: now, ended: now };
    };
    cli().saveHistory([sameSecond()]);
    const state = await rotated();
    await (await next()).up(await later(state, 2));
    expect(await live()).toHaveLength(2);
  });

  it("a key stays if only a later run was complete: its grace starts with this one, if this one is complete, too", async () => {
    const state = await due();
    save(state, [runOf(state, 3_600), { ...runOf(state), result: "failed" }]);
    const { state: updated } = await (await next()).up(state);
    expect(await live()).toHaveLength(2);
    expect((await (await next()).up(updated)).step).toBe("same");
    // The later run may have gone on from another state, which was restored afterwards.
    const overdue = await later(updated, 4);
    await (await next()).up(overdue);
    expect(await live()).toHaveLength(2);
    const mark = overdue.outputs.historyMark as object;
    const counted = { ...overdue, outputs: { ...overdue.outputs, historyMark: { ...mark, lastEnd: 0 } } };
    save(counted);
    await (await next()).up(counted);
    expect(await live()).toEqual([state.outputs.keyId]);
  });

  it("is revoked if the backend is a service with another clock, which numbers the runs", async () => {
    cli().saveHistory([{ ...BEFORE, version: 3 }]);
    const state = await later(await rotated(), 2);
    first.save([state]);
    cli().saveHistory([
      { ...runOf(state, 60), version: 4 },
      { ...BEFORE, version: 3 },
    ]);
    await (await next()).up(state);
    expect(await live()).toEqual([state.outputs.keyId]);
  });

  it("a key that stays again, because the history does not prove the delivery, causes a warning with the remedy", async () => {
    const warned = expect.stringMatching(/^key .* stays live: .*, again\. Run `pulumi up` .*set revokeNow to the id/);
    const state = await due();
    save(state, [runOf(state, 3_600)]);
    const once = await next();
    const { state: updated } = await once.up(state);
    expect(once.messages).not.toContainEqual(warned);
    const overdue = await later(updated, 4);
    save(overdue, [runOf(overdue, 3_600)]);
    const twice = await next();
    await twice.up(overdue);
    expect(twice.messages).toContainEqual(warned);
    expect(await live()).toHaveLength(2);
  });

  it.each([
    ["starts by the service's clock if this machine's is behind", 200, 2],
    ["does not start without the service's clock", 503, 0],
  ])("a key stays, and its grace %s", async (_, status, days) => {
    const state = await due();
    save(state, [{ ...runOf(state), result: "failed" }]);
    if (status !== 200) await plane.rules.add({ route: "GET /api_keys", status, count: null });
    const { state: updated } = await (await next()).up(state);
    expect(await live()).toHaveLength(2);
    const startsAfterMs = Date.parse(String(updated.outputs.rotatedAt)) - Date.parse(String(state.outputs.rotatedAt));
    expect(Math.round(startsAfterMs / DAY)).toBe(days === 0 ? 0 : 2 * days);
  });

  it("a key that version 0.2 has retired is revoked by an update", async () => {
    const state = await due();
    const { previousKeyId, previousName, previousKey, rotatedAt, ...others } = state.outputs;
    const createdAt = new Date(Date.now() - 2 * DAY).toISOString();
    const older = { ...state, outputs: { ...others, createdAt, retiring: [previousKeyId] } };
    save(older);
    const { step, state: updated } = await (await next()).up(older);
    expect(step).toBe("update");
    expect(await live()).toEqual([state.outputs.keyId]);
    expect((await (await next()).up(updated)).step).toBe("same");
  });

  it("a retired key that two lists lack is named, because it may work and its secret is no longer known", async () => {
    const state = await due();
    const { previousKeyId, previousName, previousKey, rotatedAt, ...others } = state.outputs;
    const createdAt = new Date(Date.now() - 2 * DAY).toISOString();
    const later = { ...state, outputs: { ...others, createdAt, retired: [previousKeyId] } };
    save(later);
    await plane.rules.add({ route: "GET /api_keys", lacks: 1, count: 2 });
    const plugin = await next();
    const { state: updated } = await plugin.up(later);
    expect(updated.outputs).not.toHaveProperty("retired");
    expect([await live(), await deletes()]).toEqual([[previousKeyId, state.outputs.keyId].sort(), 0]);
    expect(plugin.messages.join()).toContain(`npx keyplane revoke ${previousKeyId}`);
  });

  it("a retired key that was adopted, whose name does not show the owner, is revoked by an update", async () => {
    const state = await due();
    const { previousKeyId, previousName, previousKey, rotatedAt, ...others } = state.outputs;
    const adopted = { id: String((await plane.state.createKey("by-hand")).id), name: "by-hand", by: "tagofowner" };
    const createdAt = new Date(Date.now() - 2 * DAY).toISOString();
    const later = { ...state, outputs: { ...others, createdAt, adopted, retired: [previousKeyId, adopted.id] } };
    save(later);
    await (await next()).up(later);
    expect(await live()).toEqual([state.outputs.keyId]);
  });

  it("a destroy revokes all keys", async () => {
    const state = await due();
    await (await next({ command: ["destroy"] })).delete(state);
    expect(await live()).toEqual([]);
  });

  it("a replacement creates a new key, and its deletion revokes the old ones", async () => {
    const state = await due({ organizationId: "org-local-1" });
    const { id: projectId } = await plane.state.createProject({ organizationId: "org-local-1" } as object);
    const plugin = await next();
    const news = { ...TWO, organizationId: "org-local-1", projectId };
    const { step, replaces, state: successor } = await plugin.up(state, news);
    expect([step, replaces]).toEqual(["replace", ["projectId"]]);
    expect(successor.outputs.keyId).not.toBe(state.outputs.keyId);
    await plugin.delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("a replacement leaves the old keys live if revokeOnDelete keeps them", async () => {
    const news = { organizationId: "org-local-1", revokeOnDelete: false };
    const state = await due(news);
    const { id: projectId } = await plane.state.createProject({ organizationId: "org-local-1" } as object);
    const plugin = await next();
    const { state: successor } = await plugin.up(state, { ...TWO, ...news, projectId });
    await plugin.delete(state);
    const { keyId, previousKeyId } = state.outputs;
    expect(await live()).toEqual([keyId, previousKeyId, successor.outputs.keyId].sort());
  });

  it("a refresh reports no change, because only time has passed", async () => {
    const state = await due();
    const plugin = await next();
    await plugin.read(state);
    expect(await plugin.diff(state, state.inputs)).toMatchObject({ changes: false, replaces: [] });
    expect(plugin.messages).toEqual([]);
  });
});

describe("a refresh of a resource with a key that revokeNow names", () => {
  it("reports no change, because only the next up revokes it", async () => {
    const state = await rotated();
    const named = { revokeNow: state.outputs.previousKeyId };
    const plugin = await next();
    await plugin.read(state);
    const inputs = { ...state.inputs, ...named };
    const outputs = { ...state.outputs, ...named };
    expect(await plugin.diff({ ...state, outputs }, inputs)).toMatchObject({ changes: false, replaces: [] });
  });
});

describe("the deletion of a resource by a provider that the program does not use", () => {
  const removed = (options: PluginOptions = {}) => next({ removed: true, ...options });
  const upgrade = () => PluginUnderTest.start(plane, { providerName: "default_0_3_0" });
  /** A resource with two keys, and a replacement by an earlier run that continues it without the previous one. */
  const handedOver = async () => {
    const state = await rotated();
    const { step, state: successor } = await (await next()).up(state, {
      ...TWO,
      revokeNow: state.outputs.previousKeyId,
    });
    expect(step).toBe("replace");
    return { old: { ...state, engine: { delete: true } }, successor };
  };

  it("revokes both keys, because the program has no key left", async () => {
    const state = await due();
    await (await removed()).delete(state);
    expect(await live()).toEqual([]);
  });

  it("revokes both keys after an upgrade, because no resource continues them", async () => {
    const state = await due();
    const upgraded = await upgrade();
    const other = await upgraded.add(KIND, {}, "other");
    upgraded.save([state, other]);
    await (await removed({ beside: upgraded })).delete(state);
    expect(await live()).toEqual([other.outputs.keyId]);
  });

  it("is refused if the state cannot be read, because another resource may have its keys", async () => {
    const state = await rotated();
    expect(await failureOf((await removed()).delete(state))).toMatch(/state of the stack, .*\[KP-REVOKE\]/);
    expect(await live()).toHaveLength(2);
    await (await removed({ command: ["destroy"] })).delete(state);
    expect(await live()).toEqual([]);
  });

  it("is refused if the CLI answers with the state of another stack, which does not show the successor", async () => {
    const { old, successor } = await handedOver();
    const upgraded = await upgrade();
    await upgraded.up(successor);
    await saveAnother();
    expect(await failureOf((await removed({ beside: upgraded })).delete(old))).toMatch(
      /state of the stack, .*KP-REVOKE/,
    );
    expect(await live()).toHaveLength(2);
  });

  it("keeps the current key after an upgrade, because the successor has it", async () => {
    const { old, successor } = await handedOver();
    const upgraded = await upgrade();
    expect((await upgraded.up(successor)).step).toBe("same");
    upgraded.save([old, successor]);
    await (await removed({ beside: upgraded })).delete(old);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("keeps the current key if the upgraded plugin replaces the resource", async () => {
    const state = await rotated();
    const upgraded = await upgrade();
    const { state: successor } = await upgraded.up(state, { ...TWO, revokeNow: state.outputs.previousKeyId });
    expect(successor.outputs.keyId).toBe(state.outputs.keyId);
    expect(successor.inputs.__owner, "its name shows the former owner").toBe(state.inputs.__owner);
    upgraded.save([{ ...state, engine: { delete: true } }, successor]);
    await (await removed({ beside: upgraded })).delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("keeps the current key of that replacement also if the former plugin has refreshed the old resource", async () => {
    const state = await rotated();
    first.save([state]);
    const upgraded = await upgrade();
    const former = await removed({ beside: upgraded, command: ["up", "--refresh"] });
    await former.diff((await former.read(state)) ?? state, state.inputs);
    const { state: successor } = await upgraded.up(state, { ...TWO, revokeNow: state.outputs.previousKeyId });
    upgraded.save([{ ...state, engine: { delete: true } }, successor]);
    await former.delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("keeps the current key of that replacement also if an early deletion has looked at the state", async () => {
    const exact = await first.add("ApiKey", { name: "exact" }, "exact");
    const imported = { ...exact, outputs: { ...exact.outputs, imported: true } };
    const state = await rotated();
    first.save([imported, state]);
    const upgraded = await upgrade();
    const former = await removed({ beside: upgraded });
    await former.delete(imported);
    const { state: successor } = await upgraded.up(state, { ...TWO, revokeNow: state.outputs.previousKeyId });
    upgraded.save([{ ...state, engine: { delete: true } }, successor]);
    await former.delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("keeps both keys of a successor that the upgraded plugin rotates", async () => {
    const { old, successor } = await handedOver();
    const upgraded = await upgrade();
    const { step, state: rotatedAgain } = await upgraded.up(successor, {
      ...THREE,
      revokeNow: old.outputs.previousKeyId,
    });
    expect(step).toBe("update");
    upgraded.save([old, rotatedAgain]);
    await (await removed({ beside: upgraded })).delete(old);
    expect(await live()).toEqual([successor.outputs.keyId, rotatedAgain.outputs.keyId].sort());
  });

  it("is refused after an upgrade, if the command leaves out consumers", async () => {
    const { old, successor } = await handedOver();
    const upgraded = await upgrade();
    await upgraded.up(successor);
    const former = await removed({ beside: upgraded, command: ["up", "--target", "urn:other"] });
    expect(await failureOf(former.delete(old))).toMatch(/KP-REVOKE/);
    expect(await live()).toEqual([successor.outputs.keyId, old.outputs.previousKeyId].sort());
  });
});

describe("a key that revokeNow names", () => {
  it("is replaced by a new key if it is the current one, and is revoked with the old resource", async () => {
    const state = await first.add(KIND);
    const { keyId } = state.outputs;
    const plugin = await next();
    const { step, state: successor } = await plugin.up(state, { revokeNow: keyId });
    expect(step).toBe("replace");
    expect(successor.outputs.keyId).not.toBe(keyId);
    expect(plugin.messages.join()).toContain(
      `key ${keyId}, which revokeNow names, is to be revoked. The resource is replaced and gets a new key`,
    );
    expect(successor.outputs).not.toHaveProperty("retired");
    expect(await live()).toEqual([keyId, successor.outputs.keyId].sort());
    await plugin.delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
    expect((await (await next()).up(successor)).step).toBe("same");
  });

  it("is revoked alone if it is the current one beside a previous one", async () => {
    const state = await rotated();
    const plugin = await next();
    const { state: successor } = await plugin.up(state, { ...TWO, revokeNow: state.outputs.keyId });
    await plugin.delete(state);
    const { keyId, previousKeyId } = successor.outputs;
    expect(previousKeyId).toBe(state.outputs.previousKeyId);
    expect(await live()).toEqual([keyId, previousKeyId].sort());
  });

  it("is revoked without a new key if it is the previous one", async () => {
    const state = await rotated();
    const { keyId, previousKeyId } = state.outputs;
    const plugin = await next();
    const { step, state: successor } = await plugin.up(state, { ...TWO, revokeNow: previousKeyId });
    expect(step).toBe("replace");
    expect(successor.outputs).toMatchObject({ keyId, previousKeyId: null });
    expect(await live()).toContain(previousKeyId);
    await plugin.delete(state);
    expect(await live()).toEqual([keyId]);
    expect(await posts()).toBe(2);
  });

  it("in a preview makes the next key unknown only if it is the current one", async () => {
    const state = await rotated();
    for (const [revokeNow, isKnown] of [
      [state.outputs.keyId, false],
      [state.outputs.previousKeyId, true],
    ] as const) {
      const plugin = await next();
      const inputs = await plugin.checked(KIND, { ...TWO, revokeNow }, state.inputs);
      await plugin.diff(state, inputs);
      const planned = await plugin.previewCreate(KIND, inputs);
      expect(planned.keyId === state.outputs.keyId).toBe(isKnown);
    }
  });

  it("is revoked with the old resource, and a previous key after its grace at once", async () => {
    const kept = { revokeOnDelete: false, maxOverlap: "1d" };
    const state = await due(kept);
    const news = { ...TWO, ...kept, revokeNow: state.outputs.keyId };
    const plugin = await next();
    const { state: successor } = await plugin.up(state, news);
    expect(await live()).toEqual([state.outputs.keyId, successor.outputs.keyId].sort());
    await plugin.delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
    expect((await (await next()).up(successor, news)).step).toBe("same");
  });

  it("is revoked by a later run, if the run of the replacement could not delete the old resource", async () => {
    const state = await rotated();
    const news = { ...TWO, revokeNow: state.outputs.keyId };
    const { state: successor } = await (await next()).up(state, news);
    for (let run = 0; run < 2; run++) {
      expect((await (await next()).up(successor, news)).step).toBe("same");
      expect(await live()).toHaveLength(3);
    }
    const plugin = await next();
    await plugin.up(successor, news);
    await plugin.delete(state);
    expect(await live()).toEqual([state.outputs.previousKeyId, successor.outputs.keyId].sort());
  });

  it("is revoked by the deletion of both resources, in either order, whatever revokeOnDelete says", async () => {
    for (const isOldFirst of [true, false]) {
      const state = await rotated({ revokeOnDelete: false });
      const news = { ...TWO, revokeOnDelete: false, revokeNow: state.outputs.keyId };
      const { state: successor } = await (await next()).up(state, news);
      const plugin = await next({ command: ["destroy"] });
      const old = { ...state, engine: { delete: true } };
      plugin.save([successor, ...(isOldFirst ? [] : [old])]);
      for (const each of isOldFirst ? [state, successor] : [successor, state]) await plugin.delete(each);
      expect(await live()).not.toContain(state.outputs.keyId);
      expect(await live()).toContain(successor.outputs.keyId);
    }
  });

  it("is revoked at once if the old resource is deleted before its replacement, which loses no other key", async () => {
    const state = await rotated();
    const { keyId, key, previousKeyId } = state.outputs;
    const news = { ...TWO, revokeNow: previousKeyId };
    const plugin = await next();
    const inputs = await plugin.checked(KIND, news, state.inputs);
    expect((await plugin.diff(state, inputs)).replaces).toEqual(["revokeNow"]);
    await plugin.delete(state);
    const successor = await plugin.replace(state, news);
    expect(successor.outputs).toMatchObject({ keyId, key, previousKeyId: null });
    expect(await live()).toEqual([keyId]);
    expect((await (await next()).up(successor, news)).step).toBe("same");
  });

  it("is named if only the state of another stack could show whether an earlier run has deleted the resource", async () => {
    const state = await rotated();
    const { keyId, previousKeyId } = state.outputs;
    const plugin = await next();
    for (const isOwn of [true, false]) {
      if (isOwn) plugin.save([state]);
      else await saveAnother();
      const run = await next();
      await run.up(state, { ...TWO, revokeNow: previousKeyId });
      const told = new RegExp(`^key ${previousKeyId} is revoked with .* run \`npx keyplane revoke ${previousKeyId}\``);
      expect(run.messages.some((message) => told.test(message))).toBe(!isOwn);
      expect(run.messages.join()).not.toContain(`revoke ${keyId}`);
    }
  });

  it("is reported if the resource was deleted first, could not be created, and revokeNow was removed meanwhile", async () => {
    const state = await rotated();
    const { keyId, previousKeyId } = state.outputs;
    const killed = await next();
    const named = await killed.checked(KIND, { ...TWO, revokeNow: keyId }, state.inputs);
    await killed.diff(state, named);
    await killed.delete(state);
    const plugin = await next();
    plugin.save([{ ...state, engine: { pendingReplacement: true } }]);
    expect(await plugin.diff(state, await plugin.checked(KIND, TWO, state.inputs))).toMatchObject({ replaces: [] });
    await plugin.replace(state, TWO);
    for (const id of [keyId, previousKeyId]) {
      const told = new RegExp(`^key ${id} can still be live, .* run \`npx keyplane revoke ${id}\``);
      expect(plugin.messages).toContainEqual(expect.stringMatching(told));
    }
    expect(await live()).toEqual(expect.arrayContaining([keyId, previousKeyId]));
  });

  it("stays live for the run that deletes the old resource first, because consumers have it, and the next one revokes it", async () => {
    const state = await rotated();
    const { keyId, previousKeyId } = state.outputs;
    const news = { ...TWO, revokeNow: keyId };
    const replaced = async (old: typeof state) => {
      const plugin = await next();
      const inputs = await plugin.checked(KIND, news, old.inputs);
      expect((await plugin.diff(old, inputs)).replaces).toEqual(["revokeNow"]);
      await plugin.delete(old);
      return plugin.replace(old, news);
    };
    const successor = await replaced(state);
    expect(await live()).toEqual([previousKeyId, keyId, successor.outputs.keyId].sort());
    const last = await replaced(successor);
    expect(last.outputs).toMatchObject({ keyId: successor.outputs.keyId, previousKeyId });
    expect(await live()).toEqual([previousKeyId, successor.outputs.keyId].sort());
    expect((await (await next()).up(last, news)).step).toBe("same");
  });
});

describe("retirement in place", () => {
  const IN_PLACE = { retirement: "inPlace" };

  it("of the current key that revokeNow names follows its rotation, once the state has the new key", async () => {
    const state = await first.add(KIND, IN_PLACE);
    const inputs = { ...IN_PLACE, revokeNow: state.outputs.keyId };
    const { step, state: rotated } = await (await next()).up(state, inputs);
    expect(step).toBe("update");
    expect(await live()).toContain(state.outputs.keyId);
    expect((await (await next()).up(rotated, inputs)).step).toBe("update");
    expect(await live()).toEqual([rotated.outputs.keyId]);
  });
});

describe("the replacement of an ApiKey", () => {
  it("creates the next key before the old one is revoked", async () => {
    const state = await first.add("ApiKey", { rotationTriggers: { at: "1" } });
    const plugin = await next();
    const { step, state: successor } = await plugin.up(state, TWO);
    expect(step).toBe("replace");
    expect(await live()).toEqual([state.id, successor.id].sort());
    await plugin.delete(state);
    expect(await live()).toEqual([successor.id]);
    expect(plugin.messages).toEqual(["replaced, because rotationTriggers changed"]);
  });

  it("with an exact name asks to delete the old key first", async () => {
    const state = await first.add("ApiKey", { name: "ci", rotationTriggers: { at: "1" } });
    const plugin = await next();
    const inputs = await plugin.checked("ApiKey", { name: "ci", ...TWO }, state.inputs);
    expect(await plugin.diff(state, inputs)).toMatchObject({ deleteBeforeReplace: true });
    await plugin.delete(state);
    const successor = await plugin.replace(state, { name: "ci", ...TWO });
    expect(await live()).toEqual([successor.id]);
  });
});
