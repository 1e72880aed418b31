import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { identityOf } from "../../provider/keys/identity";
import { autoName, ownerTag } from "../../provider/keys/names";
import { type ControlPlane, startControlPlane } from "../../testing";
import {
  failureOf,
  newOwner,
  PluginUnderTest,
  plainOwner,
  type State,
  stopPlugins,
  type Values,
} from "./plugin-harness";

const HOUR = 3_600_000;

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(async () => {
  await stopPlugins();
  await plane.close();
});

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id)).sort();
const deletes = () => plane.count("DELETE");

/** The next command on the same stack. */
const next = (before: PluginUnderTest, options: Parameters<typeof PluginUnderTest.start>[1] = {}) =>
  PluginUnderTest.start(plane, { provider: before.provider, ...options });

/** A key that an interrupted run has left behind for the resource of these inputs. */
const orphan = async (inputs: Values) =>
  String((await plane.state.createKey(autoName("ci", String(inputs.__owner)))).id);

describe("a key that an interrupted run left behind", () => {
  it.each(["ApiKey", "RotatingApiKey"])("is revoked before %s creates another one", async (kind) => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked(kind, {});
    const left = await orphan(inputs);
    const state = await plugin.create(kind, inputs);
    expect(await live()).toEqual([state.outputs.keyId]);
    expect(state.outputs.predecessors).toBeUndefined();
    expect(plugin.messages).toEqual([expect.stringMatching(`^revoked key ${left} \\(ci-.*never used\\), left behind`)]);
    const methods = (await plane.log()).map(({ method }) => method);
    expect(methods).toEqual(["GET", "DELETE", "POST"]);
  });

  it("is reported and remembered if it was used, and is never revoked", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked("ApiKey", {});
    const left = await orphan(inputs);
    await plane.state.useKey(left);
    const state = await plugin.create("ApiKey", inputs);
    expect(await live()).toEqual([left, state.id].sort());
    expect(state.outputs.predecessors).toEqual([left]);
    expect(plugin.messages).toEqual([expect.stringMatching(`^key ${left} \\(ci-.*last used .*cannot tell`)]);

    const later = await next(plugin);
    const { state: replaced } = await later.up(state, { rotateAfter: "1d" });
    expect(replaced.outputs.predecessors).toEqual([left]);
    await later.delete(replaced);
    expect(later.messages).toEqual([]);
    expect(await live()).toEqual([left]);
  });

  it("is reported and remembered if it is older than a day", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked("ApiKey", {});
    const left = await orphan(inputs);
    await plane.clock.set({ offsetMs: 25 * HOUR });
    const state = await plugin.create("ApiKey", inputs);
    expect(state.outputs.predecessors).toEqual([left]);
    expect(await deletes()).toBe(0);
  });

  it("is also remembered by a key that is not ready", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked("ApiKey", {});
    const left = await orphan(inputs);
    await plane.state.useKey(left);
    await plane.rules.add({ route: "POST /api_keys", operations: [{ action: "start_compute", outcome: "failed" }] });
    const state = await plugin.create("ApiKey", inputs);
    expect(state.notReady).toHaveLength(1);
    expect(state.outputs.predecessors).toEqual([left]);
  });

  it("is revoked if it is a little younger than a day", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked("ApiKey", {});
    const left = await orphan(inputs);
    await plane.clock.set({ offsetMs: 23 * HOUR });
    await plugin.create("ApiKey", inputs);
    expect(await live()).not.toContain(left);
  });

  it("is no longer remembered once it is gone", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked("RotatingApiKey", { rotationTriggers: { at: "1" } });
    const left = await orphan(inputs);
    await plane.state.useKey(left);
    const state = await plugin.create("RotatingApiKey", inputs);
    await plane.state.revokeKey(left);
    const { state: rotated } = await (await next(plugin)).up(state, { rotationTriggers: { at: "2" } });
    expect(rotated.outputs.previousKeyId).toBe(state.outputs.keyId);
    expect(rotated.outputs.predecessors).toBeUndefined();
  });

  it("is recorded to be revoked later if its revocation fails, and the new key is created", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked("ApiKey", {});
    const left = await orphan(inputs);
    await plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    const state = await plugin.create("ApiKey", inputs);
    expect(state.outputs.pendingRevocations).toEqual([left]);
    const { step, state: updated } = await (await next(plugin)).up(state);
    expect(step).toBe("update");
    expect(updated.outputs.pendingRevocations).toBeUndefined();
    expect(await live()).toEqual([state.id]);
  });

  it("is not looked for again for a second key of the same run", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked("RotatingApiKey", {});
    const state = await plugin.create("RotatingApiKey", inputs);
    await plugin.up(state, { revokeNow: state.outputs.keyId });
    expect(await plane.count("GET", "/api_keys")).toBe(1);
  });

  it.each(["of another stack", "of another resource", "of the same name in the dynamic provider"])(
    "is left alone if it is a key %s",
    async (whose) => {
      const plugin = await PluginUnderTest.start(plane);
      const inputs = await plugin.checked("ApiKey", {});
      const [ownerId, urn] = String(inputs.__owner).split("|");
      const identity = {
        "of another stack": `${newOwner()}|${urn}`,
        "of another resource": identityOf(String(ownerId), undefined, "urn:of-another-resource"),
        "of the same name in the dynamic provider": String(ownerId),
      }[whose];
      const other = await plane.state.createKey(autoName("ci", String(identity)));
      const state = await plugin.create("ApiKey", inputs);
      await plugin.delete(state);
      expect(await live()).toEqual([String(other.id)]);
      expect(plugin.messages).toEqual([]);
    },
  );

  it("is not taken for an orphan if PULUMI_SKIP_CHECKPOINTS leaves no proof that nobody has it", async () => {
    const plugin = await PluginUnderTest.start(plane, { env: { PULUMI_SKIP_CHECKPOINTS: "true" } });
    const inputs = await plugin.checked("ApiKey", {});
    const left = await orphan(inputs);
    const state = await plugin.create("ApiKey", inputs);
    expect(state.outputs.predecessors).toEqual([left]);
    expect(await deletes()).toBe(0);
  });

  it("does not stop the creation if the list fails once, because a failed list is not remembered", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const inputs = await plugin.checked("ApiKey", {});
    const left = await orphan(inputs);
    await plane.rules.add({ route: "GET /api_keys", status: 400 });
    expect(await failureOf(plugin.create("ApiKey", inputs))).toContain("400");
    expect(await plane.count("POST", "/api_keys")).toBe(0);
    await plugin.create("ApiKey", inputs);
    expect(await live()).not.toContain(left);
  });
});

