import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it } from "vitest";
import { AbortedError } from "../../../provider/errors";
import type { Point, PointMessage } from "../../../provider/http";
import { diff, kinds, NotReady, type Properties } from "../../../provider/resources";
import { Bench, failureOf, type Made, OWNER } from "./harness";

const POST = "POST /api_keys";
const POLL = "GET /projects/{project_id}/operations/{operation_id}";
const SCAN = "GET /projects/{project_id}/operations";

const project = async (bench: Bench) => (await bench.plane.state.createProject()).id;
/** What a program that has not changed since makes of the outputs. */
const differ = (bench: Bench, { verify, rotateAfter, operationTimeout, ...rest }: Properties) => {
  const inputs = Object.entries({ owner: bench.owner, verify, rotateAfter, operationTimeout });
  const given = Object.fromEntries(inputs.filter(([, value]) => value !== undefined));
  return diff(kinds.ApiKey, { ...rest, ...given }, given, { now: bench.clock.now(), driftOnly: false });
};

describe("waitForProjects", () => {
  it("is waited for before the POST, so that nothing is made that is not yet needed", async () => {
    const bench = await Bench.start();
    const id = await project(bench);
    await bench.plane.state.startOperations({ projectId: id, runningMs: 12_000 });
    await bench.createKey({ waitForProjects: [id] });
    const requests = await bench.requests();
    expect(requests.filter((each) => each === SCAN).length).toBeGreaterThan(1);
    expect(requests.at(-1)).toBe(POST);
    expect(bench.told.progress.join()).toMatch(/waiting for start_compute \((scheduling|running), \d+ s\)/);
  });

  it("W5: leaves nothing behind when its deadline passes", async () => {
    const bench = await Bench.start();
    const id = await project(bench);
    await bench.plane.state.startOperations({ projectId: id, runningMs: null });
    const failure = await failureOf(bench.createKey({ waitForProjects: [id], operationTimeout: "60s" }));
    expect(failure.message).toMatch(/timed out after 60 s waiting for start_compute/);
    expect(await bench.requests()).not.toContain(POST);
  });

  it("W4: leaves nothing behind when an operation fails", async () => {
    const bench = await Bench.start();
    const id = await project(bench);
    const { ids } = await bench.plane.state.startOperations({ projectId: id, outcome: "failed" });
    expect((await failureOf(bench.createKey({ waitForProjects: [id] }))).message).toContain(`start_compute ${ids[0]}`);
    expect(await bench.requests()).not.toContain(POST);
  });
});

