import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { DELETE, POST } from "../routes";
import { HostUnderTest, isRunning } from "./host-harness";

/** A creation starts an operation that never ends. */
const PENDING = { route: POST, operations: [{ action: "start_compute", runningMs: null }] };

let plane: ControlPlane;
let eu: ControlPlane;
let host: HostUnderTest;

const start = async (config: Record<string, string> = {}) => {
  const accounts = JSON.stringify({ eu: { baseUrl: eu.url, apiKey: eu.apiKey } });
  const account = { "keyplane:baseUrl": plane.url, "keyplane:apiKey": plane.apiKey, "keyplane:accounts": accounts };
  host = await HostUnderTest.start({ ...account, ...config });
};

beforeEach(async () => {
  plane = await startControlPlane();
  eu = await startControlPlane();
});

afterEach(async () => {
  await host.stop();
  await Promise.all([plane.close(), eu.close()]);
});

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => "it succeeded",
    (error: Error) => error.message,
  );
const polls = (at: ControlPlane) => async () => {
  const requests = await at.log({ method: "GET" });
  return requests.filter(({ route }) => route?.startsWith("/projects/{project_id}/operations")).length;
};
const live = async () => (await plane.liveKeys()).map(({ id }) => String(id));

/** Ids of operations of a new project that never end. */
const busyProject = async (at: ControlPlane) => {
  const { id } = await at.state.createProject();
  await at.state.startOperations({ projectId: id, runningMs: null });
  return id;
};

describe("after the engine cancels the run", () => {
  test.each(["ApiKey", "RotatingApiKey"])(
    "a wait of %s ends, the key is recorded with its secret as not ready, and the next run goes on with it",
    async (kind) => {
      await start();
      await plane.rules.add(PENDING);
      const creating = host.create(kind, {});
      await expect.poll(polls(plane)).toBeGreaterThan(0);
      await host.cancel();
      const { id, outputs, notReady } = await creating;
      expect(notReady).toEqual([expect.stringContaining("[KP-NOT-READY]")]);
      expect(outputs.pending).toMatchObject([{ action: "start_compute" }]);
      expect(await plane.secretsEverIssued()).toContain(outputs.key);

      await host.stop();
      await start();
      const [{ operationId }] = outputs.pending as [{ operationId: string }];
      await plane.state.endOperation(operationId);
      const resumed = await host.update(kind, id, outputs, {});
      expect(resumed.notReady).toBeUndefined();
      expect(resumed.outputs).toMatchObject({ key: outputs.key });
      expect(await plane.count("POST", "/api_keys")).toBe(1);
    },
  );

  test("a creation that was already sent is finished and recorded, and queued creations are not sent", async () => {
    await start({ "keyplane:concurrency": "1" });
    await plane.rules.add({ route: POST, hold: "after" });
    const creating = [1, 2, 3].map(() => host.create("ApiKey", {}));
    const refused: string[] = [];
    for (const each of creating) each.catch(({ message }: Error) => refused.push(message));
    await plane.held.wait();
    await host.cancel();
    await expect.poll(() => refused).toHaveLength(2);
    for (const message of refused) {
      expect(message).toMatch(/POST \/api_keys .*: the run was cancelled\. .*\[KP-ABORTED\]/);
    }
    await plane.held.release();
    const made = (await Promise.allSettled(creating)).filter((each) => each.status === "fulfilled");
    expect(made.map(({ value }) => value.id)).toEqual(await live());
    expect(await plane.count("POST", "/api_keys")).toBe(1);
  });

  test("a revocation that was already sent is finished, and one that was refused for now is not sent again", async () => {
    await start();
    const keys = await Promise.all([1, 2].map(() => host.create("ApiKey", {})));
    const [sent, refused] = keys as [(typeof keys)[0], (typeof keys)[0]];
    await plane.rules.add({ route: DELETE, status: 503, count: 1, retryAfter: 60 });
    const deleting = messageOf(host.delete(refused.id, refused.outputs));
    await expect.poll(() => plane.count("DELETE")).toBe(1);
    await plane.rules.add({ route: DELETE, hold: "before" });
    const finishing = messageOf(host.delete(sent.id, sent.outputs));
    await plane.held.wait();
    await host.cancel();
    expect(await deleting).toMatch(/DELETE .*\[KP-ABORTED\]/);
    await plane.held.release();
    expect(await finishing).toBe("it succeeded");
    expect(await live()).toEqual([refused.id]);
  });

  test("waits end in every account, even in one that is first used after the cancellation", async () => {
    await start();
    const [here, there] = await Promise.all([busyProject(plane), busyProject(eu)]);
    const waiting = messageOf(host.create("ProjectReady", { projectId: here }));
    await expect.poll(polls(plane)).toBeGreaterThan(0);
    await host.cancel();
    await host.cancel();
    expect(await waiting).toContain("[KP-ABORTED]");
    expect(await messageOf(host.create("ProjectReady", { projectId: there, account: "eu" }))).toContain("[KP-ABORTED]");
    expect(await messageOf(host.create("ApiKey", { account: "eu" }))).toContain("[KP-ABORTED]");
    expect(await eu.count()).toBe(0);
  });

  test("nothing happens if nothing is under way", async () => {
    await start();
    const { id, outputs } = await host.create("ApiKey", {});
    await host.cancel();
    expect((await host.check("ApiKey", outputs, {})).failures).toEqual([]);
    expect(await host.diff("ApiKey", id, outputs, {})).toMatchObject({ changes: false });
    expect(host.logged).toEqual([]);
  });
});

describe("a signal", () => {
  test.each<NodeJS.Signals>(["SIGTERM", "SIGHUP", "SIGINT"])(
    "lets a creation that was sent be answered: %s, and only SIGINT, with which an engine ends a provider, ends the host",
    async (signal) => {
      await start();
      await plane.rules.add({ route: POST, hold: "after" });
      const creating = host.create("ApiKey", {});
      await plane.held.wait();
      process.kill(host.pid, signal);
      await plane.held.release();
      expect(await live()).toEqual([(await creating).id]);
      if (signal === "SIGINT") await expect.poll(() => isRunning(host.pid)).toBe(false);
      else expect((await host.create("ApiKey", {})).notReady).toBeUndefined();
    },
  );
});
