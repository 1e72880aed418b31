import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { POST } from "../routes";
import { DAY } from "../times";
import { HostUnderTest, isRunning, shim, UNKNOWN, urnOf } from "./host-harness";

let plane: ControlPlane;
let host: HostUnderTest;

const start = (config: Record<string, string> = {}) =>
  HostUnderTest.start({ "keyplane:baseUrl": plane.url, "keyplane:apiKey": plane.apiKey, ...config });

beforeAll(async () => {
  plane = await startControlPlane();
  host = await start({ "keyplane:pollInterval": "1s" });
});

afterAll(async () => {
  await host.stop();
  await plane.close();
});

afterEach(async () => {
  await plane.rules.clear();
  for (const { id } of await plane.liveKeys()) await plane.state.revokeKey(id);
  (host.logged as unknown[]).splice(0);
});

const SEED = "acme/proj/dev/k4jx2abcdefg";
/** A key as a run creates it: with checked inputs. */
const made = async (kind = "ApiKey", inputs: object = {}, of = host) =>
  of.create(kind, (await of.check(kind, {}, { __seed: SEED, ...inputs })).inputs);
const live = async () => (await plane.liveKeys()).map(({ id }) => String(id));

describe("keyplane in Pulumi's dynamic host", () => {
  test("creates, reads, updates and deletes a key, which keeps its secret and its provider", async () => {
    const { id, outputs } = await made();
    expect(outputs).toMatchObject({ keyId: id, __provider: shim("ApiKey") });
    expect(outputs.name).toBe(`ci-${outputs.__suffix}`);
    expect(host.secrets).toEqual(["key"]);
    expect(await host.read(id, outputs)).toEqual({ id, outputs, hasInputs: false });
    expect(host.secrets).toEqual(["key"]);
    const updated = await host.update("ApiKey", id, outputs, { __suffix: outputs.__suffix, rotateAfter: "90d" });
    expect(updated.outputs).toMatchObject({ key: outputs.key, keyId: id, rotateAfter: "90d" });
    expect(Date.parse(String(updated.outputs.rotateAt)) - Date.parse(String(outputs.createdAt))).toBe(90 * DAY);
    await host.delete(id, updated.outputs);
    expect(await live()).toEqual([]);
    expect((await host.read(id, updated.outputs)).id).toBe("");
  });

  test("has a suffix from the seed, keeps the old one, and drops the seed", async () => {
    const { inputs } = await host.check("ApiKey", {}, { __seed: SEED });
    expect(inputs).toEqual({ ...host.base("ApiKey"), __suffix: expect.stringMatching(/^[a-z2-7]{12}$/) });
    expect((await host.check("ApiKey", {}, { __seed: SEED })).inputs).toEqual(inputs);
    expect((await host.check("ApiKey", inputs, { __seed: "acme/proj/dev/another" })).inputs).toEqual(inputs);
    // A preview does not know it, and a program without the SDK has none.
    expect((await host.check("ApiKey", {}, { __seed: UNKNOWN })).inputs.__suffix).toBe(UNKNOWN);
    expect((await host.check("ApiKey", inputs, { __seed: UNKNOWN })).inputs).toEqual(inputs);
    expect((await host.check("ApiKey", {}, {})).inputs.__suffix).toMatch(/^[a-z2-7]{12}$/);
    expect((await host.check("ProjectReady", {}, { projectId: "p" })).inputs).not.toHaveProperty("__suffix");
  });

  test("shows no difference for another suffix, whether a preview knows it or not", async () => {
    const { id, outputs } = await made();
    for (const __suffix of ["bbbbbbbbbbbb", UNKNOWN]) {
      expect(await host.diff("ApiKey", id, outputs, { __suffix })).toEqual({ changes: false, replaces: [] });
    }
  });

  test("stores an absent output as null, so that previews know it, and reads it back as absent", async () => {
    const inputs = { gracePeriod: "1m", rotationTriggers: { at: "1" } };
    const first = await made("RotatingApiKey", inputs);
    const { __suffix } = first.outputs;
    const absent = { rotateAt: null, previousKeyId: null, previousKey: null, retireAfter: null, pending: null };
    expect(first.outputs).toMatchObject(absent);
    expect((await host.diff("RotatingApiKey", first.id, first.outputs, inputs)).changes).toBe(false);
    const news = { ...inputs, __suffix, rotationTriggers: { at: "2" } };
    const rotated = await host.update("RotatingApiKey", first.id, first.outputs, news);
    expect(rotated.outputs).toMatchObject({ previousKeyId: first.outputs.keyId, previousKey: first.outputs.key });
    expect(host.secrets).toEqual(["key", "previousKey"]);
    expect(await host.read(first.id, rotated.outputs)).toMatchObject({ outputs: rotated.outputs });
  });

  test("keeps the configuration for every resource type when several are configured at the same time", async () => {
    const keys = await Promise.all(["ApiKey", "RotatingApiKey", "ApiKey"].map((kind) => made(kind)));
    expect(new Set(keys.map(({ outputs }) => outputs.keyId)).size).toBe(3);
  });

  test("accepts unknown values of a preview in check and in diff, without a request", async () => {
    const before = await plane.count();
    const resourceUrn = urnOf("ApiKey", "other");
    const unknown = { resourceUrn, rotationTriggers: { a: UNKNOWN }, rotateAfter: UNKNOWN };
    const { inputs, failures } = await host.check("ApiKey", {}, unknown);
    expect([failures, inputs]).toEqual([[], expect.objectContaining(unknown)]);
    const olds = { name: "ci-abcdefghijk2", keyId: "7", key: "kp_secret", rotationTriggers: { a: "1" } };
    expect(await host.diff("ApiKey", "7", olds, unknown)).toEqual({ changes: true, replaces: ["rotationTriggers"] });
    expect(await plane.count()).toBe(before);
  });

  test("leaves values that a state cannot hold out of the outputs", async () => {
    const { outputs } = await made();
    expect(Object.keys(outputs).sort()).toEqual([
      ..."__account __provider __suffix createdAt digest key keyId name pending resourceUrn rotateAt".split(" "),
    ]);
  });

  test.each(["ApiKey", "RotatingApiKey"])(
    "records an %s that is not ready with all that is needed to resume or delete it",
    async (kind) => {
      await plane.rules.add({ route: POST, operations: [{ action: "start_compute", runningMs: null }] });
      const { id, outputs, notReady } = await made(kind, { operationTimeout: "1s" });
      expect(notReady).toEqual([expect.stringMatching(/start_compute.*\[KP-NOT-READY\]$/)]);
      expect(outputs).toMatchObject({ __provider: shim(kind), resourceUrn: urnOf(kind, "ci") });
      expect(host.secrets).toEqual(["key"]);
      expect(await plane.secretsEverIssued()).toContain(outputs.key);
      await host.delete(id, outputs);
      expect(await live()).toEqual([]);
    },
  );

  test("reports only drift in the diff of a refresh, and due changes in every other diff", async () => {
    const { id, outputs } = await made();
    const old = { ...outputs, createdAt: "2020-01-01T00:00:00Z", rotateAfter: "90d" };
    const news = { rotateAfter: "90d" };
    const { outputs: read } = await host.read(id, old);
    expect(await host.diff("ApiKey", id, read, news)).toEqual({ changes: false, replaces: [] });
    await host.check("ApiKey", news, news);
    expect(await host.diff("ApiKey", id, read, news)).toEqual({ changes: true, replaces: ["rotateAfter"] });
    await host.read(id, old);
    await host.check("ApiKey", news, news);
    expect(await host.diff("ApiKey", id, read, news)).toEqual({ changes: true, replaces: ["rotateAfter"] });
  });

  test("shows a wait and a retry in the resource's row", async () => {
    const { id: projectId } = await plane.state.createProject();
    await plane.clock.set({ mode: "auto", stepMs: 60_000 });
    await plane.state.startOperations({ projectId, action: "start_compute" });
    await host.create("ProjectReady", { projectId });
    await plane.rules.add({ route: POST, count: 1, status: 429, retryAfter: 1 });
    await made();
    const rows = host.logged.filter(({ ephemeral }) => ephemeral);
    expect(rows.map(({ urn }) => urn)).toEqual([urnOf("ProjectReady", "ci"), urnOf("ApiKey", "ci")]);
    expect(rows[1]?.message).toContain("attempt 2");
  });
});

