import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { GetSchemaResponse } from "@pulumi/pulumi/proto/provider_pb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { version } from "../../package.json";
import { unmarked } from "../../provider/session/values";
import { type ControlPlane, startControlPlane } from "../../testing";
import { call } from "../../testing/engine/provider/plugin-process";
import { POST } from "../routes";
import { cli, failureOf, PluginUnderTest, secret, stopPlugins, UNKNOWN } from "./plugin-harness";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(async () => {
  await stopPlugins();
  await plane.close();
});

const posts = () => plane.count("POST", "/api_keys");
const NAME = /^ci-[a-z2-7]{12}$/;

describe("a preview", () => {
  test("sends no request and answers what it cannot know as unknown", async () => {
    const plugin = await PluginUnderTest.start(plane);
    for (const kind of ["ApiKey", "RotatingApiKey"]) {
      const inputs = await plugin.checked(kind, { rotateAfter: UNKNOWN });
      const planned = await plugin.previewCreate(kind, inputs);
      const unknown = { keyId: UNKNOWN, name: UNKNOWN, key: secret(UNKNOWN), createdAt: UNKNOWN, rotateAfter: UNKNOWN };
      expect(planned).toMatchObject(unknown);
    }
    const ready = await plugin.checked("ProjectReady", { projectId: "quiet-shore-123456" });
    expect(await plugin.previewCreate("ProjectReady", ready)).toEqual({ projectId: "quiet-shore-123456" });
    expect(await plane.count()).toBe(0);
  });

  test("of an update knows the outputs that the update keeps", async () => {
    const plugin = await PluginUnderTest.start(plane);
    for (const kind of ["ApiKey", "RotatingApiKey"]) {
      const state = await plugin.add(kind, {}, kind.toLowerCase());
      const before = await plane.count();
      const inputs = await plugin.checked(kind, { rotateAfter: "90d" }, state.inputs, state.name);
      expect((await plugin.diff(state, inputs)).changes).toBe(true);
      const { keyId, name, key, createdAt } = state.outputs;
      const planned = await plugin.previewUpdate(state, inputs);
      expect(planned).toMatchObject({ keyId, name, key: secret(key), createdAt, rotateAt: UNKNOWN });
      expect(await plane.count()).toBe(before);
    }
  });

  test("of a rotation does not know the next key", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const state = await plugin.add("RotatingApiKey", { rotationTriggers: { at: "1" } });
    const inputs = await plugin.checked("RotatingApiKey", { rotationTriggers: { at: "2" } }, state.inputs);
    expect(await plugin.previewUpdate(state, inputs)).toMatchObject({ keyId: UNKNOWN, key: secret(UNKNOWN) });
    expect(await posts()).toBe(1);
  });
});

describe("the suffix", () => {
  test("comes from the seed, which a plan repeats, is kept, and cannot be given by a program", async () => {
    const plugin = await PluginUnderTest.start(plane, { configured: false });
    await plugin.configure({ baseUrl: plane.url, apiKey: plane.apiKey });
    plugin.seed = new Uint8Array(16).fill(7);
    const { __suffix } = await plugin.checked("ApiKey", {});
    expect(__suffix).toMatch(/^[a-z2-7]{12}$/);
    expect((await plugin.checked("ApiKey", {})).__suffix).toBe(__suffix);
    expect((await plugin.checked("ApiKey", {}, {}, "other")).__suffix).not.toBe(__suffix);
    expect((await plugin.checked("ApiKey", { __suffix: "aaaaaaaaaaaa" }, { __suffix })).__suffix).toBe(__suffix);
    plugin.seed = undefined;
    expect((await plugin.checked("ApiKey", {}, { __suffix })).__suffix).toBe(__suffix);
    expect((await plugin.checked("ApiKey", {})).__suffix).not.toBe(__suffix);
    expect(await plugin.checked("ProjectReady", { projectId: "p" })).toEqual({ projectId: "p" });
    expect(await plane.count()).toBe(0);
  });
});

describe("a run after a killed one", () => {
  test("revokes the key that its own pending creation names, and asks the Pulumi CLI once", async () => {
    const first = await PluginUnderTest.start(plane);
    const noted = await first.checked("ApiKey", {});
    await first.create("ApiKey", noted);
    const [left] = await plane.liveKeys();
    // The next process begins in a later second than the key.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const next = await PluginUnderTest.start(plane, { provider: first.provider });
    const inputs = await next.checked("ApiKey", {});
    next.save([], [noted, inputs]);
    const state = await next.create("ApiKey", inputs);
    expect((await plane.liveKeys()).map(({ id }) => String(id))).toEqual([state.id]);
    expect(next.messages).toEqual([expect.stringContaining(`revoked key ${left?.id}`)]);
    expect(cli().questions).toEqual(["stack export"]);
  });
});