describe("a key whose creation started an operation", () => {
  /** A key whose operation goes on for ever; its wait is over after a minute. */
  const unready = async (bench: Bench, course: object = { runningMs: null }): Promise<Made> => {
    await bench.plane.rules.add({ route: POST, operations: [{ action: "apply_config", ...course }] });
    return bench.createKey({ operationTimeout: "60s" });
  };
  const operationOf = ({ outputs }: Made) => (outputs.pending as { operationId: string }[])[0]?.operationId ?? "";

  it("is ready once that has ended", async () => {
    const bench = await Bench.start();
    const { outputs, notReady } = await unready(bench, {});
    expect(notReady).toBeUndefined();
    expect(outputs.pending).toBeUndefined();
    expect((await bench.requests()).at(-1)).toBe(POLL);
  });

  it("W5: is recorded with its secret when the time is over, and the next update goes on without another POST", async () => {
    const bench = await Bench.start();
    const key = await unready(bench);
    expect(key.notReady).toMatch(/timed out after 60 s waiting for apply_config .*The key is kept with its secret/);
    expect(key.outputs).toMatchObject({ key: expect.stringMatching(/^kp_/), pending: [{ action: "apply_config" }] });
    expect(differ(bench, key.outputs)).toMatchObject({ changes: true, replaces: [] });

    await bench.plane.state.endOperation(operationOf(key));
    const ready = await bench.updateKey(key, { operationTimeout: "60s" });
    expect(ready.notReady).toBeUndefined();
    expect(ready.outputs).toMatchObject({ keyId: key.id, key: key.outputs.key });
    expect(differ(bench, ready.outputs).changes).toBe(false);
    expect((await bench.requests()).filter((each) => each === POST)).toEqual([POST]);
    expect(await bench.liveIds()).toEqual([key.id]);
  });

  it("R7: keeps what it waits for and its secret through a refresh, so that the wait is not forgotten", async () => {
    const bench = await Bench.start();
    const key = await unready(bench);
    const read = await bench.readKey(key);
    expect(read).toEqual(key.outputs);
    expect(differ(bench, read ?? {}).changes).toBe(true);
  });

  it("W4: is to be replaced once that has failed, and an update does not make it ready", async () => {
    const bench = await Bench.start();
    const failed = await unready(bench, { outcome: "failed" });
    expect(failed.notReady).toMatch(/apply_config .* ended as failed .*The next `pulumi up` replaces the key/);
    expect(differ(bench, failed.outputs)).toMatchObject({ replaces: ["pending"], deleteBeforeReplace: false });
    expect((await bench.updateKey(failed)).notReady).toContain("replaces the key");
    const { id } = await bench.createKey();
    await bench.deleteKey(failed);
    expect(await bench.liveIds()).toEqual([id]);
  });

  it("W4: is not kept by revokeOnDelete: false when that has failed, or has not ended, for nobody was given it", async () => {
    const bench = await Bench.start();
    for (const kind of [kinds.ApiKey, kinds.RotatingApiKey]) {
      for (const course of [{ outcome: "failed" }, { runningMs: null }]) {
        await bench.plane.rules.add({ route: POST, operations: [{ action: "apply_config", ...course }] });
        const inputs = { owner: OWNER, revokeOnDelete: false, operationTimeout: "60s" };
        const made = await kind.create(inputs, bench.context).catch((error: unknown) => error);
        if (made instanceof NotReady) await kind.delete(made.id, made.outputs, bench.context);
        expect(bench.told.info.join()).not.toContain("stays live");
        expect(await bench.liveIds()).toEqual([]);
      }
    }
  });

  it("W7: is recorded when the credential is refused in the middle of the wait", async () => {
    const bench = await Bench.start();
    await bench.plane.rules.add({ route: POLL, status: 401, skip: 1, count: null });
    const key = await unready(bench);
    expect(key.notReady).toMatch(/401.*keyplane:apiKey/);
    expect(key.outputs).toMatchObject({ key: expect.stringMatching(/^kp_/), pending: [{ action: "apply_config" }] });
  });

  it("W2: bears polls that are not answered", async () => {
    const bench = await Bench.start();
    await bench.plane.rules.add({ route: POLL, status: 500, count: 6 });
    expect((await unready(bench, {})).notReady).toBeUndefined();
  });

  it("W3: waits on in a status that nobody knows, and warns of it once", async () => {
    const bench = await Bench.start();
    const key = await unready(bench, { outcome: "pondering" });
    expect(key.notReady).toMatch(/timed out after 60 s/);
    expect(bench.told.warn.filter((text) => text.includes("pondering"))).toHaveLength(1);
  });

  it("W6: sends nothing more once the engine is gone", async () => {
    const bench = await Bench.start();
    const polled = () => bench.requests().then((all) => all.filter((each) => each === POLL).length);
    let polls = 0;
    bench.clock.meanwhile = async () => {
      polls = await polled();
      bench.account.abort(new AbortedError("the engine is gone"));
    };
    const key = await unready(bench);
    expect(key.notReady).toMatch(/cancelled|engine is gone/);
    expect(await polled()).toBe(polls);
    await expect(bench.account.keys.list()).rejects.toThrow("the engine is gone");
  });
});

it("W6: a creation whose answer is lost sends no other POST once the engine is gone", async () => {
  const bench = await Bench.start();
  await bench.plane.rules.add({ route: POST, fault: "close" });
  bench.clock.meanwhile = async () => bench.account.abort(new AbortedError("the engine is gone"));
  await failureOf(bench.createKey());
  expect(bench.names).toHaveLength(1);
  expect(await bench.liveIds()).toEqual([]);
});

/** Cancels the run at this moment of a creation. */
async function cancelledAt<T>(moment: Point, bench: Bench, work: () => Promise<T>): Promise<T> {
  const cancel = (message: unknown) => {
    const { point, route } = message as PointMessage;
    if (point === moment && route === POST) bench.account.abort(new AbortedError("the run was cancelled"));
  };
  subscribe("keyplane:provider", cancel);
  try {
    return await work();
  } finally {
    unsubscribe("keyplane:provider", cancel);
  }
}

