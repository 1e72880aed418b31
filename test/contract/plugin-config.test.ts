import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { accountFingerprint, originFingerprint } from "../../provider/keys/account-fingerprint";
import { type ControlPlane, startControlPlane } from "../../testing";
import { failureOf, PluginUnderTest, plainOwner, secret, stopPlugins, UNKNOWN, type Values } from "./plugin-harness";

const OWNER = /^[0-9a-f-]{36}(?:\.[a-z2-7]{12}){2}\|urn:pulumi:dev::proj::pulumi:providers:keyplane::default$/;

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
  it.each<[Values, RegExp]>([
    [
      { apiKey: undefined },
      /^keyplane:apiKey is not set.*`pulumi config set --secret keyplane:apiKey`.*\[KP-CONFIG\]$/,
    ],
    [{ apiKey: "" }, /^keyplane:apiKey is not set/],
    [{ baseUrl: undefined }, /^keyplane:baseUrl is not set/],
    [{ baseUrl: "http://example.com/api" }, /^keyplane:baseUrl must begin with https.*\[KP-CONFIG\]$/],
    [{ pollInterval: "5" }, /^keyplane:pollInterval must be a duration/],
    [{ concurrency: 0 }, /^keyplane:concurrency must be a whole number/],
    [{ importKeys: ["not a map"] }, /^keyplane:importKeys must be a map/],
    [
      { apikey: "x" },
      /^apikey: is not a setting of keyplane\. The settings are (?!.*accounts).*apiKey.*importKeys\. Did you mean apiKey\? \[KP-CONFIG\]$/,
    ],
  ])("with %j is refused without a request, and the error says what to do", async (config, message) => {
    const { failures } = await plugin.checkConfig({}, withoutAbsent({ ...account, ...config }));
    expect(failures).toEqual([expect.stringMatching(message)]);
    expect(await plane.count()).toBe(0);
  });

  it("with an invalid variable of the environment is refused in the same way", async () => {
    const env = { KEYPLANE_IMPORT_KEYS: "a secret with spaces" };
    const other = await PluginUnderTest.start(plane, { configured: false, env });
    const { failures } = await other.checkConfig({}, account);
    expect(failures).toEqual([expect.stringMatching(/^keyplane:importKeys must be a map.*\[KP-CONFIG\]$/)]);
    expect(other.printed).toEqual([]);
  });

  it("never shows a secret in an error, wherever it was put", async () => {
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

  it("controls no terminal with the names of types, inputs and settings in its errors, and shows no name that looks like a key", async () => {
    const hostile = "\u001b]0;title\u0007\u001b[31mApi\u202eKey";
    expect(await failureOf(plugin.check(hostile, {}, {}))).toContain("has no resource type Api Key; its types");
    const key = "A1b2C3d4E5f6G7h8".repeat(3);
    const { failures } = await plugin.check("ApiKey", {}, { [hostile]: 1, [key]: 1 });
    const shown = failures.map((failure) => failure.split(" is not ")[0]);
    expect(shown.toSorted()).toEqual(["Api Key:", "[secret]:"]);
    const { failures: settings } = await plugin.checkConfig({}, { ...account, [hostile]: 1, [key]: 1 });
    expect(settings.map((failure) => failure.split(" is not ")[0]).toSorted()).toEqual(["Api Key:", "[secret]:"]);
  });

  it("accepts numbers and maps as they are or as text, and what the engine adds", async () => {
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

  it("is not checked while a preview does not know a part of it, and stays unknown", async () => {
    const { raw, failures } = await plugin.checkConfig({}, { baseUrl: "http://example.com", apiKey: UNKNOWN });
    expect(failures).toEqual([]);
    expect(raw).toMatchObject({ baseUrl: "http://example.com", apiKey: secret(UNKNOWN) });
  });

  it("is saved with its secrets marked, however they were given", async () => {
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

  it("never asks for a replacement, which would replace every key", async () => {
    const { inputs } = await plugin.checkConfig({}, account);
    expect(await plugin.diffConfig(inputs, inputs)).toMatchObject({ changes: false, replaces: [], diffs: [] });
    const changed = await plugin.diffConfig(inputs, { ...inputs, apiKey: "other", baseUrl: "https://example.com" });
    expect(changed).toMatchObject({ changes: true, replaces: [], deleteBeforeReplace: false });
    expect([...changed.diffs].sort()).toEqual(["apiKey", "baseUrl"]);
  });

  it("can come from the environment", async () => {
    const env = { KEYPLANE_BASE_URL: plane.url, KEYPLANE_API_KEY: plane.apiKey };
    const other = await PluginUnderTest.start(plane, { configured: false, env });
    const { inputs, failures } = await other.checkConfig({}, {});
    expect(failures).toEqual([]);
    await other.configure(inputs);
    expect((await other.add("ApiKey")).id).toMatch(/^\d+$/);
  });
});

describe("a caller that is not the engine", () => {
  it("cannot configure a running plugin, so the credential goes to no other address", async () => {
    const env = { KEYPLANE_API_KEY: plane.apiKey };
    const other = await PluginUnderTest.start(plane, { env, configured: false });
    const { inputs } = await other.checkConfig({}, { baseUrl: plane.url });
    await other.configure(inputs);
    const again = failureOf(other.configure({ ...inputs, baseUrl: "http://127.0.0.1:1/api/v2" }));
    expect(await again).toMatch(/already configured.*Start another plugin/);
    expect((await other.add("ApiKey")).id).toMatch(/^\d+$/);
  });

  it("may correct settings that the plugin has refused", async () => {
    const other = await PluginUnderTest.start(plane, { configured: false });
    const { inputs } = await other.checkConfig({}, account);
    expect(await failureOf(other.configure({ ...inputs, importKeys: "{" }))).toContain("keyplane:importKeys");
    await other.configure(inputs);
    expect((await other.add("ApiKey")).id).toMatch(/^\d+$/);
  });

  // Only root can start a process of another user.
  it.runIf(process.platform === "linux" && process.geteuid?.() === 0)(
    "gets no answer if it is another user",
    async () => {
      const sends = (uid: number) => {
        const preface = "PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n";
        const work = `const socket = require("node:net").connect(${plugin.port}, "127.0.0.1");
        socket.write("${preface}\\0\\0\\0\\x04\\0\\0\\0\\0\\0");
        socket.on("data", () => process.exit(7)).on("close", () => process.exit(8)).on("error", () => {});`;
        return spawnSync(process.execPath, ["-e", work], { uid, gid: uid, cwd: "/" }).status;
      };
      expect(sends(0)).toBe(7);
      expect(sends(65_534)).toBe(8);
    },
  );
});

describe("the owner of the keys", () => {
  const check = async (olds: Values, config: Values = {}, stack = "dev") => {
    const of = stack === "dev" ? plugin : await PluginUnderTest.start(plane, { configured: false, stack });
    return (await of.checkConfig(olds, { ...account, ...config })).inputs;
  };
  const fingerprintOf = ({ __owner }: Values) => /\.([a-z2-7]+)\.[a-z2-7]+\|/.exec(String(__owner))?.[1];

  it("is made once, at random, and is saved before any key is created", async () => {
    const [one, other] = [await check({}), await check({})];
    expect(plainOwner(one.__owner)).toMatch(OWNER);
    expect(other.__owner).not.toBe(one.__owner);
    expect(fingerprintOf(one)).toBe(accountFingerprint(account));
    expect((await check(one)).__owner).toBe(one.__owner);
  });

  it("is another one in a copied or renamed stack, because a copy must not claim the keys of the original", async () => {
    const original = await check({});
    const copy = await check(original, {}, "prod");
    expect(plainOwner(copy.__owner)).toMatch(/\|urn:pulumi:prod::/);
    expect(String(copy.__owner).slice(0, 36)).not.toBe(String(original.__owner).slice(0, 36));
  });

  it("keeps the account in which it was made until the user confirms another credential", async () => {
    const first = await check({});
    const changed = await check(first, { apiKey: "another-credential" });
    expect(changed.__owner).toBe(first.__owner);
    const here = accountFingerprint({ ...account, apiKey: "another-credential" });
    const confirmed = await check(changed, { apiKey: "another-credential", confirmAccount: here });
    expect(fingerprintOf(confirmed)).toBe(here);
    expect(String(confirmed.__owner).slice(0, 36)).toBe(String(first.__owner).slice(0, 36));
  });

  it("keeps the address that it recorded until the user confirms another one", async () => {
    const originOf = ({ __owner }: Values) => /\.([a-z2-7]+)\|/.exec(String(__owner))?.[1];
    const baseUrl = "https://another.test/api/v2";
    const first = await check({});
    expect(originOf(first)).toBe(originFingerprint(account.baseUrl));
    expect((await check(first, { baseUrl })).__owner).toBe(first.__owner);
    const confirmed = await check(first, { baseUrl, confirmAccount: originFingerprint(baseUrl) });
    expect([fingerprintOf(confirmed), originOf(confirmed)]).toEqual([fingerprintOf(first), originFingerprint(baseUrl)]);
  });

  it("is made without an account while the account is unknown, and keeps its id afterwards", async () => {
    const first = await check({}, { apiKey: UNKNOWN });
    expect(fingerprintOf(first)).toBeUndefined();
    const second = await check(first);
    expect(String(second.__owner).slice(0, 36)).toBe(String(first.__owner).slice(0, 36));
  });

  it("is the one of the plan, because the engine compares the run with the preview", async () => {
    const folder = await mkdtemp(join(tmpdir(), "keyplane-plan-"));
    try {
      const file = join(folder, "plan.json");
      const { __owner } = await check({});
      const urn = "urn:pulumi:dev::proj::pulumi:providers:keyplane::default";
      const goal = { inputDiff: { adds: { __owner } } };
      await writeFile(file, JSON.stringify({ resourcePlans: { [urn]: { goal } } }));
      const planned = { configured: false, command: ["up", "--plan", file] };
      const run = await PluginUnderTest.start(plane, planned);
      expect((await run.checkConfig({}, account)).inputs.__owner).toBe(__owner);
      const other = await PluginUnderTest.start(plane, { ...planned, stack: "prod" });
      expect((await other.checkConfig({}, account)).inputs.__owner).not.toContain(String(__owner).slice(0, 36));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("cannot be set by a program", async () => {
    const { inputs } = await plugin.checkConfig({}, { ...account, __owner: "mine" });
    expect(plainOwner(inputs.__owner)).toMatch(OWNER);
  });
});

describe("the inputs of a resource", () => {
  let configured: PluginUnderTest;

  beforeAll(async () => {
    configured = await PluginUnderTest.start(plane);
  });

  it.each(["account", "owner", "retained", "resourceUrn"])(
    "cannot include %s, which only the SDK of the dynamic provider sets",
    async (input) => {
      for (const kind of ["ApiKey", "RotatingApiKey"]) {
        const { failures } = await configured.check(kind, {}, { [input]: "x" });
        expect(failures).toEqual([expect.stringMatching(`^${input}: is not an input of ${kind}\\. Its inputs are `)]);
        expect(failures[0]).not.toMatch(/Its inputs are .*(account|owner|retained|resourceUrn|__)/);
      }
    },
  );

  it("are suggested for a name that is nearly one of them", async () => {
    const { failures } = await configured.check("ApiKey", {}, { rotateafter: "30d" });
    expect(failures).toEqual([expect.stringMatching(/^rotateafter: .*\. Did you mean rotateAfter\? \[KP-INPUT\]$/)]);
  });

  it("can name a prefix of at most 37 characters, because a name needs room for the tags", async () => {
    for (const kind of ["ApiKey", "RotatingApiKey"]) {
      expect((await configured.check(kind, {}, { namePrefix: "p".repeat(37) })).failures).toEqual([]);
      const { failures } = await configured.check(kind, {}, { namePrefix: "p".repeat(38) });
      expect(failures).toEqual([expect.stringMatching(/^namePrefix: must be 1 to 37 .*\[KP-INPUT\]$/)]);
    }
  });

  it("can set how the previous key is retired only for a rotating key", async () => {
    expect((await configured.check("RotatingApiKey", {}, { retirement: "inPlace" })).failures).toEqual([]);
    expect((await configured.check("RotatingApiKey", {}, { retirement: "soon" })).failures).toHaveLength(1);
    expect((await configured.check("ApiKey", {}, { retirement: "inPlace" })).failures).toHaveLength(1);
  });

  it("are never shown in a failure", async () => {
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

  it("are accepted while a preview does not know them, and stay unknown", async () => {
    const unknown = { organizationId: UNKNOWN, rotationTriggers: { at: UNKNOWN }, waitForProjects: [UNKNOWN] };
    const { inputs, failures } = await configured.check("RotatingApiKey", {}, unknown);
    expect(failures).toEqual([]);
    expect(inputs).toMatchObject(unknown);
  });

  it("are refused with what is wrong with the configuration, if the provider could not be checked", async () => {
    const other = await PluginUnderTest.start(plane, { configured: false });
    await other.configure({ baseUrl: "http://example.com", apiKey: "x" });
    const { inputs } = await other.check("ApiKey", {}, {});
    expect(await failureOf(other.create("ApiKey", inputs))).toMatch(/keyplane:baseUrl must begin with https/);
  });
});

describe("the owner of a key", () => {
  const urn = () => plugin.urn("ApiKey");
  const of = (inputs: Values) => String(inputs.__owner);
  let configured: PluginUnderTest;

  beforeAll(async () => {
    configured = await PluginUnderTest.start(plane);
  });

  it("is accepted among the inputs, because the engine checks the inputs of an import once more", async () => {
    const { inputs } = await configured.check("ApiKey", {}, { verify: true });
    const again = await configured.check("ApiKey", inputs, inputs);
    expect(again).toEqual({ inputs, failures: [] });
  });

  it("is never empty, although an import into a new stack configures the plugin without an owner", async () => {
    const importing = await PluginUnderTest.start(plane, { configured: false });
    await importing.configure(account);
    const inputs = await importing.checked("ApiKey", {});
    expect(plainOwner(of(inputs))).toMatch(/^[0-9a-f-]{36}\|urn:pulumi:/);
  });

  it("is an input that names the resource and survives an upgrade of the plugin", async () => {
    const inputs = await configured.checked("ApiKey", {});
    expect(plainOwner(of(inputs))).toBe(`${String(configured.provider.__owner).slice(0, 36)}|${urn()}`);
    const upgraded = await PluginUnderTest.start(plane);
    expect(upgraded.provider.__owner).not.toBe(configured.provider.__owner);
    expect(of(await upgraded.checked("ApiKey", {}, inputs))).toBe(of(inputs));
    // The second check of a replacement gets no state: the new key belongs to the provider that creates it.
    expect(of(await upgraded.checked("ApiKey", {}))).not.toContain(of(inputs).slice(0, 36));
  });

  it("keeps its id under another name in the same stack", async () => {
    const inputs = await configured.checked("ApiKey", {}, {}, "old-name");
    const renamed = await configured.checked("ApiKey", {}, inputs, "new-name");
    expect(plainOwner(of(renamed))).toBe(plainOwner(of(inputs)).replace("::old-name", "::new-name"));
  });

  it("is another one in another stack", async () => {
    const inputs = await configured.checked("ApiKey", {});
    const copy = await PluginUnderTest.start(plane, { stack: "prod", provider: configured.provider });
    const copied = of(await copy.checked("ApiKey", {}, inputs));
    expect(plainOwner(copied)).toMatch(/\|urn:pulumi:prod::/);
    expect(copied.slice(0, 36)).toBe(String(copy.provider.__owner).slice(0, 36));
    expect(copied.slice(0, 36)).not.toBe(of(inputs).slice(0, 36));
  });

  it("is the owner of the dynamic provider after an alias has moved the key to the plugin", async () => {
    const identity = "3b241101-e2bb-4255-8caf-4136c566a962.abcdefghijkl";
    const dynamic = (stack: string) => `urn:pulumi:${stack}::proj::pulumi-nodejs:dynamic/keyplane:ApiKey::ci`;
    const olds = (stack: string) => ({ owner: identity, resourceUrn: dynamic(stack) });
    expect(plainOwner(of(await configured.checked("ApiKey", {}, olds("dev"), "moved")))).toMatch(
      /^3b241101.*962\|urn:pulumi:dev::/,
    );
    expect(of(await configured.checked("ApiKey", {}, olds("other"), "copied"))).not.toContain("3b241101");
  });

  it("is no input of a resource without a key", async () => {
    const inputs = { projectId: "quiet-shore-123456" };
    expect(await configured.checked("ProjectReady", inputs)).toEqual(inputs);
  });
});

function withoutAbsent(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