describe("the plugin", () => {
  test("introduces itself with the version of the package, and its schema has the same version", async () => {
    const { client, sdk } = await PluginUnderTest.start(plane, { configured: false });
    const info = await call<PluginInfo>((done) => client.getPluginInfo(new sdk.empty(), done));
    expect(info.getVersion()).toBe(version);
    const answer = await call<GetSchemaResponse>((done) => client.getSchema(new sdk.provider.GetSchemaRequest(), done));
    const schema = JSON.parse(answer.getSchema());
    expect(schema).toMatchObject({ name: "keyplane", version });
    expect(Object.keys(schema.resources).sort()).toEqual(
      ["ApiKey", "ProjectReady", "RotatingApiKey"].map((kind) => `keyplane:index:${kind}`),
    );
  });

  test("answers the handshake, and says that it handles previews and takes marked secrets", async () => {
    const { client, sdk } = await PluginUnderTest.start(plane, { configured: false });
    const handshake = new sdk.provider.ProviderHandshakeRequest();
    const greeting = await call<{ toObject(): object }>((done) => client.handshake(handshake, done));
    expect(greeting.toObject()).toMatchObject({ acceptSecrets: true });
    const request = new sdk.provider.ConfigureRequest().setArgs(sdk.struct.fromJavaScript({}));
    const capabilities = await call<{ toObject(): object }>((done) => client.configure(request, done));
    expect(capabilities.toObject()).toMatchObject({ supportspreview: true, acceptsecrets: true });
  });

  test("refuses calls and resource types that it does not have", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const { client, sdk } = plugin;
    const refused = await call((done) => client.call(new sdk.provider.CallRequest(), done)).catch((error) => error);
    expect(refused).toMatchObject({ code: sdk.grpc.status.UNIMPLEMENTED });
    for (const kind of ["Owner", "Bucket"]) {
      expect(await failureOf(plugin.check(kind, {}, {}))).toMatch(/keyplane has no resource type .*ApiKey, Rotating/);
    }
  });

  test("creates, reads, updates and deletes a key", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const state = await plugin.add("ApiKey");
    expect(state.id).toMatch(/^[1-9]\d*$/);
    expect(state.outputs).toMatchObject({ keyId: state.id, name: expect.stringMatching(NAME) });
    expect(await plane.secretsEverIssued()).toContain(state.outputs.key);
    expect(await plugin.read(state)).toEqual(state);

    const updated = await plugin.up(state, { rotateAfter: "90d" });
    expect(updated).toMatchObject({
      step: "update",
      state: { outputs: { key: state.outputs.key, rotateAfter: "90d" } },
    });
    expect((await plugin.up(updated.state)).step).toBe("same");
    await plugin.delete(updated.state);
    expect(await plane.liveKeys()).toEqual([]);
    expect(await plugin.read(updated.state)).toBeUndefined();
  });

  test("records a key that is not ready with its secret, and an update continues with it", async () => {
    const first = await PluginUnderTest.start(plane, { config: { operationTimeout: "1s", pollInterval: "1s" } });
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", runningMs: null }] });
    const made = await first.add("ApiKey");
    expect(made.notReady).toEqual([expect.stringMatching(/^create ApiKey "ci": .*start_compute.*\[KP-NOT-READY\]$/)]);
    expect(made.outputs).toMatchObject({ keyId: made.id });
    expect(made.outputs.__suffix).toBe(made.inputs.__suffix);
    expect(await plane.secretsEverIssued()).toContain(made.outputs.key);

    const [{ operationId }] = made.outputs.pending as [{ operationId: string }];
    await plane.state.endOperation(operationId);
    const next = await PluginUnderTest.start(plane, { provider: first.provider });
    const { step, state } = await next.up(made);
    expect(step).toBe("update");
    expect(state.notReady).toBeUndefined();
    expect(state.outputs).toMatchObject({ key: made.outputs.key, pending: null });
    expect(await posts()).toBe(1);
  });

  test("records a rotation that is not ready with both secrets", async () => {
    const plugin = await PluginUnderTest.start(plane, { config: { operationTimeout: "1s", pollInterval: "1s" } });
    const made = await plugin.add("RotatingApiKey", { rotationTriggers: { at: "1" } });
    await plane.rules.add({ route: POST, operations: [{ action: "start_compute", runningMs: null }] });
    const { state } = await plugin.up(made, { rotationTriggers: { at: "2" } });
    expect(state.notReady).toHaveLength(1);
    expect(state.outputs).toMatchObject({ previousKey: made.outputs.key, previousKeyId: made.outputs.keyId });
    expect(await plane.secretsEverIssued()).toContain(state.outputs.key);
  });

  test("shows what a resource waits for in its row, and errors without a stack or a secret", async () => {
    const first = await PluginUnderTest.start(plane);
    const state = await first.add("ApiKey");
    const plugin = await PluginUnderTest.start(plane, { provider: first.provider });
    await plane.rules.add({ route: "*", count: 1, status: 503, retryAfter: 1 });
    const body = { message: `no ${plane.apiKey} ${state.outputs.key}` };
    await plane.rules.add({ route: "*", count: null, status: 400, body });
    const failure = await failureOf(plugin.read(state));
    expect(failure).toMatch(/^read ApiKey "ci": GET \/api_keys.*400/);
    expect(failure).toContain("no kp_[secret] kp_[secret]");
    expect(failure).not.toMatch(/\n\s+at /);
    expect(plugin.logged).toMatchObject([
      {
        urn: plugin.urn("ApiKey"),
        ephemeral: true,
        message: "GET /api_keys: 503 Service Unavailable, attempt 2 in 1 s",
      },
    ]);
    expect(plugin.printed).toEqual([]);
  });

  test("takes inputs that are marked as secrets, and an absent output is known to be absent", async () => {
    const plugin = await PluginUnderTest.start(plane);
    const { inputs, failures } = await plugin.check(
      "RotatingApiKey",
      {},
      { rotationTriggers: secret({ at: secret("1") }) },
    );
    expect(failures).toEqual([]);
    expect(inputs.rotationTriggers).toEqual({ at: "1" });
    const state = await plugin.create("RotatingApiKey", inputs);
    expect(state.outputs).toMatchObject({ previousKeyId: null, previousKey: null, rotateAt: null });
    expect(state.outputs.rotationTriggers).toEqual({ at: "1" });
    expect(unmarked(state.outputs)).toEqual(state.outputs);
  });
});
