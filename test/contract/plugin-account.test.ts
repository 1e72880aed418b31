import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accountFingerprint, originFingerprint } from "../../provider/keys/account-fingerprint";
import { type ControlPlane, startControlPlane } from "../../testing";
import { failureOf, PluginUnderTest, type State, stopPlugins } from "./plugin-harness";

let plane: ControlPlane;
let elsewhere: ControlPlane;
let first: PluginUnderTest;

beforeEach(async () => {
  [plane, elsewhere] = await Promise.all([startControlPlane(), startControlPlane()]);
  first = await PluginUnderTest.start(plane);
});

afterEach(async () => {
  await stopPlugins();
  await Promise.all([plane.close(), elsewhere.close()]);
});

const next = (account: { url: string; apiKey: string }, env: NodeJS.ProcessEnv = {}) =>
  PluginUnderTest.start(account, { provider: first.provider, env });
const kinds = ["ApiKey", "RotatingApiKey"];

describe.each(kinds)("the credential of another account, for %s,", (kind) => {
  let state: State;

  beforeEach(async () => {
    state = await first.add(kind, { rotationTriggers: { at: "1" } });
    // Under the ids of the stack, the other account has keys of others.
    for (let id = 0; id < 5; id++) await elsewhere.state.createKey(`theirs-${id}`);
  });

  it("creates, changes and revokes nothing", async () => {
    const plugin = await next(elsewhere);
    const refused = /now leads to .* Requests to the new one are refused.* \[KP-WRONG-ACCOUNT\]$/;
    expect(await failureOf(plugin.add(kind, {}, "new"))).toMatch(refused);
    expect(await failureOf(plugin.up(state))).toMatch(refused);
    expect(await failureOf(plugin.up(state, { rotationTriggers: { at: "2" } }))).toMatch(refused);
    expect(await failureOf(plugin.delete(state))).toMatch(refused);
    expect(await failureOf(plugin.read(state))).toMatch(refused);
    expect(await elsewhere.log()).toEqual([]);
    expect(await elsewhere.liveKeys()).toHaveLength(5);
    expect(await plane.count("DELETE")).toBe(0);
  });

  it("is refused by a refresh that comes before everything else", async () => {
    expect(await failureOf((await next(elsewhere)).read(state))).toContain("KP-WRONG-ACCOUNT");
  });

  it("is refused by a replacement, even if an upgrade of the plugin brought a provider that is new there", async () => {
    const upgraded = await PluginUnderTest.start(elsewhere);
    const news = { namePrefix: "other", rotationTriggers: { at: "2" } };
    expect(await failureOf(upgraded.up(state, news))).toContain("KP-WRONG-ACCOUNT");
    expect(await elsewhere.log()).toEqual([]);
    const env = { KEYPLANE_CONFIRM_ACCOUNT: originFingerprint(elsewhere.url) };
    const confirmed = await PluginUnderTest.start(elsewhere, { env });
    expect(await failureOf(confirmed.up(state, news))).toContain("has no key of this stack");
    expect(await elsewhere.count("POST")).toBe(0);
  });

  it("has no key of the stack either if the user confirms only the address", async () => {
    const KEYPLANE_CONFIRM_ACCOUNT = originFingerprint(elsewhere.url);
    const plugin = await next(elsewhere, { KEYPLANE_CONFIRM_ACCOUNT });
    const refused = /the account that they now lead to has no key of this stack.* \[KP-WRONG-ACCOUNT\]$/;
    expect(await failureOf(plugin.up(state))).toMatch(refused);
    expect(await failureOf(plugin.delete(state))).toMatch(refused);
    expect(new Set((await elsewhere.log()).map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it("is accepted once the user has confirmed it", async () => {
    const KEYPLANE_CONFIRM_ACCOUNT = accountFingerprint({ baseUrl: elsewhere.url, apiKey: elsewhere.apiKey });
    for (const { id } of await elsewhere.liveKeys()) await elsewhere.state.revokeKey(id);
    const plugin = await next(elsewhere, { KEYPLANE_CONFIRM_ACCOUNT });
    plugin.save([state]);
    await plugin.delete(state);
    expect(await elsewhere.count("DELETE")).toBe(0);
  });
});

describe.each(kinds)("another credential of the same account, for %s,", (kind) => {
  it("is recorded by an update that creates nothing, and the next run changes nothing", async () => {
    const state = await first.add(kind);
    const other = { url: plane.url, apiKey: (await plane.state.createKey("another-credential")).key };
    const plugin = await next(other);
    const { step, state: updated } = await plugin.up(state);
    expect(step).toBe("update");
    expect(plugin.messages).toEqual([
      "the credential or the address changed, so keyplane checks that it is the same account",
    ]);
    const here = accountFingerprint({ baseUrl: other.url, apiKey: other.apiKey });
    expect(updated.outputs).toMatchObject({ key: state.outputs.key, __owner: expect.stringContaining(`.${here}.`) });
    expect(await plane.count("POST", "/api_keys")).toBe(1);

    expect((await (await next(other)).up(updated)).step).toBe("same");
    const last = await next(other);
    last.save([updated]);
    await last.delete(updated);
    expect((await plane.liveKeys()).map(({ name }) => name)).toEqual(["another-credential"]);
  });

  it("is recorded by a refresh, and no change in the program is due for it afterwards", async () => {
    const state = await first.add(kind);
    const other = { url: plane.url, apiKey: (await plane.state.createKey("another-credential")).key };
    const plugin = await next(other);
    const read = await plugin.read(state);
    expect(read?.outputs.__owner).not.toBe(state.outputs.__owner);
    expect((await plugin.up(read as State)).step).toBe("same");
  });
});

it("no data source, gate, list or import sends the credential to an address that the provider has not recorded", async () => {
  const account = { baseUrl: elsewhere.url, apiKey: elsewhere.apiKey };
  // A run that failed saves the new settings of the provider, and the next `destroy` or `refresh` gets them.
  const provider = { ...first.provider, ...account };
  for (const options of [{}, { removed: true, provider }]) {
    const plugin = await PluginUnderTest.start(elsewhere, { provider: first.provider, ...options });
    const refused = /now leads to .* Requests to the new one are refused.*\[KP-WRONG-ACCOUNT\]$/;
    expect(await failureOf(plugin.invoke("getProjects", {}))).toMatch(refused);
    expect(await failureOf(plugin.add("ProjectReady", { projectId: "proj-1" }))).toMatch(refused);
    expect(await failureOf(plugin.list("ApiKey"))).toMatch(refused);
    expect(await failureOf(plugin.add("ApiKey"))).toMatch(refused);
  }
  expect(await elsewhere.log()).toEqual([]);
});

it("another address of the same service is refused until the user confirms it, and then a key of the stack proves it", async () => {
  const state = await first.add("ApiKey");
  const other = { url: plane.url.replace("127.0.0.1", "localhost"), apiKey: plane.apiKey };
  const refused = await next(other);
  expect(await failureOf(refused.up(state))).toContain("KP-WRONG-ACCOUNT");
  expect(refused.messages.filter((text) => text.includes("now leads to http://localhost"))).toHaveLength(1);
  const KEYPLANE_CONFIRM_ACCOUNT = originFingerprint(other.url);
  const confirmed = await next(other, { KEYPLANE_CONFIRM_ACCOUNT });
  const { state: updated } = await confirmed.up(state);
  expect(updated.outputs.key).toBe(state.outputs.key);
  const later = await PluginUnderTest.start(other, { provider: confirmed.provider });
  expect((await later.up(updated)).step).toBe("same");
});

it.each(kinds)("a key moves into an organization and back by replacements, for %s", async (kind) => {
  const before = await first.add(kind);
  const plugin = await next(plane);
  const { step, state } = await plugin.up(before, { organizationId: "org-local-1" });
  await plugin.delete(before);
  expect(step).toBe("replace");
  expect(await plane.liveKeys()).toMatchObject([{ name: state.outputs.name, organizationId: "org-local-1" }]);
  const later = await next(plane);
  const { state: after } = await later.up(state, {});
  await later.delete(state);
  expect((await plane.liveKeys()).map(({ name }) => name)).toEqual([after.outputs.name]);
});

it.each(kinds)("an organization's keys work from the first one on, with any credential of it, for %s", async (kind) => {
  const inputs = { organizationId: "org-local-1", rotationTriggers: { at: "1" } };
  const state = await first.add(kind, inputs);
  expect(await plane.liveKeys()).toMatchObject([{ name: state.outputs.name, organizationId: "org-local-1" }]);
  const other = { url: plane.url, apiKey: (await plane.state.createKey("another-credential")).key };
  const plugin = await next(other);
  expect(await plugin.read(state)).toEqual(state);
  expect((await plugin.up(state)).step).toBe("same");
  const { state: rotated } = await plugin.up(state, { ...inputs, rotationTriggers: { at: "2" } });
  expect(rotated.outputs.keyId).not.toBe(state.outputs.keyId);
  for (const each of kind === "ApiKey" ? [state, rotated] : [rotated]) await plugin.delete(each);
  expect((await plane.liveKeys()).map(({ name }) => name)).toEqual(["another-credential"]);
});

it("a service that does not say the scope of new keys is reported once in the diagnostics", async () => {
  const { id: projectId } = await plane.state.createProject();
  await plane.state.switch({ projectKeys: "unsaid" });
  const limits = { organizationId: "org-local-1", projectId };
  for (const name of ["one", "two"]) await first.add("ApiKey", limits, name);
  expect(first.messages.filter((text) => text.includes(`projectId ${projectId}`))).toHaveLength(1);
});