describe("a key that the engine has shown", () => {
  /** A resource with two keys, of which the state that is then shown has only one. */
  const shown = async () => {
    const first = await PluginUnderTest.start(plane);
    const state = await first.add("RotatingApiKey", { rotationTriggers: { at: "1" } });
    return { first, state };
  };

  it.each<[string, (plugin: PluginUnderTest, state: State) => Promise<unknown>]>([
    ["a comparison", (plugin, state) => plugin.diff(state, state.inputs)],
    ["a refresh", (plugin, state) => plugin.read(state)],
    ["an update", (plugin, state) => plugin.update(state, state.inputs)],
  ])("in %s is never taken for an orphan", async (_, show) => {
    const { first, state } = await shown();
    const plugin = await next(first);
    await show(plugin, state);
    const made = await plugin.replace(state, {});
    expect(await live()).toEqual([state.outputs.keyId, made.outputs.keyId].sort());
    expect(made.outputs.predecessors).toEqual([state.outputs.keyId]);
    expect(plugin.messages).toEqual([]);
  });

  it("in a deletion is revoked only by the deletion, even if it is to stay", async () => {
    const first = await PluginUnderTest.start(plane);
    const kept = await first.add("ApiKey", { revokeOnDelete: false });
    const plugin = await next(first);
    await plugin.delete(kept);
    await plugin.add("ApiKey");
    expect(await live()).toContain(kept.id);
  });

  it("as the predecessor of another key is not taken for an orphan of that", async () => {
    const first = await PluginUnderTest.start(plane);
    const one = await first.add("ApiKey", { rotationTriggers: { at: "1" } });
    const second = await next(first);
    // The deletion of the replaced resource fails in this run, and in the next one.
    const { state: two } = await second.up(one, { rotationTriggers: { at: "2" } });
    expect(two.outputs.predecessors).toEqual([one.id]);
    const third = await next(first);
    const { state: three } = await third.up(two, { rotationTriggers: { at: "3" } });
    expect(three.outputs.predecessors).toEqual([one.id, two.id].sort());
    expect(await live()).toEqual([one.id, two.id, three.id].sort());
    expect(await deletes()).toBe(0);
    for (const state of [one, two]) await third.delete(state);
    expect(await live()).toEqual([three.id]);
  });
});

