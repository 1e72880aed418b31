import { afterEach, describe, expect, test } from "vitest";
import { POST } from "../../routes";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

describe("an account with many calls at once", () => {
  test("creates every key once with as few repeats as possible if one request in five is answered with 429", async () => {
    const { account, plane } = await startAccount({ concurrency: 32, requestTimeoutMs: 30_000 });
    await plane.rules.add({ route: POST, status: 429, count: null, every: 5 });
    const names = Array.from({ length: 1000 }, (_, at) => `key-${at}`);
    await Promise.all(names.map((name) => account.keys.create(name)));
    expect((await plane.liveKeys()).map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(await plane.count()).toBeLessThanOrEqual(1300);
  });

  for (const status of [500, 503]) {
    test(`repeats at most one request in twenty if a thousand calls are all answered with ${status}`, async () => {
      const { account, plane } = await startAccount({ concurrency: 32 });
      await plane.rules.add({ route: "*", status, count: null });
      const calls = Array.from({ length: 1000 }, () => caught(account.projects.get("none")));
      expect(await Promise.all(calls)).toContainEqual(expect.objectContaining({ status }));
      expect(await plane.count()).toBeLessThanOrEqual(1050);
    });
  }

  test("polls 10 projects and not 100 operations, with at most 140 requests in a minute", async () => {
    const { account, plane, clock } = await startAccount({ operationTimeoutMs: 600_000 });
    await plane.clock.set({ mode: "driven" });
    const started = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { id: projectId } = await plane.state.createProject();
        const course = { count: 10, schedulingMs: 1_000, runningMs: 59_000 };
        const { ids } = await plane.state.startOperations({ projectId, ...course });
        return ids.map((id) => ({ projectId, id }));
      }),
    );
    const begun = clock.monotonic();
    let shown = begun;
    // The service's clock follows the account's clock, which jumps from one poll to the next.
    const onProgress = async () => {
      const ms = clock.monotonic() - shown;
      shown += ms;
      if (ms > 0) await plane.clock.advance(ms);
    };
    const ended = await Promise.all(started.flat().map((ref) => account.operations.wait([ref], { onProgress })));
    expect(ended.flat()).toHaveLength(100);
    expect(clock.monotonic() - begun).toBeGreaterThanOrEqual(60_000);
    expect(await plane.count()).toBeLessThanOrEqual(140);
  });

  test("reads a thousand keys with one list, even if the reads are spread over an hour", async () => {
    const { account, plane, clock } = await startAccount();
    for (let read = 0; read < 1000; read++) {
      await account.keys.list();
      clock.advance(3_600);
    }
    expect(await plane.count()).toBe(1);
  });
});
