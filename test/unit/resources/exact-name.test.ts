import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/resources/registry";
import { diff } from "../../../provider/schema/diff";
import { failureOf, OTHER_OWNER, StackHarness } from "./harness";

const POST = "POST /api_keys";
const LIST = "GET /api_keys";
const NAME = "billing key";

describe("creating a key with an exact name", () => {
  it("C11: looks the name up before its POST, and fails with the key that has the name and what to do", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.plane.state.createKey(NAME);
    const failure = await failureOf(harness.createKey({ name: NAME }));
    expect(failure.message).toMatch(new RegExp(`taken by key ${id} \\(created .*, never used\\)`));
    expect(failure.message).toContain('onNameConflict to "revokeUnused"');
    expect(await harness.requests()).toEqual([LIST]);
  });

  it("C11: does not offer to revoke a key in use that has the name", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.plane.state.createKey(NAME);
    await harness.plane.state.useKey(id);
    for (const onNameConflict of ["fail", "revokeUnused"]) {
      const failure = await failureOf(harness.createKey({ name: NAME, onNameConflict }));
      expect(failure.message).toMatch(/last used/);
      expect(failure.message).not.toContain("or set onNameConflict");
    }
    expect(await harness.liveIds()).toEqual([String(id)]);
  });

  it("C11: replaces a never used key that has the name if the program allows it", async () => {
    const harness = await StackHarness.start();
    await harness.plane.state.createKey(NAME);
    const { id, outputs } = await harness.createKey({ name: NAME, onNameConflict: "revokeUnused" });
    expect(await harness.liveIds()).toEqual([id]);
    expect(outputs.name).toBe(NAME);
    expect(harness.told.info.join()).toContain("never used");
  });

  it("C4: revokes a lost key, which did not exist before the request, and creates the key again", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    const { id, outputs } = await harness.createKey({ name: NAME });
    expect(await harness.liveIds()).toEqual([id]);
    expect(outputs).toMatchObject({ name: NAME, mintedBy: harness.tag });
    expect(await harness.requests()).toEqual([LIST, POST, LIST, "DELETE /api_keys/{key_id}", POST]);
  });

  it("C11: leaves the key alone with which somebody else has just taken the name", async () => {
    const harness = await StackHarness.start();
    const held = await harness.plane.rules.add({ route: LIST, hold: "after" });
    const creating = failureOf(harness.createKey({ name: NAME }));
    await harness.plane.held.wait();
    const stranger = await harness.plane.state.createKey(NAME);
    await harness.plane.rules.remove(held.id);
    await harness.plane.held.release();
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
    expect((await creating).message).toContain("409");
    expect(await harness.liveIds()).toEqual([String(stranger.id)]);
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

  it("C5: revokes a late key when it blocks the second request", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late" });
    await harness.plane.rules.add({ route: POST, hold: "before" });
    const creating = harness.createKey({ name: NAME });
    await harness.plane.held.wait();
    await harness.plane.commitLate();
    await harness.plane.held.release();
    const { id, outputs } = await creating;
    expect(await harness.liveIds()).toEqual([id]);
    expect(outputs.lostNames).toEqual([NAME]);
  });

  it("C5: leaves a key that appears after the run to the ledger, which only reports it because somebody else may own it", async () => {
    const harness = await StackHarness.start();
    await harness.plane.state.switch({ uniqueNames: false });
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late" });
    const { id, outputs } = await harness.createKey({ name: NAME });
    await harness.plane.commitLate();
    await harness.sweep([id], undefined, outputs.lostNames as string[]);
    expect(await harness.liveIds()).toHaveLength(2);
    expect(harness.told.warn.join()).toContain("somebody else");
  });

  it("C7: records a lost key that cannot be revoked, because its name cannot be used again", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    await harness.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    const failed = await harness.createKey({ name: NAME });
    expect(failed.notReady).toContain(NAME);
    expect([failed.id]).toEqual(await harness.liveIds());
    expect(failed.outputs).toMatchObject({ name: NAME, pendingRevocations: [failed.id] });
    const difference = diff(
      resourceTypes.ApiKey,
      failed.outputs,
      { owner: harness.owner, name: NAME },
      { now: 0, driftOnly: false },
    );
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

  it("C14: protects the key from a copy of the state, although its name does not show its owner", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ name: NAME });
    const copy = harness.beside({ owner: OTHER_OWNER });
    const adopted = await copy.updateKey(key, { name: NAME });
    await copy.deleteKey(adopted);
    expect(await harness.liveIds()).toEqual([key.id]);
    expect(copy.told.warn.join()).toContain("another stack");
  });
});
