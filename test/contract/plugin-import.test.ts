import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { failureOf, PluginUnderTest, plainOwner, stopPlugins, type Values } from "./plugin-harness";

const ORGANIZATION = "org-local-1";

let plane: ControlPlane;
let made: { id: string; key: string };

beforeEach(async () => {
  plane = await startControlPlane();
  const { id, key } = await plane.state.createKey("by-hand");
  made = { id: String(id), key };
});

afterEach(async () => {
  await stopPlugins();
  await plane.close();
});

const start = (importKeys: Values = { [made.id]: made.key }) =>
  PluginUnderTest.start(plane, { config: { importKeys } });
const next = (before: PluginUnderTest) => PluginUnderTest.start(plane, { provider: before.provider });
const live = async () => (await plane.liveKeys()).map(({ id }) => String(id)).sort();

describe.each(["ApiKey", "RotatingApiKey"])("the import of an existing key as %s", (kind) => {
  it("takes over the key with its secret and changes nothing on the service", async () => {
    const plugin = await start();
    const state = await plugin.import(kind, made.id);
    const { __owner, ...inputs } = state.inputs;
    expect(inputs).toEqual(kind === "ApiKey" ? { name: "by-hand" } : {});
    expect(plainOwner(__owner)).toMatch(/^[0-9a-f-]{36}\|urn:pulumi:dev::/);
    expect(state.outputs).toMatchObject({ keyId: made.id, name: "by-hand", key: made.key });
    expect(state.id).toMatch(kind === "ApiKey" ? new RegExp(`^${made.id}$`) : /^[0-9a-f-]{36}$/);
    expect(JSON.stringify([state.inputs, state.id])).not.toContain(made.key);
    expect(new Set((await plane.log()).map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it("leaves nothing to change for the next run, with the inputs that it suggests and without them", async () => {
    const plugin = await start();
    const state = await plugin.import(kind, made.id);
    for (const news of [state.inputs, {}]) {
      const { step } = await (await next(plugin)).up(state, news);
      expect(step).toBe("same");
    }
  });

  it("is the owner of the key from then on: it updates, refreshes and revokes it", async () => {
    const plugin = await start();
    const imported = await plugin.import(kind, made.id);
    const later = await next(plugin);
    const { step, state } = await later.up(imported, { rotateAfter: "90d" });
    expect(step).toBe("update");
    expect(await later.read(state)).toEqual(state);
    expect((await later.up(state)).step).toBe("same");
    await later.delete(state);
    expect(await live()).toEqual([]);
  });

  it("leaves the key live when it is deleted, if a resource of another provider has it", async () => {
    const plugin = await start();
    const imported = await plugin.import(kind, made.id);
    const other = await plugin.import(kind, made.id, "other");
    const later = await next(plugin);
    later.save([imported, other]);
    await later.delete(imported);
    expect(await live()).toEqual([made.id]);
    // A process of its own again.
    const last = await next(plugin);
    last.save([other]);
    await last.delete(other);
    expect(await live()).toEqual([]);
  });

  it("is refused without the secret, and the error says how to give it", async () => {
    const failure = await failureOf((await start({})).import(kind, made.id));
    expect(failure).toMatch(
      new RegExp(`key ${made.id} cannot be imported by its id alone.*importKeys\\["${made.id}"\\].*\\[KP-IMPORT\\]$`),
    );
    expect(await plane.count()).toBe(0);
  });

  it("is what a read with a part of the state is, such as that of a program in YAML", async () => {
    const state = { kind, name: "ci", inputs: {}, outputs: { organizationId: "org-local-1" } };
    expect(await failureOf((await start({})).read({ ...state, id: made.id }))).toContain("[KP-IMPORT]");
    expect(await failureOf((await start({})).read({ ...state, id: "none" }))).toContain("[KP-INPUT]");
  });

  it("is refused with the secret of another key, and the error does not show it", async () => {
    const other = await plane.state.createKey("another");
    for (const key of [other.key, "nobody-issued-this"]) {
      const failure = await failureOf((await start({ [made.id]: key })).import(kind, made.id));
      expect(failure).toMatch(/\[KP-IMPORT\]$/);
      expect(failure).not.toContain(key);
    }
  });

  it("is refused for the key that keyplane itself authenticates with", async () => {
    const own = { url: plane.url, apiKey: made.key };
    const plugin = await PluginUnderTest.start(own, { config: { importKeys: { [made.id]: made.key } } });
    expect(await failureOf(plugin.import(kind, made.id))).toContain("KP-OWN-CREDENTIAL");
  });

  it("is refused for an id that is none, before any request", async () => {
    const plugin = await start();
    for (const id of ["by-hand", "0", "7 ", `${made.id}/7/8`, `no organization/${made.id}`, "../7"]) {
      expect(await failureOf(plugin.import(kind, id))).toMatch(/id: must be the id of an (API key|organization)/);
    }
    expect(await plane.count()).toBe(0);
  });

  it("fails for a key that is not active", async () => {
    const plugin = await start({ [made.id]: made.key, 999: "nobody-issued-this" });
    expect(await failureOf(plugin.import(kind, "999"))).toMatch(/\[KP-IMPORT\]$/);
  });
});

it("the import of an organization's key by ORGANIZATION/ID records its organization and its project", async () => {
  const maker = await PluginUnderTest.start(plane);
  const { id: projectId } = await plane.state.createProject({ organizationId: ORGANIZATION } as object);
  const original = await maker.add("ApiKey", { organizationId: ORGANIZATION, projectId });
  const plugin = await start({ [original.id]: original.outputs.key });
  const state = await plugin.import("ApiKey", `${ORGANIZATION}/${original.id}`, "imported");
  expect(state).toMatchObject({ id: original.id, inputs: { organizationId: ORGANIZATION, projectId } });
  expect((await (await next(plugin)).up(state)).step).toBe("same");
  await (await next(plugin)).delete(state);
  expect(await live()).toEqual([made.id]);
});

it("an organization's key that its own resource imports by the other form of its id stays live, in this run and later", async () => {
  const maker = await PluginUnderTest.start(plane);
  const original = await maker.add("ApiKey", { organizationId: ORGANIZATION });
  const config = { importKeys: { [original.id]: original.outputs.key } };
  const plugin = await PluginUnderTest.start(plane, { provider: maker.provider, config });
  const state = await plugin.import("ApiKey", `${ORGANIZATION}/${original.id}`);
  await plugin.delete(original);
  expect(await live()).toContain(original.id);
  expect((await plugin.up(state)).step).toBe("same");
  expect(plugin.messages.join()).not.toContain("two resources");

  // The run was ended before the deletion, so that the next one does it.
  const later = await next(plugin);
  later.save([{ ...original, engine: { delete: true } }, state]);
  expect((await later.up(state)).step).toBe("same");
  await later.delete(original);
  expect(await live()).toContain(original.id);

  const last = await next(plugin);
  last.save([state]);
  await last.delete(state);
  expect(await live()).toEqual([made.id]);
});

it("a key that can belong to two states of a resource stays live if the state of the stack cannot be read", async () => {
  const maker = await PluginUnderTest.start(plane);
  const original = await maker.add("ApiKey", { organizationId: ORGANIZATION });
  const later = await next(maker);
  expect((await later.up(original)).step).toBe("same");
  expect(await failureOf(later.delete(original))).toContain("[KP-REVOKE]");
  expect(await live()).toContain(original.id);
});

it("a key that a lost state held can be imported by a new stack, which revokes it with the resource", async () => {
  const lost = await PluginUnderTest.start(plane);
  const original = await lost.add("ApiKey");
  const plugin = await start({ [original.id]: original.outputs.key });
  const state = await plugin.import("ApiKey", original.id);
  expect((await (await next(plugin)).up(state, {})).step).toBe("same");
  await (await next(plugin)).delete(state);
  expect(await live()).toEqual([made.id]);
});

it("an imported key that the program names differently is replaced", async () => {
  const plugin = await start();
  const imported = await plugin.import("ApiKey", made.id);
  const later = await next(plugin);
  const { step, state, replaces } = await later.up(imported, { name: "another-name" });
  expect([step, replaces]).toEqual(["replace", ["name"]]);
  await later.delete(imported);
  expect(await live()).toEqual([state.id]);
});

it("a key that two resources import stays live when one of them is deleted, and is revoked with the other", async () => {
  const plugin = await start();
  const states = [
    await plugin.import("ApiKey", made.id, "one"),
    await plugin.import("ApiKey", made.id, "two"),
  ] as const;
  const later = await next(plugin);
  for (const state of states) expect((await later.up(state)).step).toBe("same");
  await later.delete(states[1]);
  expect(await live()).toEqual([made.id]);
  await (await next(plugin)).delete(states[0]);
  expect(await live()).toEqual([]);
});

it.each(["ApiKey", "RotatingApiKey"])("a key that an ApiKey and a second %s import is reported once", async (kind) => {
  const plugin = await start();
  const states = [await plugin.import("ApiKey", made.id, "one"), await plugin.import(kind, made.id, "two")];
  const later = await next(plugin);
  for (const state of states) await later.up(state);
  expect(later.messages.filter((text) => text.includes("belongs to two resources"))).toHaveLength(1);
});

it("a rotation of an imported key keeps it as the previous key", async () => {
  const plugin = await start();
  const imported = await plugin.import("RotatingApiKey", made.id);
  const later = await next(plugin);
  const { state: first } = await later.up(imported, { rotationTriggers: { at: "1" } });
  const { state } = await later.up(first, { rotationTriggers: { at: "2" } });
  expect(state.outputs).toMatchObject({ previousKeyId: made.id, previousKey: made.key });
  await later.delete(state);
  expect(await live()).toEqual([]);
});

it("an import with another credential is refused unless the account has the stack's keys, because it would record that account", async () => {
  const first = await start();
  const state = await first.add("ApiKey");
  const other = { url: plane.url, apiKey: (await plane.state.createKey("another-credential")).key };
  const later = () =>
    PluginUnderTest.start(other, { provider: first.provider, config: { importKeys: { [made.id]: made.key } } });
  expect((await (await later()).import("ApiKey", made.id, "x")).id).toBe(made.id);
  await plane.state.revokeKey(state.id);
  expect(await failureOf((await later()).import("ApiKey", made.id, "x"))).toContain("[KP-WRONG-ACCOUNT]");
});

it("the import of a ProjectReady needs only the project's id", async () => {
  const plugin = await start();
  const { id } = await plane.state.createProject();
  const state = await plugin.import("ProjectReady", id);
  expect(state).toMatchObject({ id, inputs: { projectId: id }, outputs: { projectId: id } });
  expect((await plugin.up(state)).step).toBe("same");
  expect(await failureOf(plugin.import("ProjectReady", "no project"))).toMatch(/\[KP-INPUT\]$/);
});
