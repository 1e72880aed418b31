import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it, vi } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { AbortedError, TimeoutError } from "../../../provider/errors";
import type { DiagnosticMessage } from "../../../provider/http";
import { diff } from "../../../provider/schema/diff";
import type { Properties } from "../../../provider/schema/outputs";
import { NotReady } from "../../../provider/schema/resource-type";
import { failureOf, type Made, OWNER, StackHarness } from "./harness";

const POST = "POST /api_keys";
const POLL = "GET /projects/{project_id}/operations/{operation_id}";
const SCAN = "GET /projects/{project_id}/operations";

const project = async (harness: StackHarness) => (await harness.plane.state.createProject()).id;
/** The difference between the outputs and an unchanged program. */
const differ = (harness: StackHarness, { verify, rotateAfter, operationTimeout, ...rest }: Properties) => {
  const inputs = Object.entries({ owner: harness.owner, verify, rotateAfter, operationTimeout });
  const given = Object.fromEntries(inputs.filter(([, value]) => value !== undefined));
  return diff(resourceTypes.ApiKey, { ...rest, ...given }, given, {
    now: harness.clock.now(),
    driftOnly: false,
    hasLedger: true,
  });
};

describe("a key with waitForProjects", () => {
  it("waits before the POST, so that no key is created too early", async () => {
    const harness = await StackHarness.start();
    const id = await project(harness);
    await harness.plane.state.startOperations({ projectId: id, runningMs: 12_000 });
    await harness.createKey({ waitForProjects: [id] });
    const requests = await harness.requests();
    expect(requests.filter((each) => each === SCAN).length).toBeGreaterThan(1);
    expect(requests.at(-1)).toBe(POST);
    expect(harness.told.progress.join()).toMatch(/waiting for start_compute \((scheduling|running), \d+ s\)/);
  });

  it("W5: leaves nothing behind if its deadline passes", async () => {
    const harness = await StackHarness.start();
    const id = await project(harness);
    await harness.plane.state.startOperations({ projectId: id, runningMs: null });
    const failure = await failureOf(harness.createKey({ waitForProjects: [id], operationTimeout: "60s" }));
    expect(failure.message).toMatch(/timed out after 60 s waiting for start_compute/);
    expect(await harness.requests()).not.toContain(POST);
  });

  it("W4: leaves nothing behind if an operation fails", async () => {
    const harness = await StackHarness.start();
    const id = await project(harness);
    const { ids } = await harness.plane.state.startOperations({ projectId: id, outcome: "failed" });
    expect((await failureOf(harness.createKey({ waitForProjects: [id] }))).message).toContain(
      `start_compute (${ids[0]})`,
    );
    expect(await harness.requests()).not.toContain(POST);
  });
});

