import { describe, expect, test } from "vitest";
import { codeOf, key, type Program, rotating, TestStack } from "../../engineless/test-stack";
import { DELETE, LIST, POST, PROJECTS } from "../../routes";
import { DAY, HOUR, SECOND } from "../../times";

const triggered = (at: string, inputs: object = {}): Program => ({
  ci: rotating({ rotationTriggers: { at }, ...inputs }),
});

/** A stack whose key was rotated once, by a run that delivered it. */
async function rotated(inputs: object = {}): Promise<{ stack: TestStack; old: string; current: string }> {
  const stack = await TestStack.start();
  await stack.up(triggered("1", inputs));
  const old = String(stack.outputs().keyId);
  const run = await stack.up(triggered("2", inputs));
  expect(run.errors).toEqual({});
  return { stack, old, current: String(stack.outputs().keyId) };
}

const sent = ({ requests }: { requests: string[] }) => requests.filter((each) => each !== LIST);

describe("a rotation", () => {
  test("costs a creation and a list, keeps the old key for its grace, and then one revocation", async () => {
    const { stack, old, current } = await rotated();
    expect(stack.outputs()).toMatchObject({ keyId: current, previousKeyId: old, attempts: 2 });
    expect(await stack.live()).toEqual([old, current]);
    expect(await stack.up(triggered("2"))).toMatchObject({ steps: { ci: "same" }, requests: [] });
    await stack.clock.pass(DAY + SECOND);
    const run = await stack.up(triggered("2"));
    expect(run).toMatchObject({ succeeded: true, histories: 1, exports: 1 });
    expect(run.requests).toEqual([LIST, DELETE]);
    expect(await stack.live()).toEqual([current]);
    expect(stack.outputs()).not.toHaveProperty("previousKeyId");
    expect(stack.outputs()).not.toHaveProperty("retireAfter");
    expect((await stack.up(triggered("2"))).steps.ci).toBe("same");
  });

  test("comes with the age of the key", async () => {
    const stack = await TestStack.start();
    const program = { ci: rotating({ rotateAfter: "30d" }) };
    await stack.up(program);
    await stack.clock.pass(30 * DAY - 2 * HOUR);
    expect((await stack.up(program)).steps.ci).toBe("same");
    await stack.clock.pass(2 * HOUR);
    expect((await stack.refresh()).steps.ci).toBe("same");
    expect((await stack.up(program)).steps.ci).toBe("update");
    expect(await stack.live()).toHaveLength(2);
  });

  test("comes with each run of a job that runs as often as the key rotates", async () => {
    const stack = await TestStack.start();
    const program = { ci: rotating({ rotateAfter: "7d" }) };
    const start = stack.clock.now();
    for (let week = 0; week < 4; week++) {
      // Each job starts a little sooner than the one that made the key.
      await stack.clock.pass(start + week * 7 * DAY - week * 10 * SECOND - stack.clock.now());
      const before = stack.outputs().keyId;
      await stack.up(program);
      expect(stack.outputs().keyId).not.toBe(before);
      const { createdAt, rotateAt } = stack.outputs();
      expect(Date.parse(String(rotateAt))).toBe(Date.parse(String(createdAt)) + 7 * DAY);
    }
  });

  test("comes with the first trigger, and not with the removal of all", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: rotating() });
    expect((await stack.preview(triggered("1"))).steps.ci).toBe("update");
    await stack.up(triggered("1"));
    expect(await stack.live()).toHaveLength(2);
    await stack.clock.pass(DAY + SECOND);
    await stack.up(triggered("1"));
    const { keyId } = stack.outputs();
    await stack.up({ ci: rotating() });
    expect(await stack.live()).toEqual([keyId]);
  });

  test("waits for the previous key, says so once, and follows in the run that revokes it", async () => {
    const { stack, old, current } = await rotated();
    const run = await stack.up(triggered("3"));
    expect(run).toMatchObject({ steps: { ci: "update" }, requests: [] });
    expect(run.info).toEqual([expect.stringContaining(old)]);
    expect(await stack.up(triggered("3"))).toMatchObject({ steps: { ci: "same" }, info: [] });
    await stack.clock.pass(DAY + SECOND);
    expect((await stack.up(triggered("3"))).errors).toEqual({});
    expect(stack.outputs().previousKeyId).toBe(current);
    expect(await stack.live()).toEqual([current, stack.outputs().keyId]);
    await stack.clock.pass(DAY + SECOND);
    await stack.up(triggered("3"));
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
    expect((await stack.up(triggered("3"))).steps.ci).toBe("same");
  });

  test("that is interrupted is not repeated by the next run once its key is in the state", async () => {
    const stack = await TestStack.start();
    await stack.up(triggered("1"));
    await stack.up(triggered("2"), { failing: "ci" });
    expect(await stack.up(triggered("2"))).toMatchObject({ steps: { ci: "same" } });
    expect(await stack.live()).toHaveLength(2);
  });

  test("fails without a change if no key can be created, and the key stays", async () => {
    const stack = await TestStack.start();
    await stack.up(triggered("1"));
    const before = stack.outputs();
    await stack.plane.rules.add({ route: POST, status: 403 });
    expect(codeOf(await stack.up(triggered("2")))).toBe("KP-AUTH");
    expect(stack.outputs()).toEqual(before);
    expect(stack.find("ci")?.notReady).toBeUndefined();
    await stack.up(triggered("2"));
    expect(stack.outputs().previousKeyId).toBe(before.keyId);
  });

  test("with other recipients or another maxAge waits for the previous key, too", async () => {
    const { stack, current } = await rotated();
    await stack.up(triggered("2", { maxAge: "90d" }));
    expect(await stack.live()).toHaveLength(2);
    expect(stack.outputs()).not.toHaveProperty("expiresAt");
    await stack.clock.pass(DAY + SECOND);
    await stack.up(triggered("2", { maxAge: "90d" }));
    expect(stack.outputs()).toMatchObject({ previousKeyId: current, expiresAt: expect.any(String) });
    expect((await stack.up(triggered("2", { maxAge: "90d" }))).steps.ci).toBe("same");
    expect((await stack.up(triggered("2", { maxAge: "2160h" }))).steps.ci).not.toBe("replace");
    expect(await stack.live()).toHaveLength(2);
  });
});

