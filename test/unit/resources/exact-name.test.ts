import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { diff } from "../../../provider/schema/diff";
import type { Properties } from "../../../provider/schema/outputs";

import { failureOf, json, OTHER_OWNER, StackHarness } from "./harness";
import { urnOf } from "./saved-state";

const POST = "POST /api_keys";
const LIST = "GET /api_keys";
const NAME = "billing key";

describe("creating a key with an exact name", () => {
  it("C11: looks the name up before its POST, and fails with the key that has the name and what to do", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.plane.state.createKey(NAME);
    const failure = await failureOf(harness.createKey({ name: NAME }));
    expect(failure.message).toMatch(new RegExp(`taken by key ${id} \\(created .*, never used\\)`));
    expect(failure.message).toContain(
      '. Choose another name, revoke that key, or set onNameConflict to "revokeUnused". If it is a key of this stack',
    );
    expect(await harness.requests()).toEqual([LIST]);
  });

  it("C11: does not offer to revoke a key in use that has the name", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.plane.state.createKey(NAME);
    await harness.plane.state.useKey(id);
    for (const onNameConflict of ["fail", "revokeUnused"]) {
      const failure = await failureOf(harness.createKey({ name: NAME, onNameConflict }));
      expect(failure.message).toMatch(/last used/);
      expect(failure.message).toContain(". Choose another name, or revoke that key. If it is a key of this stack");
    }
    expect(await harness.liveIds()).toEqual([String(id)]);
  });

  it("C11: replaces a never used key that has the name if the program allows it", async () => {
    const harness = await StackHarness.start();
    harness.save();
    await harness.plane.state.createKey(NAME);
    const { id, outputs } = await harness.createKey({ name: NAME, onNameConflict: "revokeUnused" });
    expect(await harness.liveIds()).toEqual([id]);
    expect(outputs.name).toBe(NAME);
    expect(harness.told.info.join()).toContain("never used");
  });

  it.each(["this run", "the state"])(
    "C11: leaves a never used key to another resource that has it by %s",
    async (by) => {
      const harness = await StackHarness.start();
      const { id, outputs } = await harness.createKey({ name: NAME });
      if (by === "the state") harness.save().add({ id, name: "billing", outputs });
      else harness.context.run.lastHolders.set(id, urnOf("ApiKey", "billing"));
      const failure = await failureOf(harness.createKey({ name: NAME, onNameConflict: "revokeUnused" }));
      expect(failure).toMatchObject({ code: "KP-NAME-TAKEN" });
      expect(failure.message).toContain(`key ${id}, which belongs to "billing" in this stack`);
      expect(await harness.liveIds()).toEqual([id]);
    },
  );

  it.each(["cannot be read", "is that of another stack"])(
    "C11: leaves a never used key that another resource may have if the state %s",
    async (why) => {
      const harness = await StackHarness.start();
      if (why !== "cannot be read") harness.saved = harness.beside({ owner: OTHER_OWNER }).save();
      const { id } = await harness.createKey({ name: NAME });
      const failure = await failureOf(harness.createKey({ name: NAME, onNameConflict: "revokeUnused" }));
      expect(failure).toMatchObject({ code: "KP-NAME-TAKEN" });
      expect(failure.message).toContain("which shows whether another resource has it, could not be read");
      expect(await harness.liveIds()).toEqual([id]);
    },
  );

  it("C11: replaces a never used key of the resource itself", async () => {
    const harness = await StackHarness.start();
    const { id, outputs } = await harness.createKey({ name: NAME });
    const urn = urnOf("ApiKey", "ci");
    harness.save().add({ id, name: "ci", outputs });
    harness.context.run.lastHolders.set(id, urn);
    const inputs = { owner: harness.identity, name: NAME, onNameConflict: "revokeUnused" };
    const next = await resourceTypes.ApiKey.create(inputs, { ...harness.context, urn });
    expect(await harness.liveIds()).toEqual([next.id]);
  });

  it("C11: waits if the service still keeps the name of a key that this run has revoked", async () => {
    const harness = await StackHarness.start();
    const old = await harness.createKey({ name: NAME });
    await resourceTypes.ApiKey.delete(old.id, old.outputs, harness.context);
    await harness.plane.rules.add({ route: POST, status: 409, count: 4 });
    const { id, notReady } = await harness.createKey({ name: NAME });
    expect(notReady).toBeUndefined();
    expect(await harness.liveIds()).toEqual([id]);
    expect(harness.told.progress.join()).toContain("waiting until the service frees the name");
  });

  it("C11: does not wait for a name that somebody else has taken, nor for long", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, status: 409, count: 20 });
    expect((await failureOf(harness.createKey({ name: NAME }))).message).toContain("409");
    expect(await harness.plane.count("POST", "/api_keys")).toBe(1);

    await harness.plane.rules.clear();
    const old = await harness.createKey({ name: NAME });
    await resourceTypes.ApiKey.delete(old.id, old.outputs, harness.context);
    await harness.plane.rules.add({ route: POST, status: 409, count: 20 });
    expect((await failureOf(harness.createKey({ name: NAME }))).message).toContain("409");
    expect(await harness.plane.count("POST", "/api_keys")).toBe(8);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("C4: leaves a key live that has the name after a lost answer, and names it with what to do", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    const failure = await failureOf(harness.createKey({ name: NAME }));
    const [id] = await harness.liveIds();
    expect(failure).toMatchObject({ code: "KP-UNSETTLED" });
    expect(failure.message).toMatch(
      new RegExp(`Key ${id} \\(${NAME}, created \\S+Z, never used\\) has the name now.*Nothing was revoked`),
    );
    expect(failure.message).toContain(`npx keyplane revoke ${id}`);
    expect(await harness.requests()).toEqual([LIST, POST, LIST]);
    // The user follows the message.
    await harness.plane.state.revokeKey(String(id));
    expect((await harness.createKey({ name: NAME })).outputs).toMatchObject({ name: NAME, mintedBy: harness.tag });
  });

  it("C4: sends the request again if no key gets the name after a lost answer", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "never" });
    const { id, outputs } = await harness.createKey({ name: NAME });
    expect(await harness.liveIds()).toEqual([id]);
    expect(outputs).not.toHaveProperty("lostNames");
  });

  it("C4: gives up after three lost answers, says that no key has the name, and records nothing", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "never", count: null });
    const failure = await failureOf(harness.createKey({ name: NAME }));
    expect(failure).toMatchObject({ name: "KeyplaneError", code: "KP-UNSETTLED" });
    expect(failure.message).toContain(`No key has the name ${NAME}`);
    expect(await harness.postsThatMayCount()).toBe(3);
  });

  it("C11: leaves the key alone with which somebody else has just taken the name", async () => {
    const harness = await StackHarness.start();
    const held = await harness.plane.rules.add({ route: LIST, hold: "after" });
    const creating = failureOf(harness.createKey({ name: NAME }));
    await harness.plane.held.wait();
    const stranger = await harness.plane.state.createKey(NAME);
    await harness.plane.rules.remove(held.id);
    await harness.plane.held.release();
    expect(await creating).toMatchObject({ code: "KP-CONFLICT" });
    expect((await creating).message).toContain("409");
    expect(await harness.liveIds()).toEqual([String(stranger.id)]);
  });

  it("C4: never touches a key that somebody else created between the lookup and the request", async () => {
    const harness = await StackHarness.start();
    const held = await harness.plane.rules.add({ route: LIST, hold: "after" });
    const creating = failureOf(harness.createKey({ name: NAME }));
    await harness.plane.held.wait();
    const stranger = await harness.plane.state.createKey(NAME);
    await harness.clock.pass(10_000);
    await harness.plane.rules.add({ route: POST, fault: "close" });
    await harness.plane.rules.remove(held.id);
    await harness.plane.held.release();
    expect(await creating).toMatchObject({ code: "KP-UNSETTLED" });
    expect((await creating).message).toContain(`Key ${stranger.id} (${NAME}`);
    expect(await harness.liveIds()).toEqual([String(stranger.id)]);
    expect(await harness.postsThatMayCount()).toBe(1);
  });

  it("C4: never touches a key that somebody else creates while the request is lost", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close" });
    let stranger: { id: number } | undefined;
    harness.clock.meanwhile = async () => {
      if (stranger === undefined && (await harness.requests()).length >= 3) {
        stranger = await harness.plane.state.createKey(NAME);
      }
    };
    const failure = await failureOf(harness.createKey({ name: NAME }));
    expect(failure.message).toContain(`Key ${stranger?.id} (${NAME}`);
    expect(await harness.liveIds()).toEqual([String(stranger?.id)]);
  });

  it("C4: never touches a key with the name that was used while the request was lost", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close" });
    let stranger: { id: number } | undefined;
    harness.clock.meanwhile = async () => {
      if (stranger !== undefined || (await harness.requests()).length < 3) return;
      stranger = await harness.plane.state.createKey(NAME);
      await harness.plane.state.useKey(stranger.id);
    };
    await failureOf(harness.createKey({ name: NAME }));
    expect(await harness.liveIds()).toEqual([String(stranger?.id)]);
  });

  it("C5: leaves a late key live that blocks the second request, and names it", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late" });
    await harness.plane.rules.add({ route: POST, hold: "before" });
    const creating = failureOf(harness.createKey({ name: NAME }));
    await harness.plane.held.wait();
    await harness.plane.commitLate();
    await harness.plane.held.release();
    const [id] = await harness.liveIds();
    expect((await creating).message).toMatch(new RegExp(`409.*Key ${id} .*has the name now`));
    expect(await harness.liveIds()).toEqual([id]);
  });

  it("C5: leaves a key that appears after the run alone in every later run, because somebody else may own it", async () => {
    const harness = await StackHarness.start();
    await harness.plane.state.switch({ uniqueNames: false });
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late" });
    const made = await harness.createKey({ name: NAME });
    expect(harness.told.warn.join()).toContain(`a request for a key ${NAME} got no answer`);
    await harness.plane.commitLate();
    harness.save().add({ id: made.id, outputs: made.outputs });
    await harness.sweep([made.id]);
    await harness.updateKey(made, { name: NAME });
    await harness.deleteOwner();
    expect(await harness.liveIds()).toHaveLength(2);
  });

  it("C5: has a state of version 0.2 with its own name as a lost one, and no run takes its key for the lost key", async () => {
    const harness = await StackHarness.start();
    const { id, outputs } = await harness.createKey({ name: NAME });
    const old = { id, outputs: { ...outputs, lostNames: [NAME] } };
    await harness.updateKey(old, { name: NAME });
    expect(await harness.liveIds()).toEqual([id]);
  });

  it("C7: is replaced if a former version recorded a lost key of that name that could not be revoked", async () => {
    const harness = await StackHarness.start();
    const { id: left } = await harness.plane.state.createKey(NAME);
    const inputs = { owner: harness.identity, name: NAME, mintedBy: harness.tag };
    const pending = [{ action: "create", status: "failed" }];
    const failed = { id: `${left}`, outputs: { ...inputs, pending, pendingRevocations: [`${left}`] } };
    const difference = diff(resourceTypes.ApiKey, failed.outputs, json({ owner: harness.owner, name: NAME }), {
      now: 0,
      driftOnly: false,
      hasLedger: true,
    });
    expect(difference).toMatchObject({ replaces: ["pending"], deleteBeforeReplace: true });
    await harness.deleteKey(failed);
    const { id } = await harness.createKey({ name: NAME });
    expect(await harness.liveIds()).toEqual([id]);
  });

  it("C13: sends no POST while the list is unavailable", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: LIST, status: 500, count: null });
    await failureOf(harness.createKey({ name: NAME }));
    expect(new Set(await harness.requests())).toEqual(new Set([LIST]));
  });

  it.each([
    ["that revokeOnDelete keeps", { revokeOnDelete: false }, {}],
    ["that retainOnDelete keeps", { retained: true }, {}],
    ["of another stack, from which the state was copied", {}, { owner: OTHER_OWNER }],
  ])("a key %s is not deleted before its replacement exists, which would fail", async (_, kept, other) => {
    const harness = await StackHarness.start();
    const given = { name: NAME, rotationTriggers: { n: "1" } };
    const { outputs } = await harness.createKey({ ...given, ...kept });
    const owner = harness.beside(other).identity;
    const differ = (held: Properties) =>
      diff(resourceTypes.ApiKey, held, json({ ...given, ...kept, owner, rotationTriggers: { n: "2" } }), {
        ...{ now: 0, hasLedger: true, driftOnly: false },
      });
    expect(differ(outputs)).toMatchObject({ replaces: ["rotationTriggers"], deleteBeforeReplace: false });
    const { outputs: plain } = await harness.createKey({ ...given, name: "other" });
    expect(differ({ ...plain, name: NAME }).deleteBeforeReplace).toBe(Object.keys(other).length === 0);
  });

  it("C14: protects the key from a copy of the state, although its name does not show its owner", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ name: NAME });
    const copy = harness.beside({ owner: OTHER_OWNER });
    const adopted = await copy.updateKey(key, { name: NAME });
    await copy.deleteKey(adopted);
    expect(await harness.liveIds()).toEqual([key.id]);
    expect(copy.told.warn.join()).toContain("another stack");
  });

  it("C14: is not created in a copy in place of the original's key, although nobody has used that", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ name: NAME });
    const copy = harness.beside({ owner: OTHER_OWNER, context: { urn: urnOf("ApiKey", "ci") } });
    copy.save().add(await copy.updateKey(key, { name: NAME, onNameConflict: "revokeUnused" }));
    const failure = await failureOf(copy.createKey({ name: NAME, onNameConflict: "revokeUnused" }));
    expect(failure.message).toContain(`taken by key ${key.id}, which another stack created`);
    expect(await harness.liveIds()).toEqual([key.id]);
  });
});