describe("a replacement that the user forces", () => {
  it("revokes nothing, because the engine hides the replaced key", async () => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey");
    const plugin = await next(first);
    await plugin.checked("ApiKey", {}, before.inputs);
    const after = await plugin.replace(before, {});
    expect(after.outputs.predecessors).toEqual([before.id]);
    expect([await deletes(), plugin.messages]).toEqual([0, []]);
    await plugin.delete(before);
    expect(await live()).toEqual([after.id]);
  });

  it("reports keys beside the replaced one, because it cannot tell which of them that is", async () => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey");
    const left = await orphan(before.inputs);
    const plugin = await next(first);
    await plugin.checked("ApiKey", {}, before.inputs);
    const after = await plugin.replace(before, {});
    expect(after.outputs.predecessors).toEqual([before.id, left].sort());
    expect(await deletes()).toBe(0);
    const reported = [before.id, left].map((id) => new RegExp(`^key ${id} .*the deletion of that resource revokes it`));
    expect(plugin.messages.toSorted()).toEqual(reported.map((text) => expect.stringMatching(text)));
  });

  const urn = "urn:pulumi:dev::proj::keyplane:index:ApiKey::ci";

  it.each<[string, Parameters<typeof PluginUnderTest.start>[1] & object]>([
    ["--replace", { command: ["pulumi", "up", "--replace", urn] }],
    ["the environment", { env: { PULUMI_OPTION_REPLACE: urn } }],
  ])("by %s revokes nothing, although the engine shows no sign of the replaced key", async (_, options) => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey");
    const plugin = await next(first, options);
    const after = await plugin.replace(before, {});
    expect(after.outputs.predecessors).toEqual([before.id]);
    expect(await deletes()).toBe(0);
  });

  it("of another resource does not keep a key that an interrupted run left behind", async () => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey");
    await (await next(first, { command: ["pulumi", "up", "--replace", `${urn}-2`] })).replace(before, {});
    expect(await live()).not.toContain(before.id);
  });
});

describe("the deletion of a resource", () => {
  it.each(["ApiKey", "RotatingApiKey"])(
    "of type %s also revokes the keys that interrupted runs left behind",
    async (kind) => {
      const first = await PluginUnderTest.start(plane);
      const state = await first.add(kind);
      await orphan(state.inputs);
      await (await next(first)).delete(state);
      expect(await live()).toEqual([]);
    },
  );

  it("also revokes them in an up whose program does not use the provider any more", async () => {
    const first = await PluginUnderTest.start(plane);
    const state = await first.add("ApiKey");
    await orphan(state.inputs);
    await (await next(first, { removed: true, command: ["pulumi", "up"] })).delete(state);
    expect(await live()).toEqual([]);
  });

  it("leaves the key of a successor live that revokeOnDelete keeps, because its creation used it", async () => {
    const first = await PluginUnderTest.start(plane);
    const news = { revokeOnDelete: false, rotationTriggers: { at: "1" } };
    const before = await first.add("ApiKey", news);
    const { state: after } = await first.up(before, { ...news, rotationTriggers: { at: "2" } });
    const uses = await plane.log({ method: "GET" });
    expect(uses.filter(({ keyId }) => String(keyId) === after.id)).toHaveLength(1);
    // The engine deletes both, the old one first.
    const plugin = await next(first);
    await plugin.delete(before);
    expect(await live()).toEqual([before.id, after.id].sort());
  });

  it("fails while such a key stays, and the next attempt revokes it", async () => {
    const first = await PluginUnderTest.start(plane);
    const state = await first.add("ApiKey");
    const left = await orphan(state.inputs);
    const plugin = await next(first);
    await plane.rules.add({ route: `DELETE /api_keys/${left}`, status: 400 });
    const failure = await failureOf(plugin.delete(state));
    expect(failure).toMatch(new RegExp(`could not revoke key ${left}, which an earlier run left.*\\[KP-REVOKE\\]`));
    expect(await live()).toEqual([left]);
    await (await next(first)).delete(state);
    expect(await live()).toEqual([]);
  });

  it("revokes nothing else if the state was copied from another stack", async () => {
    const first = await PluginUnderTest.start(plane);
    const state = await first.add("ApiKey");
    const left = await orphan(state.inputs);
    const copy = await PluginUnderTest.start(plane, { stack: "prod", provider: first.provider });
    await copy.delete(state);
    expect(await live()).toEqual([state.id, left].sort());
    expect(copy.messages).toEqual([expect.stringMatching(`^key ${state.id} .* was created by another stack`)]);
  });

  it("revokes nothing else if an alias moved the key from the dynamic provider", async () => {
    const first = await PluginUnderTest.start(plane);
    const owner = newOwner();
    const [held, other] = await Promise.all([1, 2].map(() => plane.state.createKey(autoName("ci", owner))));
    const outputs = { keyId: String(held?.id), name: (await nameOf(held?.id)) ?? "", key: held?.key, owner };
    const resourceUrn = "urn:pulumi:dev::proj::pulumi-nodejs:dynamic/keyplane:ApiKey::ci";
    const state = {
      kind: "ApiKey",
      name: "ci",
      id: String(held?.id),
      inputs: {},
      outputs: { ...outputs, resourceUrn },
    };
    await first.delete(state);
    expect(await live()).toEqual([String(other?.id)]);
  });
});