describe("a host of its own", () => {
  let own: HostUnderTest;

  afterEach(() => own.stop());

  test.each([
    [{ "keyplane:apiKey": "" }, /keyplane:apiKey is not set.*\[KP-CONFIG\]/],
    [{ "keyplane:pollInterval": "5" }, /keyplane:pollInterval must be a duration/],
  ])(
    "says what is wrong with the configuration %j in check and in create, before any request",
    async (config, message) => {
      const before = await plane.count();
      own = await start(config);
      expect((await own.check("ApiKey", {}, {})).failures).toEqual([expect.stringMatching(message)]);
      await expect(own.create("ApiKey", {})).rejects.toThrow(message);
      expect(await plane.count()).toBe(before);
    },
  );

  test("prints errors without a stack and without a secret", async () => {
    const { id, outputs } = await made();
    own = await start();
    const body = { message: `no ${plane.apiKey} ${outputs.key}` };
    await plane.rules.add({ route: "*", count: null, status: 400, body });
    const failure = await own.read(id, outputs).catch((error: Error) => error.message);
    expect(failure).toMatch(/read ApiKey "ci": GET \/api_keys.*400/);
    // The engine shows the message at the resource.
    await expect.poll(() => own.printed.join("")).toBe("keyplane: a resource failed, see its error");
    for (const text of [failure, ...own.printed]) {
      expect(text).not.toContain(plane.apiKey);
      expect(text).not.toContain(outputs.key);
      expect(text).not.toMatch(/\n\s+at /);
    }
  });

  test("ends with the engine, sends nothing more, and revokes nothing", async () => {
    own = await start();
    const before = await plane.count("POST", "/api_keys");
    await plane.rules.add({ route: POST, count: null, status: 429, retryAfter: 1 });
    const lost = own.create("ApiKey", { __suffix: "abcdefghijk2" }).catch((error: Error) => error);
    await expect.poll(() => plane.count("POST", "/api_keys")).toBe(before + 1);
    own.killEngine();
    expect(await lost).toBeInstanceOf(Error);
    await expect.poll(() => isRunning(own.pid)).toBe(false);
    expect(await plane.count("POST", "/api_keys")).toBe(before + 1);
  });
});
