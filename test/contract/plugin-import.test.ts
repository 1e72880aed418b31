import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { failureOf, PluginUnderTest, stopPlugins, type Values } from "./plugin-harness";

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
  test("takes over the key with its secret and changes nothing on the service", async () => {
    const plugin = await start();
    const state = await plugin.import(kind, made.id);
    const { __suffix, ...inputs } = state.inputs;
    expect(inputs).toEqual(kind === "ApiKey" ? { name: "by-hand" } : {});
    expect(__suffix).toMatch(/^[a-z2-7]{12}$/);
    expect(state.outputs).toMatchObject({ keyId: made.id, name: "by-hand", key: made.key });
    expect(state.id).toMatch(kind === "ApiKey" ? new RegExp(`^${made.id}$`) : /^[0-9a-f-]{36}$/);
    expect(JSON.stringify([state.inputs, state.id])).not.toContain(made.key);
    expect(new Set((await plane.log()).map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  test("leaves nothing to change for the next run, with the inputs that it suggests and without them", async () => {
    const plugin = await start();
    const state = await plugin.import(kind, made.id);
    for (const news of [state.inputs, {}]) {
      const { step } = await (await next(plugin)).up(state, news);
      expect(step).toBe("same");
    }
  });

  test("is the owner of the key from then on: it updates, refreshes and revokes it", async () => {
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

  test("is refused without the secret, and the error says how to give it", async () => {
    const failure = await failureOf((await start({})).import(kind, made.id));
    expect(failure).toMatch(
      new RegExp(`key ${made.id} cannot be imported by its id alone.*importKeys\\["${made.id}"\\].*\\[KP-IMPORT\\]$`),
    );
    expect(await plane.count()).toBe(0);
  });

  test("is what a read with a part of the state is, such as that of a program in YAML", async () => {
    const state = { kind, name: "ci", inputs: {}, outputs: { organizationId: "org-local-1" } };
    expect(await failureOf((await start({})).read({ ...state, id: made.id }))).toContain("[KP-IMPORT]");
    expect(await failureOf((await start({})).read({ ...state, id: "none" }))).toContain("[KP-INPUT]");
  });

  test("is refused with the secret of another key, and the error does not show it", async () => {
    const other = await plane.state.createKey("another");
    for (const key of [other.key, "nobody-issued-this"]) {
      const failure = await failureOf((await start({ [made.id]: key })).import(kind, made.id));
      expect(failure).toMatch(/\[KP-IMPORT\]$/);
      expect(failure).not.toContain(key);
    }
  });

  test("is refused for the key that keyplane itself authenticates with", async () => {
    const own = { url: plane.url, apiKey: made.key };
    const plugin = await PluginUnderTest.start(own, { config: { importKeys: { [made.id]: made.key } } });
    expect(await failureOf(plugin.import(kind, made.id))).toContain("KP-OWN-CREDENTIAL");
  });

  test("is refused for an id that is none, before any request", async () => {
    const plugin = await start();
    for (const id of ["by-hand", "0", "7 ", `${made.id}/7/8`, `no organization/${made.id}`, "../7"]) {
      expect(await failureOf(plugin.import(kind, id))).toMatch(
        /must be the id of an (API key|organization).*\[KP-INPUT\]$/,
      );
    }
    expect(await plane.count()).toBe(0);
  });

  test("fails for a key that is not active", async () => {
    const plugin = await start({ [made.id]: made.key, 999: "nobody-issued-this" });
    expect(await failureOf(plugin.import(kind, "999"))).toMatch(/\[KP-IMPORT\]$/);
  });
});

test("the import of an organization's key by ORGANIZATION/ID records its organization and its project", async () => {
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

test("an imported key that the program names differently is replaced", async () => {
  const plugin = await start();
  const imported = await plugin.import("ApiKey", made.id);
  const later = await next(plugin);
  const { step, state, replaces } = await later.up(imported, { name: "another-name" });
  expect([step, replaces]).toEqual(["replace", ["name"]]);
  await later.delete(imported);
  expect(await live()).toEqual([state.id]);
});

test("a rotation of an imported key keeps it as the previous key", async () => {
  const plugin = await start();
  const imported = await plugin.import("RotatingApiKey", made.id);
  const later = await next(plugin);
  const { state: first } = await later.up(imported, { rotationTriggers: { at: "1" } });
  const { state } = await later.up(first, { rotationTriggers: { at: "2" } });
  expect(state.outputs).toMatchObject({ previousKeyId: made.id, previousKey: made.key });
  await later.delete(state);
  expect(await live()).toEqual([]);
});

test("the import of a ProjectReady needs only the project's id", async () => {
  const plugin = await start();
  const { id } = await plane.state.createProject();
  const state = await plugin.import("ProjectReady", id);
  expect(state).toMatchObject({ id, inputs: { projectId: id }, outputs: { projectId: id } });
  expect((await plugin.up(state)).step).toBe("same");
  expect(await failureOf(plugin.import("ProjectReady", "no project"))).toMatch(/\[KP-INPUT\]$/);
});