describe("a key whose creation started an operation", () => {
  /** A key whose operation never ends. Its wait times out after a minute. */
  const unready = async (harness: StackHarness, course: object = { runningMs: null }): Promise<Made> => {
    await harness.plane.rules.add({ route: POST, operations: [{ action: "apply_config", ...course }] });
    return harness.createKey({ operationTimeout: "60s" });
  };
  const operationOf = ({ outputs }: Made) => (outputs.pending as { operationId: string }[])[0]?.operationId ?? "";

  it("is ready when the operation has ended", async () => {
    const harness = await StackHarness.start();
    const { outputs, notReady } = await unready(harness, {});
    expect(notReady).toBeUndefined();
    expect(outputs.pending).toBeUndefined();
    expect((await harness.requests()).at(-1)).toBe(POLL);
  });

  it("W5: is recorded with its secret at the deadline, and the next update goes on without another POST", async () => {
    const harness = await StackHarness.start();
    const key = await unready(harness);
    expect(key.notReady).toMatch(/timed out after 60 s waiting for apply_config .*The key is saved with its secret/);
    expect(key.outputs).toMatchObject({ key: expect.stringMatching(/^kp_/), pending: [{ action: "apply_config" }] });
    expect(differ(harness, key.outputs)).toMatchObject({ changes: true, replaces: [] });

    await harness.plane.state.endOperation(operationOf(key));
    const ready = await harness.updateKey(key, { operationTimeout: "60s" });
    expect(ready.notReady).toBeUndefined();
    expect(ready.outputs).toMatchObject({ keyId: key.id, key: key.outputs.key });
    expect(differ(harness, ready.outputs).changes).toBe(false);
    expect((await harness.requests()).filter((each) => each === POST)).toEqual([POST]);
    expect(await harness.liveIds()).toEqual([key.id]);
  });

  it("R7: keeps its secret and its pending operations in a refresh, so that the wait is not forgotten", async () => {
    const harness = await StackHarness.start();
    const key = await unready(harness);
    const read = await harness.readKey(key);
    expect(read).toEqual(key.outputs);
    expect(differ(harness, read ?? {}).changes).toBe(true);
  });

  it("W4: is replaced after the operation has failed, and an update does not make it ready", async () => {
    const harness = await StackHarness.start();
    const failed = await unready(harness, { outcome: "failed" });
    expect(failed.notReady).toMatch(/apply_config .* ended with status failed .*The next `pulumi up` replaces the key/);
    expect(differ(harness, failed.outputs)).toMatchObject({ replaces: ["pending"], deleteBeforeReplace: false });
    expect((await harness.updateKey(failed)).notReady).toContain("replaces the key");
    const { id } = await harness.createKey();
    await harness.deleteKey(failed);
    expect(await harness.liveIds()).toEqual([id]);
  });

  it("W4: is not kept by revokeOnDelete: false if it never was ready, because nobody received it", async () => {
    const harness = await StackHarness.start();
    for (const kind of [resourceTypes.ApiKey, resourceTypes.RotatingApiKey]) {
      for (const course of [{ outcome: "failed" }, { runningMs: null }]) {
        await harness.plane.rules.add({ route: POST, operations: [{ action: "apply_config", ...course }] });
        const inputs = { owner: OWNER, revokeOnDelete: false, operationTimeout: "60s" };
        const made = await kind.create(inputs, harness.context).catch((error: unknown) => error);
        if (made instanceof NotReady) await kind.delete(made.id, made.outputs, harness.context);
        expect(harness.told.info.join()).not.toContain("stays live");
        expect(await harness.liveIds()).toEqual([]);
      }
    }
  });

  it("W2: is recorded with its operations if the service answers no poll", async () => {
    const harness = await StackHarness.start();
    vi.spyOn(harness.account.operations, "wait").mockRejectedValueOnce(new TimeoutError("the service did not answer"));
    const key = await unready(harness);
    expect(key.notReady).toContain("The next `pulumi up` keeps waiting");
    expect(key.outputs).toMatchObject({ pending: [{ action: "apply_config", operationId: operationOf(key) }] });
  });

  it("W7: is recorded if the credential is refused in the middle of the wait", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POLL, status: 401, skip: 1, count: null });
    const key = await unready(harness);
    expect(key.notReady).toMatch(/401.*keyplane:apiKey/);
    expect(key.outputs).toMatchObject({ key: expect.stringMatching(/^kp_/), pending: [{ action: "apply_config" }] });
  });

  it("W2: becomes ready even if some polls fail", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POLL, status: 500, count: 6 });
    expect((await unready(harness, {})).notReady).toBeUndefined();
  });

  it("W3: keeps waiting if a status is unknown, and warns once", async () => {
    const harness = await StackHarness.start();
    const key = await unready(harness, { outcome: "pondering" });
    expect(key.notReady).toMatch(/timed out after 60 s/);
    expect(harness.told.warn.filter((text) => text.includes("pondering"))).toHaveLength(1);
  });

  it("W6: sends nothing more after the engine is gone", async () => {
    const harness = await StackHarness.start();
    const polled = () => harness.requests().then((all) => all.filter((each) => each === POLL).length);
    let polls = 0;
    harness.clock.meanwhile = async () => {
      polls = await polled();
      harness.account.abort(new AbortedError("the engine is gone"));
    };
    const key = await unready(harness);
    expect(key.notReady).toMatch(/cancelled|engine is gone/);
    expect(await polled()).toBe(polls);
    await expect(harness.account.keys.list()).rejects.toThrow("the engine is gone");
  });
});

it("W6: a creation whose answer is lost sends no other POST after the engine is gone", async () => {
  const harness = await StackHarness.start();
  await harness.plane.rules.add({ route: POST, fault: "close" });
  harness.clock.meanwhile = async () => harness.account.abort(new AbortedError("the engine is gone"));
  const { outputs } = await harness.createKey();
  expect(harness.names).toHaveLength(1);
  expect(outputs.lostNames).toEqual(harness.names);
  expect(await harness.liveIds()).toEqual([]);
});

/** Cancels the run at this moment of a request, by default of a creation. */
async function cancelledAt<T>(
  moment: string,
  harness: StackHarness,
  work: () => Promise<T>,
  request = POST,
): Promise<T> {
  const cancel = (message: unknown) => {
    const { point, route } = message as DiagnosticMessage;
    if (point === moment && route === request) harness.account.abort(new AbortedError("the run was cancelled"));
  };
  subscribe("keyplane:provider", cancel);
  try {
    return await work();
  } finally {
    unsubscribe("keyplane:provider", cancel);
  }
}

