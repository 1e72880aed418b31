import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, describe, expect, test } from "vitest";
import { version } from "../../../package.json";
import { Account } from "../../../provider/api";
import type { DiagnosticMessage } from "../../../provider/http/diagnostics";
import { VERSION } from "../../../provider/version";
import { POST, PROJECTS } from "../../routes";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

const options = {
  baseUrl: "http://127.0.0.1:9/api/v2",
  apiKey: "key-0123456789",
  requestTimeoutMs: 1000,
  pollIntervalMs: 1000,
  operationTimeoutMs: 1000,
  concurrency: 4,
};

describe("an account", () => {
  test("is the same object for the same options, so that all callers share its limits and reads", () => {
    expect(Account.for({ ...options })).toBe(Account.for({ ...options }));
    expect(Account.for({ ...options, apiKey: "key-9876543210" })).not.toBe(Account.for(options));
    expect(Account.for({ ...options, concurrency: 5 })).not.toBe(Account.for(options));
  });

  test("measures the offset of the service's clock, and ignores an offset below the resolution", async () => {
    const { account, plane } = await startAccount({ clock: { ...realClock } });
    expect(account.skewMs).toBeUndefined();
    await account.keys.list();
    expect(account.skewMs).toBe(0);
    await plane.clock.set({ offsetMs: 600_000 });
    await account.keys.list({ fresh: true });
    expect(Math.abs((account.skewMs ?? 0) - 600_000)).toBeLessThan(2000);
    expect(Math.abs(account.serviceNow() - Date.now() - 600_000)).toBeLessThan(2500);
  });

  test("sends no new request after an abort, ends waits and reads, and finishes a change that is under way", async () => {
    const { account, plane } = await startAccount();
    const project = await plane.state.createProject();
    await plane.state.startOperations({ projectId: project.id, runningMs: null });
    await plane.rules.add({ route: POST, hold: "before" });
    await plane.rules.add({ route: PROJECTS, hold: "before" });
    const created = account.keys.create("ci-1");
    const ended = [account.operations.waitUntilIdle(project.id), account.projects.list()].map(caught);
    await plane.held.wait(2);
    account.abort(new Error("the run was cancelled"));
    expect((await Promise.all(ended)).map(({ name }) => name)).toEqual(["AbortedError", "AbortedError"]);
    await plane.held.release();
    expect((await created).name).toBe("ci-1");
    const before = await plane.count();
    await Promise.all([account.keys.create("ci-2"), account.keys.list(), account.sleep(1)].map(caught));
    expect(await plane.count()).toBe(before);
  });

  test("publishes the moments of a request in order to subscribers", async () => {
    const { account } = await startAccount();
    const points: string[] = [];
    const listen = (message: unknown) => {
      const { point, route } = message as DiagnosticMessage;
      points.push(`${point} ${route}`);
    };
    subscribe("keyplane:provider", listen);
    await account.keys.list();
    unsubscribe("keyplane:provider", listen);
    expect(points).toEqual(
      ["before-send", "after-send", "after-answer", "after-body"].map((each) => `${each} GET /api_keys`),
    );
  });

  test("sends the version of the package in its requests", () => expect(VERSION).toBe(version));
});

const realClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async () => {},
};