describe("a refresh", () => {
  it("reports a key that an interrupted run left behind, and changes nothing", async () => {
    const first = await PluginUnderTest.start(plane);
    const state = await first.add("ApiKey");
    const left = await orphan(state.inputs);
    const plugin = await next(first);
    expect(await plugin.read(state)).toEqual(state);
    expect(plugin.messages).toEqual([
      expect.stringMatching(`^key ${left} .* was made for this resource, but no resource`),
    ]);
    expect(await live()).toEqual([state.id, left].sort());
  });
});

describe("a resource with another name", () => {
  it("in the same stack uses its key once, so that a new resource with the old name does not revoke it", async () => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey", {}, "old");
    const plugin = await next(first);
    const { step, state } = await plugin.up({ ...before, name: "new" });
    expect(step).toBe("update");
    expect(plainOwner(state.outputs.__owner)).toBe(plainOwner(before.outputs.__owner).replace("::old", "::new"));
    const uses = await plane.log({ method: "GET" });
    expect(uses.filter(({ keyId }) => String(keyId) === state.id)).toHaveLength(1);
    expect((await plugin.up(state)).step).toBe("same");

    await (await next(first)).add("ApiKey", {}, "old");
    expect(await live()).toContain(state.id);
    await (await next(first)).delete(state);
    expect(await live()).not.toContain(state.id);
  });

  it("that rotates uses those of its keys that were never used", async () => {
    const first = await PluginUnderTest.start(plane);
    const one = await first.add("RotatingApiKey", { rotationTriggers: { at: "1" } }, "old");
    const { state: two } = await first.up(one, { rotationTriggers: { at: "2" } });
    const own = [two.outputs.keyId, two.outputs.previousKeyId].map(String);
    const uses = async () => (await plane.log()).filter(({ keyId }) => own.includes(String(keyId)));
    const { state: three } = await (await next(first)).up({ ...two, name: "new" });
    expect((await uses()).map(({ keyId }) => String(keyId)).sort()).toEqual(own.sort());
    const plugin = await next(first);
    expect((await plugin.up({ ...three, name: "newer" })).step).toBe("update");
    expect(plugin.messages).toEqual(["the resource was renamed or moved"]);
    expect(await uses()).toHaveLength(2);
  });

  it("that is replaced in the same run uses the key of the old resource once", async () => {
    const first = await PluginUnderTest.start(plane);
    const before = await first.add("ApiKey", { rotationTriggers: { at: "1" } }, "old");
    const { step } = await (await next(first)).up({ ...before, name: "new" }, { rotationTriggers: { at: "2" } });
    expect(step).toBe("replace");
    // A consumer may still have the key of the old resource.
    await (await next(first)).add("ApiKey", {}, "old");
    expect(await live()).toContain(before.id);
  });
});

describe("a state that was copied into another stack", () => {
  it("is adopted by an update that revokes nothing, and the original goes on as before", async () => {
    const first = await PluginUnderTest.start(plane);
    const original = await first.add("RotatingApiKey", { rotationTriggers: { at: "1" } });
    const left = await orphan(original.inputs);
    const copy = await PluginUnderTest.start(plane, { stack: "prod", provider: first.provider });
    const { step, state } = await copy.up(original, { rotationTriggers: { at: "2" } });
    expect(step).toBe("update");
    expect(String(state.outputs.name)).toContain(ownerTag(String(copy.provider.__owner).slice(0, 36)));
    expect(state.outputs.previousKeyId).toBe(original.outputs.keyId);
    await copy.delete(state);
    expect(await live()).toEqual([original.outputs.keyId, left].sort());
    expect((await (await next(first)).up(original)).step).toBe("same");
  });

  it("is replaced without a revocation of the original's key", async () => {
    const first = await PluginUnderTest.start(plane);
    const original = await first.add("ApiKey", { rotationTriggers: { at: "1" } });
    const copy = await PluginUnderTest.start(plane, { stack: "prod", provider: first.provider });
    const { step, state } = await copy.up(original, { rotationTriggers: { at: "2" } });
    expect(step).toBe("replace");
    await copy.delete(original);
    expect(await live()).toEqual([original.id, state.id].sort());
  });
});

async function nameOf(id: number | undefined): Promise<string | undefined> {
  return (await plane.liveKeys()).find((key) => key.id === id)?.name;
}
