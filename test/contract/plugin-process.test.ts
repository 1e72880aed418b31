import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { POST } from "../routes";
import { isRunning } from "./host-harness";
import { failureOf, PluginUnderTest, stopPlugins } from "./plugin-harness";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(async () => {
  await stopPlugins();
  await plane.close();
});

const polls = async () =>
  (await plane.log({ method: "GET" })).filter(({ route }) => route?.startsWith("/projects/{project_id}/op")).length;

describe("after the engine cancels the run", () => {
  test("a wait ends, and the key is recorded with its secret as not ready", async () => {
    const plugin = await PluginUnderTest.start(plane);
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", runningMs: null }] });
    const creating = plugin.add("ApiKey");
    await expect.poll(polls).toBeGreaterThan(0);
    await plugin.cancel();
    const { outputs, notReady } = await creating;
    expect(notReady).toEqual([expect.stringContaining("[KP-NOT-READY]")]);
    expect(await plane.secretsEverIssued()).toContain(outputs.key);
  });

  test("a creation that was already sent is finished and recorded, and queued creations are not sent", async () => {
    const plugin = await PluginUnderTest.start(plane, { config: { concurrency: 1 } });
    await plane.rules.add({ route: POST, hold: "after" });
    const creating = ["a", "b", "c"].map((name) => plugin.add("ApiKey", {}, name));
    const outcomes = Promise.allSettled(creating);
    await plane.held.wait();
    await plugin.cancel();
    await plane.held.release();
    const made = (await outcomes).filter((outcome) => outcome.status === "fulfilled");
    expect(made.map(({ value }) => value.id)).toEqual((await plane.liveKeys()).map(({ id }) => String(id)));
    expect(await plane.count("POST", "/api_keys")).toBe(1);
  });

  test("data sources end their waits, too", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const { id } = await plane.state.createProject();
    await plane.state.startOperations({ projectId: id, runningMs: null });
    const waiting = failureOf(plugin.invoke("keyplane:index:waitForOperations", { projectId: id }));
    await expect.poll(polls).toBeGreaterThan(0);
    await plugin.cancel();
    expect(await waiting).toContain("[KP-ABORTED]");
  });

  test("nothing happens if nothing is under way, or if the plugin is not configured", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const state = await plugin.add("ApiKey");
    await plugin.cancel();
    await plugin.cancel();
    expect((await plugin.up(state)).step).toBe("same");
    await (await PluginUnderTest.start(plane, { configured: false })).cancel();
  });
});

describe("the plugin's process", () => {
  test("ends with the engine, so that a request that waits creates no key that nobody records", async () => {
    const plugin = await PluginUnderTest.start(plane);
    await plane.rules.add({ route: POST, count: null, status: 429, retryAfter: 1 });
    const lost = failureOf(plugin.add("ApiKey"));
    await expect.poll(() => plane.count("POST", "/api_keys")).toBe(1);
    plugin.killEngine();
    await lost;
    await expect.poll(() => isAlive(plugin.pid)).toBe(false);
    expect(await plane.count("POST", "/api_keys")).toBe(1);
    expect(await plane.liveKeys()).toEqual([]);
  });

  test("keeps a key that it has answered before the engine died, because a state can have it", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const { id } = await plugin.add("ApiKey");
    plugin.killEngine();
    await expect.poll(() => isAlive(plugin.pid)).toBe(false);
    expect((await plane.liveKeys()).map((key) => String(key.id))).toEqual([id]);
  });

  test("ends with the engine even before it is configured", async () => {
    const plugin = await PluginUnderTest.start(plane, { configured: false });
    expect(isAlive(plugin.pid)).toBe(true);
    plugin.killEngine();
    await expect.poll(() => isAlive(plugin.pid)).toBe(false);
  });

  test("prints nothing but its port", async () => {
    const plugin = await PluginUnderTest.start(plane);
    await plugin.delete(await plugin.add("RotatingApiKey"));
    expect(plugin.printed).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a signal", () => {
  test.each<NodeJS.Signals>(["SIGTERM", "SIGHUP", "SIGINT"])(
    "lets a creation that was sent be answered: %s, and only SIGINT, with which an engine ends a provider, ends the plugin",
    async (signal) => {
      const plugin = await PluginUnderTest.start(plane);
      await plane.rules.add({ route: POST, hold: "after" });
      const creating = plugin.add("ApiKey");
      await plane.held.wait();
      process.kill(plugin.pid, signal);
      await plane.held.release();
      const { id } = await creating;
      expect((await plane.liveKeys()).map((key) => String(key.id))).toEqual([id]);
      if (signal === "SIGINT") await expect.poll(() => isRunning(plugin.pid)).toBe(false);
      else expect((await plugin.add("ApiKey", {}, "other")).notReady).toBeUndefined();
    },
  );

  test.each<NodeJS.Signals>(["SIGTERM", "SIGHUP", "SIGINT"])("ends a plugin without an engine: %s", async (signal) => {
    const { pid } = await PluginUnderTest.start(plane, { configured: false, isByHand: true });
    process.kill(pid, signal);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});
