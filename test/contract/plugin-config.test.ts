import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { failureOf, PluginUnderTest, secret, stopPlugins, UNKNOWN, type Values } from "./plugin-harness";

let plane: ControlPlane;
/** For the tests that need no process of their own. None of them configures it. */
let plugin: PluginUnderTest;
let account: { baseUrl: string; apiKey: string };

beforeAll(async () => {
  plane = await startControlPlane();
  plugin = await PluginUnderTest.start(plane, { configured: false });
  account = { baseUrl: plane.url, apiKey: plane.apiKey };
});

afterEach(() => plane.rules.clear());

afterAll(async () => {
  await stopPlugins();
  await plane.close();
});

describe("the configuration of a provider resource", () => {
  test.each<[Values, string]>([
    [{ apiKey: undefined }, "keyplane:apiKey"],
    [{ apiKey: "" }, "keyplane:apiKey"],
    [{ baseUrl: undefined }, "keyplane:baseUrl"],
    [{ baseUrl: "http://example.com/api" }, "keyplane:baseUrl"],
    [{ pollInterval: "5" }, "keyplane:pollInterval"],
    [{ concurrency: 0 }, "keyplane:concurrency"],
    [{ importKeys: ["not a map"] }, "keyplane:importKeys"],
  ])("with %j is refused without a request, and the error names the setting", async (config, setting) => {
    const { failures } = await plugin.checkConfig({}, withoutAbsent({ ...account, ...config }));
    expect(failures).toEqual([expect.stringMatching(`^${setting} .* \\[KP-CONFIG\\]$`)]);
    expect(await plane.count()).toBe(0);
  });

  test("with an unknown setting is refused, and the error names the settings of the plugin", async () => {
    const { failures } = await plugin.checkConfig({}, { ...account, apikey: "x" });
    expect(failures).toEqual([
      expect.stringMatching(
        /^apikey: is not a setting of keyplane\. The settings are (?!.*accounts).*apiKey.*importKeys\. Did you mean apiKey\? \[KP-CONFIG\]$/,
      ),
    ]);
  });

  test("with an invalid variable of the environment is refused in the same way", async () => {
    const env = { KEYPLANE_IMPORT_KEYS: "a secret with spaces" };
    const other = await PluginUnderTest.start(plane, { configured: false, env });
    const { failures } = await other.checkConfig({}, account);
    expect(failures).toEqual([expect.stringMatching(/^keyplane:importKeys .* \[KP-CONFIG\]$/)]);
    expect(other.printed).toEqual([]);
  });

  test("never shows a secret in an error, wherever it was put", async () => {
    const wrong = [
      { apiKey: "a secret with spaces" },
      { accounts: "a secret with spaces" },
      { accounts: { eu: { apiKey: "a secret with spaces" } } },
      { importKeys: "a secret with spaces" },
      { importKeys: { 7: "a secret with spaces" } },
      { importKeys: { "a secret with spaces": "7" } },
    ];
    for (const config of wrong) {
      const { failures } = await plugin.checkConfig({}, { ...account, ...config });
      expect(failures).toHaveLength(1);
      expect(failures.join()).not.toContain("secret with spaces");
    }
  });

  test("controls no terminal with the names of types, inputs and settings in its errors, and shows no name that looks like a key", async () => {
    const hostile = "\u001b]0;title\u0007\u001b[31mApi\u202eKey";
    expect(await failureOf(plugin.check(hostile, {}, {}))).toContain("has no resource type Api Key; its types");
    const key = "A1b2C3d4E5f6G7h8".repeat(3);
    const { failures } = await plugin.check("ApiKey", {}, { [hostile]: 1, [key]: 1 });
    const shown = failures.map((failure) => failure.split(" is not ")[0]);
    expect(shown.toSorted()).toEqual(["Api Key:", "[secret]:"]);
    const { failures: settings } = await plugin.checkConfig({}, { ...account, [hostile]: 1, [key]: 1 });
    expect(settings.map((failure) => failure.split(" is not ")[0]).toSorted()).toEqual(["Api Key:", "[secret]:"]);
  });

  test("accepts numbers and maps as they are or as text, and what the engine adds", async () => {
    const accounts = { eu: { baseUrl: plane.url, apiKey: plane.apiKey } };
    for (const given of [
      { concurrency: 4, accounts, importKeys: { 7: "secret-7" } },
      { concurrency: "4", accounts: JSON.stringify(accounts), importKeys: '{"7":"secret-7"}' },
      { version: "0.2.0", pluginDownloadURL: "https://example.com/keyplane", __internal: {} },
    ]) {
      const { inputs, failures } = await plugin.checkConfig({}, { ...account, ...given });
      expect(failures).toEqual([]);
      expect(inputs).toMatchObject(given);
    }
  });

  test("is not checked while a preview does not know a part of it, and stays unknown", async () => {
    const { raw, failures } = await plugin.checkConfig({}, { baseUrl: "http://example.com", apiKey: UNKNOWN });
    expect(failures).toEqual([]);
    expect(raw).toMatchObject({ baseUrl: "http://example.com", apiKey: secret(UNKNOWN) });
  });

  test("that Java passes as JSON is saved without marks inside, with its secrets marked", async () => {
    const importKeys = JSON.stringify(secret({ 7: "secret-7" }));
    const { raw, failures } = await plugin.checkConfig({}, { ...account, concurrency: "4.0", importKeys });
    expect(failures).toEqual([]);
    expect(raw).toMatchObject({ concurrency: "4.0", importKeys: secret({ 7: "secret-7" }) });
    const unknown = await plugin.checkConfig({}, { ...account, importKeys: JSON.stringify({ 7: UNKNOWN }) });
    expect(unknown).toMatchObject({ failures: [], raw: { importKeys: secret({ 7: UNKNOWN }) } });
  });

  test("is saved with its secrets marked, however they were given", async () => {
    const secrets = { apiKey: plane.apiKey, accounts: "{}", importKeys: { 7: "secret-7" } };
    for (const given of [secrets, { ...secrets, apiKey: secret(plane.apiKey) }]) {
      const { raw } = await plugin.checkConfig({}, { ...account, ...given });
      expect(raw).toMatchObject({
        baseUrl: plane.url,
        apiKey: secret(plane.apiKey),
        accounts: secret("{}"),
        importKeys: secret({ 7: "secret-7" }),
      });
    }
  });

  test("never asks for a replacement, which would replace every key", async () => {
    const { inputs } = await plugin.checkConfig({}, account);
    expect(await plugin.diffConfig(inputs, inputs)).toMatchObject({ changes: false, replaces: [], diffs: [] });
    const changed = await plugin.diffConfig(inputs, { ...inputs, apiKey: "other", baseUrl: "https://example.com" });
    expect(changed).toMatchObject({ changes: true, replaces: [] });
    expect([...changed.diffs].sort()).toEqual(["apiKey", "baseUrl"]);
  });

  test("can come from the environment", async () => {
    const env = { KEYPLANE_BASE_URL: plane.url, KEYPLANE_API_KEY: plane.apiKey };
    const other = await PluginUnderTest.start(plane, { configured: false, env });
    const { inputs, failures } = await other.checkConfig({}, {});
    expect(failures).toEqual([]);
    await other.configure(inputs);
    expect((await other.add("ApiKey")).id).toMatch(/^\d+$/);
  });
});

