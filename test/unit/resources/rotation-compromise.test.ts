import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { type Context, RunNotes } from "../../../provider/schema/resource-type";
import { failureOf, json, OTHER_OWNER, StackHarness } from "./harness";
import { DAY, RotatingStack } from "./rotating-stack";
import { SavedState, urnOf } from "./saved-state";

const first = { rotationTriggers: { quarter: "Q1" } };
const second = { rotationTriggers: { quarter: "Q2" } };

describe("revokeNow", () => {
  it("of the current key creates a new one first, and revokes the key when the whole stack has the new one", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const inputs = { ...first, revokeNow: current };
    await stack.failedUp(inputs);
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    expect(stack.outputs).toMatchObject({ retired: [current] });
    expect(stack.previous).toBe("");
    await stack.up(inputs);
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
  });

  it("of the current key takes a single run without failures", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.up({ ...first, revokeNow: current });
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    expect(stack.harness.told.info.join()).toMatch(
      new RegExp(`revoked key ${current}, because everything in this stack has the new key`),
    );
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    expect(await stack.harness.plane.count("POST")).toBe(2);
  });

  it("of a key is forgotten when the key is gone and a later previous key is retired", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    await stack.up({ ...first, revokeNow: current });
    expect(stack.outputs).toMatchObject({ compromised: [current] });
    await stack.up(second);
    await stack.harness.clock.pass(2 * DAY);
    await stack.up();
    expect(stack.outputs).not.toHaveProperty("compromised");
    expect(stack.outputs?.nextAction).not.toContain(`revoke key ${current}`);
  });

  it("of the current key leaves a working key after a crash at any point, and finally revokes the compromised one", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const inputs = { ...first, revokeNow: current };
    await stack.crashedUp(inputs);
    expect(await stack.harness.liveIds()).toContain(current);
    await stack.up(inputs);
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("of the current key keeps the previous key for consumers that do not have the current one yet", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous } = stack;
    await stack.up({ ...second, revokeNow: current });
    expect(stack.previous).toBe(previous);
    expect(await stack.harness.liveIds()).toEqual([previous, stack.current]);
  });

  it("of the previous key revokes it in the same run, even if it is in use and in its grace period", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    await stack.harness.plane.state.useKey(stack.previous);
    const result = await stack.up({ ...second, revokeNow: stack.previous });
    expect(result.reasons).toEqual([expect.stringMatching(/is to be revoked now/)]);
    expect(stack.harness.told.info.join()).toMatch(/which revokeNow names, is revoked at the end of this run/);
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    await stack.up();
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
  });

  it("of the previous key revokes it in the run that replaces a current key that is gone", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { current, previous, harness } = stack;
    await harness.plane.state.revokeKey(current);
    await stack.refresh();
    await stack.up({ ...second, revokeNow: previous });
    expect(harness.told.info.join()).toMatch(new RegExp(`key ${previous} .*revokeNow names, is revoked as soon as`));
    expect(await harness.liveIds()).toEqual([stack.current]);
    expect(stack.previous).toBe("");
  });

  it("of a current key that does not become ready replaces it at once", async () => {
    const stack = await RotatingStack.start({ ...first, verify: true });
    await stack.harness.plane.rules.add({ route: "GET /projects", status: 500, count: null });
    await stack.up({ ...second, verify: true });
    const { current } = stack;
    await stack.harness.plane.rules.clear();
    await stack.harness.plane.rules.add({ route: "GET /projects", status: 500, count: 3 });
    await stack.up({ ...second, verify: true, revokeNow: current });
    expect(stack.current).not.toBe(current);
  });

  it("fails the run if the key cannot be revoked, so that nobody believes that it is gone", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const inputs = { ...first, revokeNow: current };
    await stack.failedUp(inputs);
    await stack.harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 500, count: null });
    await expect(stack.up(inputs)).rejects.toThrow(
      new RegExp(`key ${current}, which revokeNow names, could not be revoked`),
    );
    await stack.harness.plane.rules.clear();
    await stack.up(inputs);
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("of the previous key fails each run that cannot revoke it at its end", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    const inputs = { ...second, revokeNow: previous };
    await stack.harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 500, count: null });
    const stillLive = new RegExp(`key ${previous}, which revokeNow names, could not be revoked`);
    await expect(stack.up(inputs)).rejects.toThrow(stillLive);
    expect(stack.warnings).toMatch(new RegExp(`could not revoke key ${previous}; the next .* tries again`));
    await expect(stack.up(inputs)).rejects.toThrow(stillLive);
    await stack.harness.plane.rules.clear();
    await stack.up(inputs);
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("of the current key does not revoke it before a run in which the whole stack gets its successor", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const inputs = { ...first, revokeNow: current };
    await stack.failedUp(inputs);
    await stack.failedUp({ ...inputs, namePrefix: "other" });
    await stack.failedUp({ ...inputs, rotateAfter: "90d" });
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("of the previous key leaves it live in a run that fails before consumers have the current one", async () => {
    const stack = await RotatingStack.start(first);
    await stack.failedUp(second);
    const { previous } = stack;
    await stack.failedUp({ ...second, revokeNow: previous });
    expect(await stack.harness.liveIds()).toEqual([previous, stack.current]);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });

  it("of a key that is not the resource's own is an error, which names the resource's keys and touches none", async () => {
    const stack = await RotatingStack.start(first);
    const stranger = await stack.harness.plane.state.createKey("somebody else's");
    const failure = await failureOf(stack.up({ ...first, revokeNow: String(stranger.id) }));
    expect(failure).toMatchObject({ code: "KP-INPUT" });
    expect(failure.message).toContain(
      `key ${stranger.id} is not a key of this resource, which has ${stack.current} (current)`,
    );
    expect(await stack.harness.liveIds()).toEqual([stack.current, String(stranger.id)].sort());
  });

  it("can name an already revoked key as long as the line stays in the program", async () => {
    const stack = await RotatingStack.start(first);
    const inputs = { ...first, revokeNow: stack.current };
    await stack.up(inputs);
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
    expect(await stack.up(inputs)).toEqual({ changed: false, reasons: [] });
  });

  it("of the current key keeps it while its successor is not ready, because nobody has the successor yet", async () => {
    const stack = await RotatingStack.start(first);
    const { current } = stack;
    const inputs = { ...first, revokeNow: current, operationTimeout: "1m" };
    await stack.harness.plane.state.createProject();
    await stack.harness.plane.rules.add({
      route: "POST /api_keys",
      operations: [{ action: "start_compute", runningMs: DAY }],
    });
    expect(await stack.up(inputs)).toHaveProperty("notReady");
    expect(await stack.up()).toHaveProperty("notReady");
    expect(await stack.harness.liveIds()).toEqual([current, stack.current]);
    await stack.harness.clock.pass(DAY);
    await stack.up();
    expect(await stack.harness.liveIds()).toEqual([stack.current]);
  });
});