describe("the previous key", () => {
  test("stays until a run of the whole stack has succeeded, and a grace after it", async () => {
    const stack = await TestStack.start();
    await stack.up(triggered("1"));
    await stack.up(triggered("2"), { failing: "ci" });
    await stack.clock.pass(2 * DAY);
    // A run of a part of the stack delivers nothing.
    await stack.up({ ...triggered("2"), db: key() }, { target: "db" });
    const kept = await stack.up({ ...triggered("2"), db: key() }, { failing: "ci" });
    expect(kept).toMatchObject({ steps: { ci: "update" } });
    expect(sent(kept)).toEqual([]);
    expect(await stack.live()).toContain(stack.outputs().previousKeyId);
    // The reason is on record: nothing is due until it asks again.
    expect(await stack.up({ ...triggered("2"), db: key() })).toMatchObject({ steps: { ci: "same" } });
    await stack.clock.pass(DAY - HOUR);
    expect(await stack.up({ ...triggered("2"), db: key() })).toMatchObject({ steps: { ci: "same" } });
    await stack.clock.pass(2 * HOUR);
    await stack.up({ ...triggered("2"), db: key() });
    expect(await stack.live()).toHaveLength(2);
    expect(stack.outputs()).not.toHaveProperty("previousKeyId");
  });

  test("whose successor was delivered late has the whole grace after that", async () => {
    const stack = await TestStack.start();
    await stack.up(triggered("1"));
    await stack.up(triggered("2"), { failing: "ci" });
    await stack.clock.pass(DAY - HOUR);
    await stack.up(triggered("2"));
    await stack.clock.pass(2 * HOUR);
    const run = await stack.up(triggered("2"));
    expect([run.steps.ci, sent(run)]).toEqual(["update", []]);
    const { deliveredAt, retireAfter } = stack.outputs();
    expect(Date.parse(String(retireAfter)) - Date.parse(String(deliveredAt))).toBe(DAY);
    await stack.clock.pass(DAY - 2 * HOUR);
    await stack.up(triggered("2"));
    // The delivery is on record, so that nobody asks again.
    expect(await stack.live()).toHaveLength(1);
  });

  test("stays without a history until maxOverlap, says so once an interval, and is then revoked with a warning", async () => {
    const { stack, current } = await rotated({ maxOverlap: "3d" });
    stack.history = undefined;
    await stack.clock.pass(DAY + SECOND);
    const kept = await stack.up(triggered("2", { maxOverlap: "3d" }));
    expect([kept.steps.ci, sent(kept)]).toEqual(["update", []]);
    expect(kept.warn.length).toBeGreaterThan(0);
    expect(await stack.up(triggered("2", { maxOverlap: "3d" }))).toMatchObject({ steps: { ci: "same" }, warn: [] });
    await stack.clock.pass(2 * DAY);
    const run = await stack.up(triggered("2", { maxOverlap: "3d" }));
    expect(sent(run)).toEqual([DELETE]);
    expect(run.warn.join()).toContain("maxOverlap");
    expect(await stack.live()).toEqual([current]);
  });

  test("that is in use stays, its user is named, and it goes when it is quiet", async () => {
    const { stack, old, current } = await rotated();
    await stack.clock.pass(DAY + SECOND);
    await stack.plane.state.useKey(old, 0, "192.0.2.7");
    const kept = await stack.up(triggered("2"));
    expect(sent(kept)).toEqual([]);
    expect(kept.warn.join()).toContain("192.0.2.7");
    expect((await stack.up(triggered("2"))).steps.ci).toBe("same");
    await stack.clock.pass(2 * HOUR + SECOND);
    expect(sent(await stack.up(triggered("2")))).toEqual([DELETE]);
    expect(await stack.live()).toEqual([current]);
  });

  test("in use is revoked when maxOverlap is over, and not before", async () => {
    const { stack, old, current } = await rotated();
    for (let day = 1; day < 7; day++) {
      await stack.clock.pass(DAY);
      await stack.plane.state.useKey(old);
      await stack.up(triggered("2"));
      expect(await stack.live()).toContain(old);
    }
    await stack.clock.pass(DAY + HOUR);
    await stack.plane.state.useKey(old);
    await stack.up(triggered("2"));
    expect(await stack.live()).toEqual([current]);
  });

  test("stays until maxOverlap if the service shows no use of any key, not even of keyplane's own", async () => {
    const stack = await TestStack.start();
    await stack.plane.state.switch({ lastUsedDelayMs: 300 * DAY });
    const program = (at: string) => triggered(at, { maxOverlap: "3d" });
    await stack.up(program("1"));
    await stack.up(program("2"));
    await stack.clock.pass(DAY + SECOND);
    expect(await stack.up(program("2"))).toMatchObject({ succeeded: true, requests: [LIST] });
    expect(await stack.live()).toHaveLength(2);
    await stack.clock.pass(2 * DAY);
    await stack.up(program("2"));
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("with requireUse stays until somebody uses its successor, and a run that only waits shows no difference", async () => {
    const required = triggered("2", { requireUse: true });
    const { stack, current } = await rotated({ requireUse: true });
    expect(stack.outputs().nextAction).toContain(`or key ${current} was never used`);
    await stack.clock.pass(DAY + SECOND);
    const kept = await stack.up(required);
    expect(kept.requests).toEqual([LIST]);
    expect(kept.warn.join()).toContain(current);
    expect(await stack.up(required)).toMatchObject({ steps: { ci: "same" }, requests: [], warn: [] });
    await stack.plane.state.useKey(current);
    await stack.clock.pass(2 * HOUR + SECOND);
    expect((await stack.up(required)).requests).toEqual([LIST, DELETE]);
    expect(await stack.live()).toEqual([current]);
  });

  test("with requireUse is not replaced by keyplane's own use: a new key that no list has yet is not tried", async () => {
    const stack = await TestStack.start();
    const body = await stack.listed();
    await stack.up(triggered("1", { requireUse: true }));
    await stack.plane.rules.add({ route: LIST, status: 200, body, count: null });
    const refresh = await stack.refresh();
    expect(codeOf(refresh)).toBe("KP-ANSWER");
    expect(new Set(refresh.requests)).toEqual(new Set([LIST]));
    await stack.clock.pass(HOUR);
    expect(codeOf(await stack.refresh())).toBe("KP-ANSWER");
    await stack.plane.rules.clear();
    expect((await stack.refresh()).errors).toEqual({});
  });

  test("with requireUse is revoked when maxOverlap is over, with a warning, or when the program no longer requires it", async () => {
    const inputs = { requireUse: true, maxOverlap: "3d" };
    const { stack, current } = await rotated(inputs);
    await stack.clock.pass(DAY + SECOND);
    await stack.up(triggered("2", inputs));
    expect(await stack.live()).toHaveLength(2);
    await stack.up(triggered("2", { maxOverlap: "3d" }));
    expect(await stack.live()).toEqual([current]);
    await stack.up(triggered("3", inputs));
    await stack.clock.pass(3 * DAY + SECOND);
    const run = await stack.up(triggered("3", inputs));
    expect(run.warn.join()).toContain("maxOverlap");
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("that cannot be revoked is tried again by the next run, without another key", async () => {
    const { stack, old, current } = await rotated();
    await stack.clock.pass(DAY + SECOND);
    await stack.plane.rules.add({ route: DELETE, status: 400 });
    const run = await stack.up(triggered("2"));
    expect(run.warn.join()).toContain(old);
    expect(stack.outputs().previousKeyId).toBe(old);
    await stack.up(triggered("2"));
    expect(await stack.live()).toEqual([current]);
  });

  test("that is gone is forgotten without a request for its revocation", async () => {
    const { stack, old, current } = await rotated();
    await stack.plane.state.revokeKey(old);
    await stack.clock.pass(DAY + SECOND);
    const run = await stack.up(triggered("2"));
    expect(run.errors).toEqual({});
    expect(sent(run)).not.toContain(DELETE);
    expect(stack.outputs()).toMatchObject({ keyId: current });
    expect(stack.outputs()).not.toHaveProperty("previousKeyId");
  });

  test("is revoked at its own deadline, whoever uses it", async () => {
    const inputs = { maxAge: "3d", gracePeriod: "12h" };
    const { stack, old } = await rotated(inputs);
    await stack.clock.pass(3 * DAY + HOUR);
    await stack.plane.state.useKey(old);
    await stack.up(triggered("2", inputs));
    expect(await stack.live()).not.toContain(old);
  });

  test("is not revoked early because this machine's clock is wrong", async () => {
    const { stack, old } = await rotated();
    await stack.plane.clock.set({ offsetMs: -10 * DAY });
    await stack.clock.pass(DAY + SECOND);
    expect(sent(await stack.up(triggered("2")))).toEqual([]);
    expect(await stack.live()).toContain(old);
  });

  test("is revoked on time if the clocks differ by seconds only", async () => {
    const stack = await TestStack.start();
    await stack.plane.clock.set({ offsetMs: 5 * SECOND });
    await stack.up(triggered("1"));
    await stack.up(triggered("2"));
    await stack.clock.pass(DAY + 2 * SECOND);
    await stack.up(triggered("2"));
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("is not revoked early because the clock of the machine that rotated was behind", async () => {
    const stack = await TestStack.start();
    await stack.plane.clock.set({ offsetMs: HOUR });
    await stack.up(triggered("1"));
    const old = String(stack.outputs().keyId);
    // The first run was on a machine whose clock is right.
    const ended = new Date(stack.clock.now() + HOUR).toISOString();
    stack.history = stack.history?.map((run) => ({ ...run, startTime: ended, endTime: ended }));
    await stack.clock.pass(60 * SECOND);
    await stack.up(triggered("2"), { failing: "ci" });
    await stack.clock.pass(2 * DAY);
    expect(sent(await stack.up(triggered("2")))).toEqual([]);
    expect(await stack.live()).toContain(old);
  });
});

describe("revokeNow", () => {
  const start = async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: rotating() });
    return { stack, old: String(stack.outputs().keyId) };
  };

  test("of the current key creates another one and revokes the key in the same run", async () => {
    const { stack, old } = await start();
    const run = await stack.up({ ci: rotating({ revokeNow: old }) });
    expect(run.errors).toEqual({});
    expect(sent(run)).toEqual([POST, DELETE]);
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
    expect(stack.outputs()).not.toHaveProperty("previousKeyId");
    // The line can stay in the program.
    expect(await stack.up({ ci: rotating({ revokeNow: old }) })).toMatchObject({ steps: { ci: "same" } });
  });

  test("of the current key keeps the previous key for its own grace", async () => {
    const { stack, old, current } = await rotated();
    await stack.up(triggered("2", { revokeNow: current }));
    expect(await stack.live()).toEqual([old, stack.outputs().keyId]);
    expect(stack.outputs().previousKeyId).toBe(old);
  });

  test("of the previous key revokes it at once, in use and in its grace, without asking the history", async () => {
    const { stack, old, current } = await rotated();
    await stack.plane.state.useKey(old);
    const run = await stack.up(triggered("2", { revokeNow: old }));
    expect(run).toMatchObject({ succeeded: true, histories: 0 });
    expect(await stack.live()).toEqual([current]);
    expect(stack.outputs()).not.toHaveProperty("previousKeyId");
  });

  test("that cannot revoke the current key fails, has the id on record, and the next run revokes it", async () => {
    const { stack, old } = await start();
    await stack.plane.rules.add({ route: DELETE, status: 400 });
    const run = await stack.up({ ci: rotating({ revokeNow: old }) });
    expect(codeOf(run)).toBe("KP-REVOKE");
    expect(stack.outputs().pendingRevocations).toEqual([old]);
    const { keyId } = stack.outputs();
    expect(keyId).not.toBe(old);
    expect((await stack.up({ ci: rotating({ revokeNow: old }) })).errors).toEqual({});
    expect(await stack.live()).toEqual([keyId]);
  });

  test("that cannot revoke the previous key fails, and the next run revokes it", async () => {
    const { stack, old, current } = await rotated();
    await stack.plane.rules.add({ route: DELETE, status: 400 });
    const run = await stack.up(triggered("2", { revokeNow: old }));
    expect(codeOf(run)).toBe("KP-REVOKE");
    expect((await stack.up(triggered("2", { revokeNow: old }))).errors).toEqual({});
    expect(await stack.live()).toEqual([current]);
  });

  test("of the current key waits until its successor is ready", async () => {
    const { stack, old } = await start();
    await stack.plane.rules.add({ route: POST, operations: [{ action: "start_compute", runningMs: 120_000 }] });
    const program = { ci: rotating({ revokeNow: old, operationTimeout: "60s" }) };
    expect(codeOf(await stack.up(program))).toBe("KP-NOT-READY");
    expect(await stack.live()).toContain(old);
    expect(stack.outputs().pendingRevocations).toEqual([old]);
    await stack.clock.pass(HOUR);
    expect((await stack.up(program)).errors).toEqual({});
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("of a key that the resource does not have is an error in the preview", async () => {
    const { stack } = await start();
    const preview = await stack.preview({ ci: rotating({ revokeNow: "999" }) });
    expect(codeOf(preview)).toBe("KP-INPUT");
    expect(preview.requests).toEqual([]);
  });

  test("that was killed before the successor was saved, leaves one key after the next run", async () => {
    const { stack, old } = await start();
    await stack.clock.pass(HOUR);
    const program = { ci: rotating({ revokeNow: old }) };
    await stack.up(program, { dies: "ci" });
    expect((await stack.up(program)).errors).toEqual({});
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });
});

describe("a new key that is not ready", () => {
  test("is revoked at once if it is refused, and the old key stays", async () => {
    const stack = await TestStack.start();
    await stack.up(triggered("1", { verify: true }));
    const { keyId } = stack.outputs();
    await stack.plane.rules.add({ route: PROJECTS, status: 401, count: null });
    expect(codeOf(await stack.up(triggered("2", { verify: true })))).toBe("KP-UNUSABLE");
    expect(await stack.live()).toEqual([keyId]);
    expect(stack.outputs().keyId).toBe(keyId);
    await stack.plane.rules.clear();
    expect((await stack.up(triggered("2", { verify: true }))).errors).toEqual({});
    expect(stack.outputs().previousKeyId).toBe(keyId);
  });

  test("and cannot be revoked either is on record, and the next run revokes it", async () => {
    const stack = await TestStack.start();
    await stack.up(triggered("1", { verify: true }));
    await stack.plane.rules.add({ route: PROJECTS, status: 401, count: null });
    await stack.plane.rules.add({ route: DELETE, status: 400, count: 1 });
    expect(codeOf(await stack.up(triggered("2", { verify: true })))).toBe("KP-UNUSABLE");
    expect(stack.outputs().pendingRevocations).toHaveLength(1);
    await stack.plane.rules.clear();
    expect((await stack.up(triggered("2", { verify: true }))).errors).toEqual({});
    expect(await stack.live()).toEqual([stack.outputs().previousKeyId, stack.outputs().keyId]);
  });

  test("starts the grace of the previous key when it is ready", async () => {
    const stack = await TestStack.start();
    await stack.up(triggered("1"));
    await stack.plane.rules.add({ route: POST, operations: [{ action: "start_compute", runningMs: 120_000 }] });
    const program = triggered("2", { operationTimeout: "60s" });
    expect(codeOf(await stack.up(program))).toBe("KP-NOT-READY");
    await stack.clock.pass(2 * DAY);
    expect((await stack.up(program)).errors).toEqual({});
    expect(await stack.live()).toHaveLength(2);
    expect(Date.parse(String(stack.outputs().retireAfter))).toBeGreaterThan(stack.clock.now() + DAY - HOUR);
  });

  test("that fails in a later run is revoked and replaced, and the previous key stays", async () => {
    const stack = await TestStack.start();
    await stack.up(triggered("1"));
    const { keyId: old } = stack.outputs();
    const course = { action: "start_compute", runningMs: 120_000, outcome: "failed" } as const;
    await stack.plane.rules.add({ route: POST, operations: [course] });
    const program = triggered("2", { operationTimeout: "60s" });
    await stack.up(program);
    await stack.clock.pass(HOUR);
    expect(codeOf(await stack.up(program))).toBe("KP-NOT-READY");
    expect((await stack.up(program)).errors).toEqual({});
    expect(await stack.live()).toEqual([old, stack.outputs().keyId]);
    expect(stack.outputs().previousKeyId).toBe(old);
  });
});

describe("a key that is gone", () => {
  test("is drift in a refresh, and the next run creates another one beside the previous key", async () => {
    const { stack, old, current } = await rotated();
    await stack.plane.state.revokeKey(current);
    await stack.clock.pass(2 * 60_000);
    const refresh = await stack.refresh();
    expect(refresh.steps.ci).toBe("drift");
    expect(refresh.warn.join()).toContain(current);
    const run = await stack.up(triggered("2"));
    expect(run.errors).toEqual({});
    expect(await stack.live()).toEqual([old, stack.outputs().keyId]);
    expect(stack.outputs().previousKeyId).toBe(old);
  });

  test("with its previous one removes the resource in a refresh", async () => {
    const { stack, old, current } = await rotated();
    await stack.plane.state.revokeKey(current);
    await stack.plane.state.revokeKey(old);
    await stack.clock.pass(2 * 60_000);
    expect((await stack.refresh()).steps.ci).toBe("gone");
    await stack.up(triggered("2"));
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });
});

describe("keyplane's own key", () => {
  /** A stack that manages the key with which the provider authenticates from now on. */
  const start = async (inputs: object = {}) => {
    const stack = await TestStack.start();
    await stack.up(triggered("1", inputs));
    const { keyId, key: secret } = stack.outputs();
    stack.settings = { ...stack.settings, apiKey: String(secret) };
    return { stack, own: String(keyId) };
  };

  test("is not rotated, replaced by revokeNow, or deleted without selfRotation", async () => {
    const { stack, own } = await start();
    expect(codeOf(await stack.up(triggered("2")))).toBe("KP-OWN-CREDENTIAL");
    expect(codeOf(await stack.up(triggered("1", { revokeNow: own })))).toBe("KP-OWN-CREDENTIAL");
    expect(codeOf(await stack.destroy())).toBe("KP-OWN-CREDENTIAL");
    expect(await stack.live()).toEqual([own]);
  });

  test("is rotated with selfRotation, its successor is tried, and only the successor revokes it", async () => {
    const { stack, own } = await start({ selfRotation: true });
    const run = await stack.up(triggered("2", { selfRotation: true }));
    expect(run.errors).toEqual({});
    expect(sent(run)).toEqual([POST, PROJECTS]);
    expect(run.warn.join()).toContain("pulumi config set");
    await stack.clock.pass(9 * DAY);
    const kept = await stack.up(triggered("2", { selfRotation: true }));
    expect(kept.warn.join()).toContain("keyplane:apiKey");
    expect(await stack.live()).toContain(own);
    stack.settings = { ...stack.settings, apiKey: String(stack.outputs().key) };
    await stack.up(triggered("2", { selfRotation: true }));
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("that revokeNow names gets a successor with selfRotation, and is not revoked by itself", async () => {
    const { stack, own } = await start({ selfRotation: true });
    const run = await stack.up(triggered("1", { selfRotation: true, revokeNow: own }));
    expect(run.errors).toEqual({});
    expect(await stack.live()).toEqual([own, stack.outputs().keyId]);
    expect(stack.outputs().previousKeyId).toBe(own);
  });
});