describe("a run that is cancelled while a key is created", () => {
  it.each([{}, { verify: true }])("W6: records the key with its secret for the inputs %j", async (inputs) => {
    const harness = await StackHarness.start();
    const { id, outputs, notReady } = await cancelledAt("after-body", harness, () => harness.createKey(inputs));
    expect(await harness.liveIds()).toEqual([id]);
    expect(await harness.plane.secretsEverIssued()).toContain(outputs.key);
    expect(notReady ?? "aborted").toContain("aborted");
    expect(harness.names).toHaveLength(1);
  });

  it.each(["ApiKey", "RotatingApiKey"] as const)(
    "W6: records the key of an %s whose answer was lost for its revocation",
    async (name) => {
      const harness = await StackHarness.start();
      await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
      const create = async () => resourceTypes[name].create({ owner: harness.identity }, harness.context);
      const error = await failureOf(cancelledAt("before-send", harness, create, "DELETE /api_keys/{key_id}"));
      const ids = await harness.liveIds();
      expect(ids).toHaveLength(1);
      expect(error).toBeInstanceOf(NotReady);
      const { id, outputs } = error as unknown as NotReady<Properties>;
      expect([id, ...((outputs.pendingRevocations ?? []) as string[])]).toContain(ids[0]);
      expect(harness.told.warn.join()).not.toContain("could not revoke");
    },
  );

  it("W6: records the name of the key to look for if its answer was lost", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    const { outputs, notReady } = await cancelledAt("after-send", harness, () => harness.createKey());
    expect(outputs.lostNames).toEqual(harness.names);
    expect(notReady).toMatch(
      new RegExp(`could not find out whether the key ${harness.names[0]} was created .*aborted: the run was cancelled`),
    );
  });
});

describe("a key with verify", () => {
  const PROBE = "GET /projects";

  it("is tried once at the service before it is ready", async () => {
    const harness = await StackHarness.start();
    const { id, notReady } = await harness.createKey({ verify: true });
    expect(notReady).toBeUndefined();
    const probes = await harness.plane.log({ method: "GET", route: "/projects" });
    expect(probes.map(({ keyId }) => String(keyId))).toEqual([id]);
  });

  it("is replaced if the service refuses it, and the error says so", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: PROBE, status: 401, count: null });
    const key = await harness.createKey({ verify: true });
    expect(key.notReady).toContain(`does not accept key ${key.id}`);
    expect(differ(harness, key.outputs).replaces).toEqual(["pending"]);
  });

  it("is tried again by the next update if the service did not answer", async () => {
    const harness = await StackHarness.start();
    await harness.plane.rules.add({ route: PROBE, status: 500, count: 3 });
    const key = await harness.createKey({ verify: true });
    expect(key.notReady).toContain("could not be verified");
    expect(key.outputs.pending).toEqual([{ action: "verify" }]);
    expect((await harness.updateKey(key, { verify: true })).notReady).toBeUndefined();
    expect(await harness.liveIds()).toEqual([key.id]);
  });
});

describe("a clock that is off by more than 5 minutes", () => {
  it.each([3_600_000, -3_600_000, -100 * 86_400_000])(
    "by %j ms is one warning, which names both times, and every new key stays",
    async (offsetMs) => {
      const harness = await StackHarness.start();
      await harness.plane.clock.set({ offsetMs });
      for (const inputs of [{}, { rotateAfter: "90d" }, { name: "exact", rotateAfter: "90d" }]) {
        expect((await harness.createKey(inputs)).notReady).toBeUndefined();
      }
      expect(await harness.liveIds()).toHaveLength(3);
      expect(await harness.plane.count("DELETE")).toBe(0);
      expect(harness.told.warn).toEqual([
        expect.stringMatching(/^this machine's clock shows \S+Z, but the service's shows \S+Z\. Correct/),
      ]);
    },
  );

  it("by less is not mentioned", async () => {
    const harness = await StackHarness.start();
    await harness.plane.clock.set({ offsetMs: 240_000 });
    await harness.createKey({ rotateAfter: "90d" });
    expect(harness.told.warn).toEqual([]);
  });

  it("replaces no key by its age, neither before nor after the deletion of the old one", async () => {
    const harness = await StackHarness.start();
    const old = await harness.createKey({ name: "exact", rotateAfter: "90d" });
    const { context } = harness.beside({});
    const due = Date.parse(String(old.outputs.rotateAt));
    context.run.replacedByAge.set(context.urn, (from) => Math.max(from, due));
    harness.clock.advance(100 * 86_400_000);
    const inputs = { owner: harness.identity, name: "exact", rotateAfter: "90d" };
    for (const attempt of [
      () => resourceTypes.ApiKey.delete(old.id, old.outputs, context),
      () => resourceTypes.ApiKey.create(inputs, context),
    ]) {
      expect(await failureOf(attempt())).toMatchObject({
        code: "KP-CLOCK",
        message: expect.stringMatching(/due for rotation at .*Nothing was changed/),
      });
    }
    expect(await harness.liveIds()).toEqual([old.id]);

    await harness.plane.clock.set({ offsetMs: 100 * 86_400_000 });
    await context.keys().list({ fresh: true });
    await resourceTypes.ApiKey.delete(old.id, old.outputs, context);
    await resourceTypes.ApiKey.create(inputs, context);
    expect(await harness.liveIds()).toHaveLength(1);
  });
});