describe("revokeNow of a retired key", () => {
  it("revokes it at the end of the run, though it is in use", async () => {
    const stack = await RotatingStack.start(first);
    await stack.up(second);
    const { previous } = stack;
    const { clock, plane } = stack.harness;
    await clock.pass(DAY);
    await stack.failedUp();
    expect(stack.outputs).toMatchObject({ retired: [previous] });
    await clock.pass(60_000);
    await plane.state.useKey(previous);
    await stack.up();
    expect(await stack.harness.liveIds()).toContain(previous);
    await stack.up({ ...second, revokeNow: previous });
    expect(await stack.harness.liveIds()).not.toContain(previous);
  });
});

describe("revokeNow of a resource that replaced none", () => {
  const kind = resourceTypes.RotatingApiKey;

  /** Resource `a` and its key, and `b`, whose revokeNow names that key. Both keep their keys when they are deleted. */
  const two = async () => {
    const harness = await StackHarness.start();
    const { identity: owner } = harness;
    const run = new RunNotes();
    const contextOf = (name: string): Context => ({ ...harness.context, run, urn: urnOf("RotatingApiKey", name) });
    const inputs = json({ owner, ...first, revokeOnDelete: false });
    const a = { type: "RotatingApiKey", name: "a", ...(await kind.create(inputs, contextOf("a"))) };
    const key = String(a.outputs.keyId);
    const named = { ...inputs, revokeNow: key };
    const b = { type: "RotatingApiKey", name: "b", ...(await kind.create(named, contextOf("b"))) };
    const remove = ({ id, name, outputs }: typeof a) => kind.delete(id, outputs, contextOf(name));
    return { harness, a, b, key, named, contextOf, remove };
  };

  it.each([
    ["another resource has the key", "a", '"a" has it'],
    ["no resource has the key any more", "nobody", "nothing shows that this resource had it"],
    ["the state is that of another stack", "b in another state", "nothing shows"],
    ["the state cannot be read", undefined, "nothing shows"],
  ])("does not let its deletion revoke the key if %s", async (_, holder, why) => {
    const { harness, a, b, key, remove } = await two();
    if (holder === "b in another state") {
      harness.saved = new SavedState({ id: OTHER_OWNER, identity: OTHER_OWNER, runs: [] }).add({ ...a, name: "b" });
    } else if (holder !== undefined) harness.save().add(b);
    if (holder === "a") harness.saved?.add(a);
    await remove(b);
    expect(await harness.liveIds()).toContain(key);
    expect(harness.told.warn.join()).toMatch(
      new RegExp(`key ${key} .*, which revokeNow names, stays live, because ${why}.*npx keyplane revoke ${key}`),
    );
  });

  it("does not let its deletion revoke the key that the other one's has left live before", async () => {
    const { harness, a, b, key, remove } = await two();
    harness.save().add(b);
    await remove(a);
    await remove(b);
    expect(await harness.liveIds()).toContain(key);
  });

  it.each([[true], [false]])(
    "revokes the key of a resource that it did replace: before the deletion of that one %s",
    async (isFirst) => {
      const { harness, a, b, key, remove } = await two();
      const old = { ...a, name: "b" };
      // Without a state, the deletion of the old one shows whose the key was.
      if (isFirst)
        harness
          .save()
          .add(b)
          .add({ ...old, engine: { delete: true } });
      else await remove(old);
      await remove(b);
      expect(await harness.liveIds()).not.toContain(key);
      expect(harness.told.warn).toEqual([]);
    },
  );
});
