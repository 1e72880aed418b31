import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { HostUnderTest, ownerIn, shim, UNKNOWN, urnOf } from "./host-harness";

let plane: ControlPlane;
let host: HostUnderTest;
let owner = "";

const start = async (config: Record<string, string> = {}, env: NodeJS.ProcessEnv = {}) => {
  const account = { "keyplane:baseUrl": plane.url, "keyplane:apiKey": plane.apiKey };
  host = await HostUnderTest.start({ ...account, ...config }, env);
};

beforeEach(async () => {
  plane = await startControlPlane();
  owner = ownerIn(plane);
});

afterEach(async () => {
  await host.stop();
  await plane.close();
});

describe("keyplane in Pulumi's dynamic host", () => {
  it("creates, reads, updates and deletes a key, which keeps its secret and its provider", async () => {
    await start();
    const { inputs } = await host.check("ApiKey", {}, { owner });
    const { id, outputs } = await host.create("ApiKey", inputs);
    expect(id).toMatch(/^[1-9]\d*$/);
    expect(outputs).toMatchObject({ keyId: id, __provider: shim("ApiKey") });
    expect(outputs.name).toMatch(/^ci-[a-z2-7]{8}-[a-z2-7]{8}$/);
    expect(host.secrets).toEqual(["key"]);

    const read = await host.read(id, outputs);
    expect(host.secrets).toEqual(["key"]);
    expect(read).toEqual({ id, outputs, hasInputs: false });
    const updated = await host.update("ApiKey", id, outputs, { owner, rotateAfter: "90d" });
    expect(updated.outputs).toMatchObject({ key: outputs.key, keyId: id, rotateAfter: "90d" });
    expect(host.secrets).toEqual(["key"]);
    expect(Date.parse(String(updated.outputs.rotateAt)) - Date.parse(String(outputs.createdAt))).toBe(90 * 86_400_000);

    await host.delete(id, updated.outputs);
    expect(await plane.liveKeys()).toEqual([]);
    expect((await host.read(id, updated.outputs)).id).toBe("");
  });

  it("no key is created at an address that its owner has not recorded, even if the run leaves out the owner", async () => {
    const away = await startControlPlane({ apiKey: plane.apiKey });
    try {
      await start({ "keyplane:baseUrl": away.url });
      await expect(host.create("ApiKey", { owner })).rejects.toThrow(/now leads to .*\[KP-WRONG-ACCOUNT\]/);
      expect(await away.log()).toEqual([]);
    } finally {
      await away.close();
    }
  });

  it("stores an absent output as null, so that previews know it, and reads it back as absent", async () => {
    await start();
    const inputs = { owner, gracePeriod: "1m", rotationTriggers: { at: "1" } };
    const made = await host.create("RotatingApiKey", inputs);
    const absent = { rotateAt: null, previousKeyId: null, previousKey: null, retireAfter: null, pending: null };
    expect(made.outputs).toMatchObject(absent);
    expect((await host.diff("RotatingApiKey", made.id, made.outputs, inputs)).changes).toBe(false);

    const rotated = await host.update("RotatingApiKey", made.id, made.outputs, {
      ...inputs,
      rotationTriggers: { at: "2" },
    });
    expect(rotated.outputs).toMatchObject({ previousKeyId: made.outputs.keyId, previousKey: made.outputs.key });
    expect(await host.read(made.id, rotated.outputs)).toMatchObject({ outputs: rotated.outputs });
    // A state of version 0.1 lacks it.
    const { previousKey, retireAfter, ...older } = made.outputs;
    expect((await host.read(made.id, older)).outputs).toMatchObject(absent);
  });

  it("suggests the input that a mistyped one is nearly equal to", async () => {
    await start();
    const { failures } = await host.check("ApiKey", {}, { owner, nmae: "deploy" });
    expect(failures).toEqual([
      expect.stringMatching(/^nmae: is not an input of ApiKey\..*\. Did you mean name\? \[KP-INPUT\]$/),
    ]);
  });

  it("keeps the configuration for every resource type when several are configured at the same time", async () => {
    await start();
    const keys = await Promise.all([1, 2, 3].map(() => host.create("ApiKey", { owner })));
    const declared = await host.create("Owner", { project: "proj", stack: "dev" });
    expect(new Set(keys.map((key) => key.id)).size).toBe(3);
    expect(declared.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await plane.count("POST", "/api_keys")).toBe(3);
  });

  it.each([
    [{ "keyplane:apiKey": "" }, /keyplane:apiKey is not set.*pulumi config set --secret keyplane:apiKey/],
    [{ "keyplane:baseUrl": "http://example.com/api" }, /keyplane:baseUrl must begin with https/],
    [{ "keyplane:pollInterval": "5" }, /keyplane:pollInterval must be a duration/],
  ])("says what is wrong with the configuration %j in each call, before any request", async (config, message) => {
    await start(config);
    for (let time = 0; time < 2; time++) {
      const args = { project: "proj", stack: "dev", firstKey: 'ApiKey "ci"' };
      const { inputs, failures } = await host.check("Owner", {}, args);
      expect(failures).toEqual([expect.stringMatching(message)]);
      // A program declares keys, not their owner. The state does not get the name, which can change in each run.
      expect(failures[0]).toMatch(/^ApiKey "ci": keyplane:/);
      expect(inputs).not.toHaveProperty("firstKey");
      await expect(host.create("ApiKey", { owner })).rejects.toThrow(message);
    }
    const wrongName = { project: "proj", stack: "dev", account: "EU", firstKey: 'ApiKey "ci"' };
    const { failures } = await host.check("Owner", {}, wrongName);
    expect(failures).toEqual([expect.stringMatching(/^ApiKey "ci": account: must be the name of an account/)]);
    expect(await plane.count()).toBe(0);
  });

  it("accepts unknown values of a preview in check and in diff, without a request", async () => {
    await start();
    const unknown = { owner: UNKNOWN, rotationTriggers: { a: UNKNOWN }, rotateAfter: UNKNOWN };
    const { inputs, failures } = await host.check("ApiKey", {}, unknown);
    expect(failures).toEqual([]);
    expect(inputs).toMatchObject(unknown);
    const olds = { owner, name: "ci-aaaaaaaa-bbbbbbbb", keyId: "7", key: "kp_secret", rotationTriggers: { a: "1" } };
    expect(await host.diff("ApiKey", "7", olds, unknown)).toEqual({ changes: true, replaces: ["rotationTriggers"] });
    expect(await plane.count()).toBe(0);
  });

  it("leaves values that a state cannot hold out of the outputs", async () => {
    await start();
    const { outputs } = await host.create("ApiKey", { owner });
    expect(Object.keys(outputs).sort()).toEqual([
      ..."__provider createdAt digest key keyId name owner pending resourceUrn rotateAt".split(" "),
    ]);
  });

  it("records a key that is not ready with everything that is needed to resume or to delete it", async () => {
    await start();
    await plane.rules.add({ route: "POST /api_keys", operations: [{ action: "start_compute", outcome: "failed" }] });
    const made = await host.create("ApiKey", { owner });
    expect(made.notReady).toEqual([expect.stringMatching(/create ApiKey "ci": .*start_compute.*failed/)]);
    expect(made.outputs).toMatchObject({ __provider: shim("ApiKey"), keyId: made.id });
    expect(host.secrets).toEqual(["key"]);
    expect(await plane.secretsEverIssued()).toContain(made.outputs.key);
    expect(await host.diff("ApiKey", made.id, made.outputs, { owner })).toMatchObject({ replaces: ["pending"] });
    await host.delete(made.id, made.outputs);
    expect(await plane.liveKeys()).toEqual([]);
  });

  it("reports only drift in the diff of a refresh, and due changes in every other diff", async () => {
    await start();
    const { id, outputs } = await host.create("ApiKey", { owner });
    const old = { ...outputs, createdAt: "2020-01-01T00:00:00Z", rotateAfter: "90d" };
    const news = { owner, rotateAfter: "90d" };
    const { outputs: read } = await host.read(id, old);
    expect(await host.diff("ApiKey", id, read, news)).toEqual({ changes: false, replaces: [] });
    await host.check("ApiKey", news, news);
    expect(await host.diff("ApiKey", id, read, news)).toEqual({ changes: true, replaces: ["rotateAfter"] });
    expect(host.logged.map((log) => log.message)).toEqual([expect.stringMatching(/^due since 2020-03-31.*d old$/)]);
    await host.read(id, old);
    await host.check("ApiKey", news, news);
    expect(await host.diff("ApiKey", id, read, news)).toEqual({ changes: true, replaces: ["rotateAfter"] });
  });

  it("shows what a resource waits for in the resource's row", async () => {
    await start({ "keyplane:pollInterval": "1s" });
    const { id } = await plane.state.createProject();
    await plane.clock.set({ mode: "auto", stepMs: 60_000 });
    await plane.state.startOperations({ projectId: id, action: "start_compute" });
    await host.create("ProjectReady", { projectId: id });
    const rows = host.logged.filter((log) => log.ephemeral);
    expect(rows.map((log) => log.message)).toEqual([
      expect.stringMatching(/^waiting for start_compute \(\w+, \d+ s\)$/),
    ]);
    expect(rows[0]?.urn).toBe(urnOf("ProjectReady", "ci"));
  });

  it("shows in a resource's row which request is sent again, why, and which attempt it is", async () => {
    await start();
    await plane.rules.add({ route: "POST /api_keys", count: 2, status: 503, retryAfter: 1 });
    await host.create("ApiKey", { owner });
    expect(host.logged.filter(({ ephemeral }) => ephemeral).map(({ message }) => message)).toEqual([
      "POST /api_keys: 503 Service Unavailable, attempt 2 in 1 s",
      "POST /api_keys: 503 Service Unavailable, attempt 3 in 1 s",
    ]);
    expect(host.logged[0]?.urn).toBe(urnOf("ApiKey", "ci"));
  });

  it("prints errors without a stack and without a secret", async () => {
    await start();
    const { id, outputs } = await host.create("ApiKey", { owner });
    // A later process knows the key from the state alone.
    await host.stop();
    await start();
    await plane.rules.add({
      route: "*",
      count: null,
      status: 400,
      body: { message: `no ${plane.apiKey} ${outputs.key}` },
    });
    const failure = await host.read(id, outputs).catch((error: Error) => error.message);
    expect(failure).toMatch(/read ApiKey "ci": GET \/api_keys.*400/);
    // The engine shows the message at the resource.
    await expect.poll(() => host.printed.join("")).toBe("keyplane: a resource failed, see its error");
    for (const text of [failure, ...host.printed]) {
      expect(text).not.toContain(plane.apiKey);
      expect(text).not.toContain(outputs.key);
      expect(text).not.toMatch(/\n\s+at /);
    }
  });

  it("ends with the engine, so that a request that waits creates no key that nobody records", async () => {
    await start();
    await plane.rules.add({ route: "POST /api_keys", count: null, status: 503, retryAfter: 1 });
    const lost = host.create("ApiKey", { owner }).catch((error: Error) => error);
    await expect.poll(() => plane.count("POST", "/api_keys")).toBe(1);
    host.killEngine();
    expect(await lost).toBeInstanceOf(Error);
    await expect.poll(() => isAlive(host.pid)).toBe(false);
    expect(await plane.count("POST", "/api_keys")).toBe(1);
    expect(await plane.liveKeys()).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
