import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/resources/registry";
import { diff } from "../../../provider/schema/diff";
import { failureOf, OTHER_OWNER, StackHarness } from "./harness";

const POST = "POST /api_keys";
const LIST = "GET /api_keys";
const NAME = "billing key";

describe("a key of an exact name", () => {
  it("C11: is looked up before its POST, and fails with what is in the way and what to do", async () => {
    const harness = await StackHarness.start();
    const { id } = await harness.plane.state.createKey(NAME);
    const failure = await failureOf(harness.createKey({ name: NAME }));
    expect(failure.message).toMatch(new RegExp(`taken by key ${id} \\(created .*, never used\\)`));
    expect(failure.message).toContain('onNameConflict to "revokeUnused"');
    expect(await harness.requests()).toEqual([LIST]);
  });

  it("C11: does not offer to revoke a key in the way that is in use", async () => {
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

  it("C11: takes the place of a key that was never used where the program says so", async () => {
    const harness = await StackHarness.start();
    await harness.plane.state.createKey(NAME);
    const { id, outputs } = await harness.createKey({ name: NAME, onNameConflict: "revokeUnused" });
    expect(await harness.liveIds()).toEqual([id]);
    expect(outputs.name).toBe(NAME);
    expect(harness.told.info.join()).toContain("never used");
  });

  it("C4: whose answer is lost is settled by a key that was not there before, and made once more", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    const { id, outputs } = await harness.createKey({ name: NAME });
    expect(await harness.liveIds()).toEqual([id]);
    expect(outputs).toMatchObject({ name: NAME, mintedBy: harness.tag });
    expect(await harness.requests()).toEqual([LIST, POST, LIST, "DELETE /api_keys/{key_id}", POST]);
  });

  it("C11: refused because a stranger has just taken the name leaves the stranger's key alone", async () => {
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

  it("C4: never touches a stranger who took the name between the look and the request", async () => {
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

  it("C4: never touches a key of the name that was used while the request was lost", async () => {
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

  it("C5: that is made late stands in the way of the second request, and is settled then", async () => {
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

  it("C5: that turns up after the run is reported by the ledger and left alone: it may be a stranger's", async () => {
    const harness = await StackHarness.start();
    await harness.plane.state.switch({ uniqueNames: false });
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "late" });
    const { id, outputs } = await harness.createKey({ name: NAME });
    await harness.plane.commitLate();
    await harness.sweep([id], undefined, outputs.lostNames as string[]);
    expect(await harness.liveIds()).toHaveLength(2);
    expect(harness.told.warn.join()).toContain("somebody else");
  });

  it("C7: that was made, lost and cannot be revoked is recorded, because its name cannot be asked for again", async () => {
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

  it("C13: sends no POST at all while the list is unavailable", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: LIST, status: 500, count: null });
    await failureOf(harness.createKey({ name: NAME }));
    expect(new Set(await harness.requests())).toEqual(new Set([LIST]));
  });

  it("C14: of a copied state is not revoked by the copy, whose name tells nothing about who made it", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey({ name: NAME });
    const copy = harness.beside({ owner: OTHER_OWNER });
    const adopted = await copy.updateKey(key, { name: NAME });
    await copy.deleteKey(adopted);
    expect(await harness.liveIds()).toEqual([key.id]);
    expect(copy.told.warn.join()).toContain("another stack");
  });
});