describe("a caller that is not the engine", () => {
  test("cannot configure a running plugin, so the credential goes to no other address", async () => {
    const env = { KEYPLANE_API_KEY: plane.apiKey };
    const other = await PluginUnderTest.start(plane, { env, configured: false });
    const { inputs } = await other.checkConfig({}, { baseUrl: plane.url });
    await other.configure(inputs);
    const again = failureOf(other.configure({ ...inputs, baseUrl: "http://127.0.0.1:1/api/v2" }));
    expect(await again).toMatch(/already configured.*Start another plugin/);
    expect((await other.add("ApiKey")).id).toMatch(/^\d+$/);
  });

  test("may correct settings that the plugin has refused", async () => {
    const other = await PluginUnderTest.start(plane, { configured: false });
    const { inputs } = await other.checkConfig({}, account);
    expect(await failureOf(other.configure({ ...inputs, importKeys: "{" }))).toContain("keyplane:importKeys");
    await other.configure(inputs);
    expect((await other.add("ApiKey")).id).toMatch(/^\d+$/);
  });

  // Only root can start a process of another user.
});

describe("the inputs of a resource", () => {
  let configured: PluginUnderTest;

  beforeAll(async () => {
    configured = await PluginUnderTest.start(plane);
  });

  test.each(["account", "resourceUrn"])(
    "cannot include %s, which only the SDK of the dynamic provider sets",
    async (input) => {
      for (const kind of ["ApiKey", "RotatingApiKey"]) {
        const { failures } = await configured.check(kind, {}, { [input]: "x" });
        expect(failures).toEqual([expect.stringMatching(`^${input}: is not an input of ${kind}\\. Its inputs are `)]);
        expect(failures[0]).not.toMatch(/Its inputs are .*(account|owner|retained|resourceUrn|__)/);
      }
    },
  );

  test("are suggested for a name that is nearly one of them", async () => {
    const { failures } = await configured.check("ApiKey", {}, { rotateafter: "30d" });
    expect(failures).toEqual([expect.stringMatching(/^rotateafter: .*\. Did you mean rotateAfter\? \[KP-INPUT\]$/)]);
  });

  test("are never shown in a failure", async () => {
    const { failures } = await configured.check(
      "RotatingApiKey",
      {},
      {
        adopt: { id: "7", key: "a secret with spaces" },
        rotateAfter: "a secret with spaces",
        waitForProjects: ["a secret with spaces"],
      },
    );
    expect(failures).toHaveLength(3);
    expect(failures.join()).not.toContain("secret with spaces");
  });

  test("are accepted while a preview does not know them, and stay unknown", async () => {
    const unknown = { organizationId: UNKNOWN, rotationTriggers: { at: UNKNOWN }, waitForProjects: [UNKNOWN] };
    const { inputs, failures } = await configured.check("RotatingApiKey", {}, unknown);
    expect(failures).toEqual([]);
    expect(inputs).toMatchObject(unknown);
  });

  test("are refused with what is wrong with the configuration, if the provider could not be checked", async () => {
    const other = await PluginUnderTest.start(plane, { configured: false });
    await other.configure({ baseUrl: "http://example.com", apiKey: "x" });
    const { inputs } = await other.check("ApiKey", {}, {});
    expect(await failureOf(other.create("ApiKey", inputs))).toMatch(/keyplane:baseUrl .* \[KP-CONFIG\]$/);
  });
});

function withoutAbsent(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
