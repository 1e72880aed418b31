import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import {
  failureOf,
  type PluginOptions,
  PluginUnderTest,
  type State,
  secret,
  stopPlugins,
  type Values,
} from "./plugin-harness";

const DAY = 86_400_000;
const KIND = "RotatingApiKey";
const TWO = { rotationTriggers: { at: "2" } };
const THREE = { rotationTriggers: { at: "3" } };

let plane: ControlPlane;
let first: PluginUnderTest;

beforeEach(async () => {
  plane = await startControlPlane();
  first = await PluginUnderTest.start(plane);
});

afterEach(async () => {
  await stopPlugins();
  await plane.close();
});

const next = () => PluginUnderTest.start(plane, { provider: first.provider });
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
  const rotatedAt = new Date(Date.parse(String(state.outputs.rotatedAt)) - days * DAY).toISOString();
  return { ...state, outputs: { ...state.outputs, rotatedAt } };
}

/** The same after its grace. */
const due = async (news: Values = {}) => later(await rotated(news), 2);

describe("a rotation", () => {
  it("creates the next key, keeps the previous one, and replaces nothing", async () => {
    const state = await rotated();
    const { keyId, previousKeyId, previousKey } = state.outputs;
    expect(await live()).toEqual([keyId, previousKeyId].sort());
    expect(await plane.secretsEverIssued()).toContain(previousKey);
    expect((await (await next()).up(state)).step).toBe("same");
    expect([await posts(), await deletes()]).toEqual([2, 0]);
  });
});