describe("a run that is cancelled while a key is created", () => {
  it.each([{}, { verify: true }])("W6: records the key with its secret, of inputs %j", async (inputs) => {
    const bench = await Bench.start();
    const { id, outputs, notReady } = await cancelledAt("after-body", bench, () => bench.createKey(inputs));
    expect(await bench.liveIds()).toEqual([id]);
    expect(await bench.plane.secretsEverIssued()).toContain(outputs.key);
    expect(notReady ?? "aborted").toContain("aborted");
    expect(bench.names).toHaveLength(1);
  });

  it.each(["ApiKey", "RotatingApiKey"] as const)(
    "W6: records what is left to revoke of an %s that is of no use",
    async (name) => {
      const bench = await Bench.start();
      await bench.plane.clock.set({ offsetMs: 3_600_000 });
      const inputs = { owner: bench.identity, rotateAfter: "1d" };
      const error = await failureOf(
        cancelledAt("after-body", bench, async () => kinds[name].create(inputs, bench.context)),
      );
      const ids = await bench.liveIds();
      expect(ids).toHaveLength(1);
      expect(error).toBeInstanceOf(NotReady);
      const { id, outputs } = error as unknown as NotReady;
      expect([id, ...((outputs.pendingRevocations ?? []) as string[])]).toContain(ids[0]);
      expect(bench.told.warn.join()).not.toContain("could not revoke");
    },
  );

  it("W6: names the key to look for where its answer was lost", async () => {
    const bench = await Bench.start();
    await bench.plane.rules.add({ route: POST, fault: "close", commit: "before" });
    const error = await failureOf(cancelledAt("after-send", bench, () => bench.createKey()));
    expect(error).toMatchObject({ code: "KP-UNSETTLED" });
    expect(error.message).toMatch(
      new RegExp(`could not find out whether the key ${bench.names[0]} was created .*aborted: the run was cancelled`),
    );
  });
});

describe("verify", () => {
  const PROBE = "GET /projects";

  it("calls the service once with the new key before it is ready", async () => {
    const bench = await Bench.start();
    const { id, notReady } = await bench.createKey({ verify: true });
    expect(notReady).toBeUndefined();
    const probes = await bench.plane.log({ method: "GET", route: "/projects" });
    expect(probes.map(({ keyId }) => String(keyId))).toEqual([id]);
  });

  it("has a key that is refused replaced, and says so", async () => {
    const bench = await Bench.start();
    await bench.plane.rules.add({ route: PROBE, status: 401, count: null });
    const key = await bench.createKey({ verify: true });
    expect(key.notReady).toContain("refuses the new key");
    expect(differ(bench, key.outputs).replaces).toEqual(["pending"]);
  });

  it("is tried again by the next update when it could not be answered", async () => {
    const bench = await Bench.start();
    await bench.plane.rules.add({ route: PROBE, status: 500, count: 3 });
    const key = await bench.createKey({ verify: true });
    expect(key.notReady).toContain("could not be verified");
    expect(key.outputs.pending).toEqual([{ action: "verify" }]);
    expect((await bench.updateKey(key, { verify: true })).notReady).toBeUndefined();
    expect(await bench.liveIds()).toEqual([key.id]);
  });
});

describe("a clock that is off by more than 5 minutes", () => {
  it("is refused where age decides, and the key is revoked again", async () => {
    const bench = await Bench.start();
    await bench.plane.clock.set({ offsetMs: 3_600_000 });
    expect((await failureOf(bench.createKey({ rotateAfter: "90d" }))).message).toMatch(/clock is (59|60) min behind/);
    expect(await bench.liveIds()).toEqual([]);
  });

  it("C7: has a key that could not be revoked again recorded and replaced", async () => {
    const bench = await Bench.start();
    await bench.plane.clock.set({ offsetMs: -3_600_000 });
    await bench.plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 400 });
    const key = await bench.createKey({ rotateAfter: "90d" });
    expect(key.notReady).toMatch(/(59|60) min ahead of/);
    expect(differ(bench, key.outputs).replaces).toEqual(["pending"]);
    expect([key.id]).toEqual(await bench.liveIds());
  });

  it("is only warned about elsewhere, and one that is off by less is not mentioned", async () => {
    const bench = await Bench.start();
    await bench.plane.clock.set({ offsetMs: 3_600_000 });
    expect((await bench.createKey()).notReady).toBeUndefined();
    expect(bench.told.warn.join()).toContain("behind the service's");
    await bench.plane.clock.set({ offsetMs: 240_000 });
    await bench.createKey({ rotateAfter: "90d" });
    expect(bench.told.warn).toHaveLength(1);
  });
});
