import { afterEach, describe, expect, test } from "vitest";
import type { WaitProgress } from "../../../provider/api";
import type { OperationFailedError, TimeoutError } from "../../../provider/errors";
import { systemClock } from "../../../provider/http";
import type { StartedOperations } from "../../../testing/control-plane";
import { GET_OPERATION, LIST_OPERATIONS } from "../../routes";
import { DAY, HOUR } from "../../times";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

/** A control plane whose clock advances by a second with every poll, and a project for operations. */
async function start() {
  const setup = await startAccount();
  await setup.plane.clock.set({ mode: "auto", stepMs: 1000 });
  const { id: projectId } = await setup.plane.state.createProject();
  const begin = async (operations: Partial<StartedOperations> = {}) => {
    const { ids } = await setup.plane.state.startOperations({ projectId, ...operations });
    return ids.map((id) => ({ projectId, id }));
  };
  const requests = async () => (await setup.plane.log()).map((each) => `${each.method} ${each.route}`);
  return { ...setup, projectId, begin, requests };
}

describe("waiting for operations", () => {
  test("polls at once, and then once per interval until all operations have ended", async () => {
    const { account, begin, clock, requests } = await start();
    const ended = await account.operations.wait(await begin());
    expect(ended).toMatchObject([{ action: "start_compute", status: "finished" }]);
    expect(new Set(await requests())).toEqual(new Set([GET_OPERATION]));
    expect(new Set(clock.sleeps)).toEqual(new Set([5000]));
    expect(clock.sleeps.length).toBe((await requests()).length - 1);
  });

  test("returns operations that have already ended at once, with one request and no pause", async () => {
    const { account, begin, clock, requests } = await start();
    await account.operations.wait(await begin({ schedulingMs: 0, runningMs: 0 }));
    expect(await requests()).toEqual([GET_OPERATION]);
    expect(clock.sleeps).toEqual([]);
  });

  test("returns the operations in the requested order, and an empty list for an empty list", async () => {
    const { account, begin, plane } = await start();
    expect(await account.operations.wait([])).toEqual([]);
    expect(await plane.count()).toBe(0);
    const refs = await begin({ count: 3 });
    const ended = await account.operations.wait(refs);
    expect(ended.map((each) => each.id)).toEqual(refs.map((each) => each.id));
  });

  test("shares one list per project and interval among all callers", async () => {
    const { account, begin, plane, requests } = await start();
    const other = await plane.state.createProject();
    const here = await begin({ count: 40 });
    const { ids } = await plane.state.startOperations({ projectId: other.id, count: 40 });
    const there = ids.map((id) => ({ projectId: other.id, id }));
    await Promise.all([...here, ...there].map((ref) => account.operations.wait([ref])));
    const all = await requests();
    expect(new Set(all)).toEqual(new Set([LIST_OPERATIONS]));
    expect(all.length).toBeLessThanOrEqual(2 * 4);
  });

  test("looks up single operations that the first page does not show", async () => {
    const { account, begin, plane, projectId, requests } = await start();
    const old = await begin({ count: 2, runningMs: null });
    await plane.state.startOperations({ projectId, count: 150, schedulingMs: 0, runningMs: 0 });
    const waiting = account.operations.wait(old);
    for (const { id } of old) await plane.state.endOperation(id);
    await waiting;
    expect(await requests()).toEqual(expect.arrayContaining([LIST_OPERATIONS, GET_OPERATION]));
  });

  test("polls an unknown operation a few times before it reports that it is not found", async () => {
    const { account, begin, plane, clock } = await start();
    const [ref = { projectId: "", id: "" }] = await begin({ runningMs: null });
    await plane.rules.add({ route: GET_OPERATION, status: 404, count: 3 });
    const waiting = account.operations.wait([ref]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await plane.state.endOperation(ref.id);
    await waiting;
    const unknown = { ...ref, id: "00000000-0000-4000-8000-000000000000" };
    const before = clock.sleeps.length;
    expect(await caught(account.operations.wait([unknown]))).toMatchObject({ kind: "not_found", code: "KP-NOT-FOUND" });
    expect(clock.sleeps.length - before).toBe(3);
  });

  test("continues through a temporary failure of the service, and counts the errors", async () => {
    const { account, begin, plane } = await start();
    const progress: WaitProgress[] = [];
    await plane.rules.add({ route: GET_OPERATION, status: 500, count: 9 });
    const timeoutMs = 600_000;
    await account.operations.wait(await begin(), { timeoutMs, onProgress: (each) => progress.push(each) });
    expect(progress.at(-1)).toMatchObject({ errors: 3 });
  });

  test("gives up before the deadline if the service keeps failing", async () => {
    const { account, begin, plane, clock } = await start();
    await plane.rules.add({ route: GET_OPERATION, status: 500, count: null });
    const error = await caught(account.operations.wait(await begin(), { timeoutMs: HOUR }));
    expect(error).toMatchObject({ kind: "api", status: 500 });
    expect(clock.monotonic()).toBeLessThan(200_000);
  });

  test("says why it got no answer, in its progress and in the timeout error", async () => {
    const { account } = await start();
    const told: string[] = [];
    const onProgress = ({ text }: WaitProgress) => void told.push(text);
    const waiting = account.operations.waitUntilIdle("no-such-project", { timeoutMs: 6_000, onProgress });
    const error = await caught<TimeoutError>(waiting);
    expect(told[0]).toMatch(/^waiting \(\d+ s\); last poll: .*not found.* \(404\)$/);
    expect(error.message).toMatch(/^timed out after \d+ s .* of project no-such-project; last poll: .*not found/);
  });

  test("names the project of an operation that has not ended if it waits for several projects", async () => {
    const { account, plane, begin } = await start();
    const ended = await begin({ schedulingMs: 0, runningMs: 0 });
    const { id: other } = await plane.state.createProject();
    const { ids } = await plane.state.startOperations({ projectId: other, outcome: "resting" });
    const refs = [...ended, ...ids.map((id) => ({ projectId: other, id }))];
    const error = await caught<TimeoutError>(account.operations.wait(refs));
    expect(error.message).toContain(` of project ${other}.`);
  });

  test("keeps waiting if a status is unknown, and warns once", async () => {
    const { account, begin, warnings } = await start();
    const refs = await begin({ count: 2, outcome: "resting\u001b[31m" });
    const error = await caught<TimeoutError>(account.operations.wait(refs));
    expect(error.kind).toBe("timeout");
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/has the status "resting \[31m"/);
  });

  for (const outcome of ["finished", "skipped"]) {
    test(`succeeds if the outcome is ${outcome}`, async () => {
      const { account, begin } = await start();
      expect(await account.operations.wait(await begin({ outcome }))).toMatchObject([{ status: outcome }]);
    });
  }

  for (const outcome of ["failed", "error", "cancelled"]) {
    test(`fails if the outcome is ${outcome}, and names the operation's id, action and number of failures`, async () => {
      const { account, begin, projectId } = await start();
      const refs = await begin({ outcome });
      const error = await caught<OperationFailedError>(account.operations.wait(refs));
      expect(error).toMatchObject({
        name: "OperationFailedError",
        kind: "operation",
        failed: [{ id: refs[0]?.id, projectId, action: "start_compute", status: outcome }],
        pending: [],
      });
      expect(error.message).toContain(`start_compute (${refs[0]?.id}) of project`);
      expect(error.message).toMatch(/after \d failures?/);
    });
  }

  test("treats an ended operation as ended even if a later page contradicts", async () => {
    const { account, begin, plane } = await start();
    const [first, second] = [...(await begin({ schedulingMs: 0, runningMs: 0 })), ...(await begin())];
    const pages: string[][] = [];
    await plane.rules.add({ route: LIST_OPERATIONS, skip: 1, page: "empty", count: null });
    await plane.rules.add({ route: `GET /projects/x/operations/${first?.id}`, status: 500, count: null });
    const refs = [first, second].flatMap((each) => (each === undefined ? [] : [each]));
    await account.operations.wait(refs, { onProgress: ({ pending }) => pages.push(pending.map((each) => each.id)) });
    for (const pending of pages) expect(pending).not.toContain(first?.id);
  });

  test("ends at the first failure, with the operations that have not ended", async () => {
    const { account, begin } = await start();
    const refs = [...(await begin({ outcome: "failed", runningMs: 0 })), ...(await begin({ runningMs: 20_000 }))];
    const fast = await caught<OperationFailedError>(account.operations.wait(refs));
    expect(fast.pending).toHaveLength(1);
  });

  test("ends at its deadline with the pending operations, so that the wait can be resumed", async () => {
    const { account, begin, projectId, clock } = await start();
    const refs = await begin({ runningMs: null });
    const before = clock.monotonic();
    const error = await caught<TimeoutError>(account.operations.wait(refs, { timeoutMs: 12_000 }));
    expect(error).toMatchObject({
      name: "TimeoutError",
      elapsedMs: 12_000,
      polls: 3,
      pending: [{ projectId, id: refs[0]?.id, action: "start_compute", status: "running" }],
    });
    expect(clock.monotonic() - before).toBe(12_000);
    expect(error.message).toContain("start_compute (running)");
  });

  test("does not wait for a request in flight after its deadline", async () => {
    const { plane, account } = await startAccount({ clock: systemClock, requestTimeoutMs: 30_000 });
    const { id: projectId } = await plane.state.createProject();
    const { ids } = await plane.state.startOperations({ projectId });
    await plane.rules.add({ route: GET_OPERATION, hold: "before" });
    const refs = ids.map((id) => ({ projectId, id }));
    const error = await caught<TimeoutError>(account.operations.wait(refs, { timeoutMs: 30 }));
    expect(error).toMatchObject({ name: "TimeoutError", polls: 0, pending: refs });
    await plane.held.drop();
  });

  test("ends at once if it is cancelled, and sends no more requests", async () => {
    const { account, begin, plane, clock } = await start();
    (clock as { auto: boolean }).auto = false;
    const controller = new AbortController();
    const refs = await begin({ runningMs: null });
    const waiting = caught(account.operations.wait(refs, { signal: controller.signal }));
    while (clock.sleeping === 0) await new Promise(setImmediate);
    const before = await plane.count();
    controller.abort();
    expect((await waiting).name).toBe("AbortedError");
    await new Promise(setImmediate);
    expect(clock.sleeping).toBe(0);
    expect(await plane.count()).toBe(before);
    const late = account.operations.wait(refs, { signal: controller.signal });
    expect((await caught(late)).name).toBe("AbortedError");
    expect(await plane.count()).toBe(before);
  });

  test("ends at once, without a request, if the id of its project is an API key", async () => {
    const { account, plane, clock } = await start();
    const error = await caught(account.operations.waitUntilIdle(plane.apiKey));
    expect(error).toMatchObject({ kind: "input" });
    expect(clock.sleeps).toEqual([]);
    expect(await plane.count()).toBe(0);
  });

  test("ends at once if the credential is refused", async () => {
    const { account, begin, plane, clock } = await start();
    await plane.rules.add({ route: GET_OPERATION, status: 401 });
    expect(await caught(account.operations.wait(await begin()))).toMatchObject({ kind: "auth" });
    expect(clock.sleeps).toEqual([]);
  });

  test("is not affected by jumps of the wall clock", async () => {
    let jump = 0;
    const { plane, clock } = await startAccount();
    const steady = {
      now: () => {
        jump += DAY;
        return clock.now() + jump;
      },
      monotonic: () => clock.monotonic(),
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    };
    const { account } = await startAccount({ clock: steady, baseUrl: plane.url, apiKey: plane.apiKey });
    const { id: projectId } = await plane.state.createProject();
    const { ids } = await plane.state.startOperations({ projectId, runningMs: null });
    const refs = ids.map((id) => ({ projectId, id }));
    const error = await caught<TimeoutError>(account.operations.wait(refs, { timeoutMs: 30_000 }));
    expect(error).toMatchObject({ elapsedMs: 30_000, polls: 6 });
  });

  test("reports what it waits for, and for how long", async () => {
    const { account, begin } = await start();
    const texts: string[] = [];
    const onProgress = ({ text }: WaitProgress) => texts.push(text);
    await caught(account.operations.wait(await begin({ runningMs: null }), { timeoutMs: 14_000, onProgress }));
    expect(texts[0]).toMatch(/^waiting for start_compute \((scheduling|running), 0 s\)$/);
    expect(texts.at(-1)).toBe("waiting for start_compute (running, 10 s)");
    texts.length = 0;
    const many = await begin({ count: 5, runningMs: null });
    await caught(account.operations.wait(many, { timeoutMs: 4000, onProgress }));
    expect(texts[0]).toMatch(
      /^waiting for 5 operations \(0 s\): start_compute \(\w+\), start_compute \(\w+\), start_compute \(\w+\), \.\.\.$/,
    );
  });

  test("protects callers from the faulty callback of another caller", async () => {
    const { account, begin } = await start();
    const refs = await begin({ count: 2 });
    const onProgress = () => {
      throw new Error("a bug in a program");
    };
    const faulty = caught(account.operations.wait(refs, { onProgress }));
    const sound = account.operations.wait(refs);
    expect((await faulty).message).toBe("a bug in a program");
    expect(await sound).toHaveLength(2);
  });

  test("polls soon for a late caller, but at most once a second", async () => {
    const { account, begin, clock } = await start();
    const refs = await begin({ count: 2, runningMs: null });
    (clock as { auto: boolean }).auto = false;
    const waits = [caught(account.operations.wait(refs))];
    while (clock.sleeping === 0) await new Promise(setImmediate);
    waits.push(caught(account.operations.wait(refs)));
    await new Promise(setImmediate);
    expect(clock.sleeps.at(-1)).toBe(1000);
    account.abort(new Error("enough"));
    await Promise.all(waits);
  });
});