describe("after the grace of a previous key", () => {
  it.each(["in the same run", "in a later run"])(
    "its key is revoked %s, whatever revokeOnDelete says",
    async (when) => {
      const news = { revokeOnDelete: false };
      const state = await due(news);
      const plugin = await next();
      const { state: successor } = await plugin.up(state, { ...TWO, ...news });
      const last = when === "in the same run" ? plugin : await next();
      if (last !== plugin) await last.up(successor, { ...TWO, ...news });
      await last.delete(state);
      expect(await live()).toEqual([successor.outputs.keyId]);
    },
  );

  it.each(["in the same run", "in a later run"])(
    "and of a current key that revokeNow names, both are revoked %s, whatever revokeOnDelete says",
    async (when) => {
      const state = await due({ revokeOnDelete: false });
      const news = { ...TWO, revokeOnDelete: false, revokeNow: state.outputs.keyId };
      const plugin = await next();
      const { state: successor } = await plugin.up(state, news);
      const last = when === "in the same run" ? plugin : await next();
      if (last !== plugin) await last.up(successor, news);
      await last.delete(state);
      expect(await live()).toEqual([successor.outputs.keyId]);
    },
  );

  it("the resource is replaced by one with the same key, and its deletion revokes only the previous key", async () => {
    const state = await due();
    const { keyId, previousKeyId, key } = state.outputs;
    const plugin = await next();
    const { step, replaces, state: successor } = await plugin.up(state);
    expect([step, replaces]).toEqual(["replace", ["retireAfter"]]);
    expect(successor.outputs).toMatchObject({ keyId, key, previousKeyId: null, previousKey: null });
    expect(successor.outputs).not.toHaveProperty("retired");
    expect(successor.id).not.toBe(state.id);
    expect(await live()).toEqual([keyId, previousKeyId].sort());
    await plugin.delete(state);
    expect(await live()).toEqual([keyId]);
    expect(await posts()).toBe(2);
    expect((await (await next()).up(successor)).step).toBe("same");
  });

  it("a preview of the replacement knows the key, and sends no request", async () => {
    const state = await due();
    const plugin = await next();
    const inputs = await plugin.checked(KIND, TWO, state.inputs);
    const before = await plane.count();
    expect((await plugin.diff(state, inputs)).replaces).toEqual(["retireAfter"]);
    const { keyId, name, key, createdAt } = state.outputs;
    const planned = await plugin.previewCreate(KIND, await plugin.checked(KIND, TWO));
    expect(planned).toMatchObject({ keyId, name, key: secret(key), createdAt });
    expect(await plane.count()).toBe(before);
  });

  it("says why the resource is replaced", async () => {
    const state = await due();
    const plugin = await next();
    await plugin.up(state);
    expect(plugin.messages).toContainEqual(
      expect.stringMatching(
        /the grace of key \d+ ended .*\. The resource is replaced and keeps its key\. If it is protected, use retirement "inPlace"/,
      ),
    );
  });

  it("a key that two replaced resources have is revoked once", async () => {
    const one = await due();
    const { state: two } = await (await next()).up(one);
    const { state: rotatedAgain } = await (await next()).up(two, THREE);
    const plugin = await next();
    const { step, state: three } = await plugin.up(await later(rotatedAgain, 4), THREE);
    expect(step).toBe("replace");
    for (const replaced of [one, rotatedAgain]) await plugin.delete(replaced);
    expect(await live()).toEqual([three.outputs.keyId]);
    expect([await posts(), await deletes()]).toEqual([3, 2]);
  });

  it("nothing is revoked while runs fail, and a later run revokes the previous key", async () => {
    const state = await due();
    const { keyId, previousKeyId } = state.outputs;
    const { state: successor } = await (await next()).up(state);
    // The engine deletes the old resource only after everything else has succeeded.
    for (let run = 0; run < 2; run++) {
      expect((await (await next()).up(successor)).step).toBe("same");
      expect(await live()).toEqual([keyId, previousKeyId].sort());
    }
    const plugin = await next();
    expect((await plugin.up(successor)).step).toBe("same");
    await plugin.delete(state);
    expect(await live()).toEqual([keyId]);
    expect(await deletes()).toBe(1);
  });

  it("a run that rotates first revokes the previous key of the old resource, and keeps both keys of the new one", async () => {
    const state = await due();
    const { keyId } = state.outputs;
    const { state: successor } = await (await next()).up(state);
    const plugin = await next();
    const { step, state: next2 } = await plugin.up(successor, { rotationTriggers: { at: "3" } });
    expect(step).toBe("update");
    await plugin.delete(state);
    expect(await live()).toEqual([keyId, next2.outputs.keyId].sort());
    expect(next2.outputs.previousKeyId).toBe(keyId);
  });

  it("a destroy revokes all keys, in either order", async () => {
    for (const order of [0, 1]) {
      const state = await due({ namePrefix: `order-${order}` });
      const { state: successor } = await (await next()).up(state);
      const plugin = await next();
      for (const each of order === 0 ? [state, successor] : [successor, state]) await plugin.delete(each);
      expect(await live()).toEqual([]);
      await plane.clock.set({ offsetMs: 0 });
    }
  });

  it("a key that is still used stays, and both resources' states agree on it", async () => {
    const state = await due();
    const { keyId, previousKeyId } = state.outputs;
    await plane.state.useKey(String(previousKeyId));
    const plugin = await next();
    const { state: successor } = await plugin.up(state);
    expect(successor.outputs).toMatchObject({ keyId, previousKeyId });
    await plugin.delete(state);
    expect(await live()).toEqual([keyId, previousKeyId].sort());
    expect(plugin.messages).toContainEqual(expect.stringMatching(`key ${previousKeyId} .* was last used`));
  });

  it("another change of the program goes with the replacement", async () => {
    const state = await due();
    const plugin = await next();
    const { step, state: successor } = await plugin.up(state, { ...TWO, rotateAfter: "90d" });
    expect(step).toBe("replace");
    expect(successor.outputs).toMatchObject({ keyId: state.outputs.keyId, rotateAfter: "90d" });
    await plugin.delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("a real replacement is not mistaken for a handover: a new key is created, and the old ones are revoked", async () => {
    const state = await due({ organizationId: "org-local-1" });
    const { id: projectId } = await plane.state.createProject({ organizationId: "org-local-1" } as object);
    const plugin = await next();
    const news = { ...TWO, organizationId: "org-local-1", projectId };
    const { step, replaces, state: successor } = await plugin.up(state, news);
    expect([step, replaces]).toEqual(["replace", ["projectId"]]);
    expect(successor.outputs.keyId).not.toBe(state.outputs.keyId);
    expect(successor.outputs.predecessors).toEqual([state.outputs.keyId, state.outputs.previousKeyId].sort());
    await plugin.delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("the deletion of both resources revokes a key that revokeNow names, in either order", async () => {
    for (const isOldFirst of [true, false]) {
      const state = await due({ revokeOnDelete: false });
      const news = { ...TWO, revokeOnDelete: false, revokeNow: state.outputs.keyId };
      const { state: successor } = await (await next()).up(state, news);
      const plugin = await next();
      for (const each of isOldFirst ? [state, successor] : [successor, state]) await plugin.delete(each);
      expect(await live()).not.toContain(state.outputs.keyId);
      expect(await live()).toContain(successor.outputs.keyId);
    }
  });

  it("a real replacement leaves the old keys live if revokeOnDelete keeps them", async () => {
    const news = { organizationId: "org-local-1", revokeOnDelete: false };
    const state = await due(news);
    const { id: projectId } = await plane.state.createProject({ organizationId: "org-local-1" } as object);
    const plugin = await next();
    const { state: successor } = await plugin.up(state, { ...TWO, ...news, projectId });
    await plugin.delete(state);
    const { keyId, previousKeyId } = state.outputs;
    expect(await live()).toEqual([keyId, previousKeyId, successor.outputs.keyId].sort());
  });

  it("a resource that is deleted before its replacement loses no key, and the retired key is revoked", async () => {
    const state = await due();
    const { keyId, key } = state.outputs;
    const plugin = await next();
    const inputs = await plugin.checked(KIND, TWO, state.inputs);
    expect((await plugin.diff(state, inputs)).replaces).toEqual(["retireAfter"]);
    await plugin.delete(state);
    const successor = await plugin.replace(state, TWO);
    expect(successor.outputs).toMatchObject({ keyId, key, previousKeyId: null });
    expect(successor.outputs).not.toHaveProperty("retired");
    expect(await live()).toEqual([keyId]);
    expect((await (await next()).up(successor)).step).toBe("same");
  });

  it("a refresh reports no change, because only time has passed", async () => {
    const state = await due();
    const plugin = await next();
    await plugin.read(state);
    expect(await plugin.diff(state, state.inputs)).toMatchObject({ changes: false, replaces: [] });
    expect(plugin.messages).toEqual([]);
  });

  it("a refresh between the runs changes nothing", async () => {
    const state = await due();
    const { state: successor } = await (await next()).up(state);
    const plugin = await next();
    expect(await plugin.read(successor)).toEqual(successor);
    expect((await plugin.read(state))?.outputs).toMatchObject({ previousKeyId: state.outputs.previousKeyId });
    expect((await plugin.diff(successor, successor.inputs)).changes).toBe(false);
    await plugin.up(successor);
    await plugin.delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });
});

describe("the deletion of a resource whose previous key is due, by a provider that the program does not use", () => {
  const removed = (options: PluginOptions = {}) =>
    PluginUnderTest.start(plane, { provider: first.provider, removed: true, command: ["pulumi", "up"], ...options });
  const upgrade = () => PluginUnderTest.start(plane, { providerName: "default_0_3_0" });

  it("revokes both keys, because the program has no key left", async () => {
    const state = await due();
    await (await removed()).delete(state);
    expect(await live()).toEqual([]);
  });

  it("revokes both keys after an upgrade, because no resource continues them", async () => {
    const state = await due();
    const upgraded = await upgrade();
    const other = await upgraded.add(KIND, {}, "other");
    await (await removed({ beside: upgraded })).delete(state);
    expect(await live()).toEqual([other.outputs.keyId]);
  });

  it("keeps the current key after an upgrade, because the successor has it", async () => {
    const state = await due();
    const { state: successor } = await (await next()).up(state);
    const upgraded = await upgrade();
    expect((await upgraded.up(successor)).step).toBe("same");
    await (await removed({ beside: upgraded })).delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("keeps the current key if the upgraded plugin replaces the resource", async () => {
    const state = await due();
    const upgraded = await upgrade();
    const { step, state: successor } = await upgraded.up(state);
    expect([step, successor.outputs.keyId]).toEqual(["replace", state.outputs.keyId]);
    await (await removed({ beside: upgraded })).delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("keeps both keys of a successor that the upgraded plugin rotates", async () => {
    const state = await due();
    const { state: successor } = await (await next()).up(state);
    const upgraded = await upgrade();
    const { step, state: rotatedAgain } = await upgraded.up(successor, { rotationTriggers: { at: "3" } });
    expect(step).toBe("update");
    await (await removed({ beside: upgraded })).delete(state);
    expect(await live()).toEqual([successor.outputs.keyId, rotatedAgain.outputs.keyId].sort());
  });

  it("revokes the old keys after an upgrade that creates new ones", async () => {
    const state = await due({ organizationId: "org-local-1" });
    const { id: projectId } = await plane.state.createProject({ organizationId: "org-local-1" } as object);
    const upgraded = await upgrade();
    const { state: successor } = await upgraded.up(state, { ...TWO, organizationId: "org-local-1", projectId });
    await (await removed({ beside: upgraded })).delete(state);
    expect(await live()).toEqual([successor.outputs.keyId]);
  });

  it("is refused after an upgrade, if the command leaves out consumers", async () => {
    const state = await due();
    const { state: successor } = await (await next()).up(state);
    const upgraded = await upgrade();
    await upgraded.up(successor);
    const former = await removed({ beside: upgraded, command: ["pulumi", "up", "--target", "urn:other"] });
    expect(await failureOf(former.delete(state))).toMatch(/KP-REVOKE/);
    expect(await live()).toEqual([successor.outputs.keyId, state.outputs.previousKeyId].sort());
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
      `key ${keyId} is to be revoked now. The resource is replaced and gets a new key`,
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
});

describe("a retirement in place", () => {
  const IN_PLACE = { retirement: "inPlace" };

  it("revokes the previous key in an update, without a replacement", async () => {
    const state = await due(IN_PLACE);
    const { step, state: updated } = await (await next()).up(state);
    expect(step).toBe("update");
    expect(updated.outputs).toMatchObject({ keyId: state.outputs.keyId, previousKeyId: null });
    expect(updated.outputs).not.toHaveProperty("retired");
    expect(await live()).toEqual([state.outputs.keyId]);
    expect((await (await next()).up(updated)).step).toBe("same");
  });

  it("is recorded if the folder for temporary files cannot be written", async () => {
    const state = await due(IN_PLACE);
    const plugin = await PluginUnderTest.start(plane, { provider: first.provider, env: { TMPDIR: "/dev/null" } });
    const { state: updated } = await plugin.up(state);
    expect(updated.outputs).toMatchObject({ keyId: state.outputs.keyId, previousKeyId: null });
    expect(plugin.messages.join("\n")).toMatch(/cannot be used: .* Set TMPDIR/);
  });

  it("keeps a previous key that is in use", async () => {
    const state = await due(IN_PLACE);
    await plane.state.useKey(String(state.outputs.previousKeyId));
    const { state: updated } = await (await next()).up(state);
    expect(await live()).toHaveLength(2);
    expect((await (await next()).up(updated)).step).toBe("same");
  });

  it("records a key that could not be revoked, and the next run revokes it", async () => {
    const state = await due(IN_PLACE);
    await plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    const { state: updated } = await (await next()).up(state);
    expect(updated.outputs.retired).toEqual([state.outputs.previousKeyId]);
    const { step, state: last } = await (await next()).up(updated);
    expect(step).toBe("update");
    expect(last.outputs).not.toHaveProperty("retired");
    expect(await live()).toEqual([state.outputs.keyId]);
  });

  it("applies as soon as the program asks for it, and changes nothing by itself", async () => {
    const state = await rotated();
    const { step, state: same } = await (await next()).up(state, { ...TWO, ...IN_PLACE });
    expect(step).toBe("same");
    expect((await (await next()).up(await later(same, 2))).step).toBe("update");
    expect(await live()).toEqual([state.outputs.keyId]);
  });

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
    expect(plugin.messages).toEqual([]);
  });

  it("makes no key if the folder for temporary files cannot be written", async () => {
    const state = await first.add("ApiKey", { rotationTriggers: { at: "1" } });
    const plugin = await PluginUnderTest.start(plane, { provider: first.provider, env: { TMPDIR: "/dev/null" } });
    expect(await failureOf(plugin.up(state, TWO))).toMatch(/cannot be used: .* Set TMPDIR .*\[KP-CONFIG\]/);
    expect(await live()).toEqual([state.id]);
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
