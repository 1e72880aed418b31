import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { failureOf, PluginUnderTest, stopPlugins, type Values } from "./plugin-harness";

let plane: ControlPlane;
let plugin: PluginUnderTest;

beforeAll(async () => {
  plane = await startControlPlane();
  plugin = await PluginUnderTest.start(plane);
});

afterEach(() => plane.rules.clear());

afterAll(async () => {
  await stopPlugins();
  await plane.close();
});

const invoke = (name: string, args: Values = {}) => plugin.invoke(`keyplane:index:${name}`, args);

describe("the data sources", () => {
  test("find keys by id and by name, without their secrets", async () => {
    const { id, key } = await plane.state.createKey("wanted");
    const wanted = { id: String(id), name: "wanted" };
    expect(await invoke("getApiKey", { id: String(id) })).toMatchObject(wanted);
    expect(await invoke("getApiKey", { name: "wanted" })).toMatchObject(wanted);
    const all = await invoke("getApiKeys");
    expect(Object.keys(all)).toEqual(["items"]);
    expect(all.items).toContainEqual(expect.objectContaining(wanted));
    expect(JSON.stringify(all)).not.toContain(key);
  });

  test("find projects and their operations, and wait for them", async () => {
    const { id: projectId } = await plane.state.createProject({ name: "shop" });
    const { ids } = await plane.state.startOperations({
      projectId,
      action: "apply_config",
      schedulingMs: 0,
      runningMs: 0,
    });
    expect(await invoke("getProject", { name: "shop" })).toMatchObject({ id: projectId });
    expect((await invoke("getProjects", { organizationId: "org-other" })).items).toEqual([]);
    expect((await invoke("getProjects")).items).toContainEqual(
      expect.objectContaining({ id: projectId, name: "shop" }),
    );
    const done = await invoke("waitForOperations", { projectId, operationIds: ids });
    expect(done.items).toMatchObject([{ id: ids[0], status: "finished" }]);
    expect(await invoke("getOperation", { projectId, operationId: ids[0] })).toMatchObject({ action: "apply_config" });
    const operations = await invoke("getOperations", { projectId, action: "apply_config", limit: 5 });
    expect(operations.items).toMatchObject([{ id: ids[0] }]);
  });

  test("take an argument that is null as absent", async () => {
    expect(await invoke("getApiKeys", { organizationId: null })).toHaveProperty("items");
  });

  test("show what they wait for", async () => {
    const { id: projectId } = await plane.state.createProject();
    await plane.clock.set({ mode: "auto", stepMs: 60_000 });
    await plane.state.startOperations({ projectId, action: "start_compute" });
    const other = await PluginUnderTest.start(plane, { config: { pollInterval: "1s" } });
    await other.invoke("keyplane:index:waitForOperations", { projectId });
    expect(other.logged).toMatchObject(
      [{ urn: "", ephemeral: true, message: /waiting for start_compute/ }].map((log) => ({
        ...log,
        message: expect.stringMatching(log.message),
      })),
    );
  });
});

describe("a call of a data source fails", () => {
  test("for a function that does not exist, and names those that do", async () => {
    for (const name of ["getBucket", "constructor", "toString"]) {
      const failure = await failureOf(invoke(name));
      expect(failure).toMatch(
        /is not a function of keyplane; its functions are getApiKey, .*waitForOperations \[KP-INPUT\]$/,
      );
    }
  });

  test("for an argument that does not exist, and names those that do", async () => {
    expect(await failureOf(invoke("getApiKey", { nme: "x" }))).toMatch(
      /^getApiKey: nme: .* id, name, organizationId\. Did you mean name\? \[KP-INPUT\]$/,
    );
    expect(await failureOf(invoke("getProjects", { onWarning: "x" }))).toContain(
      "Its arguments are organizationId [KP-INPUT]",
    );
  });

  test("for a value that is not valid, before any request", async () => {
    const before = await plane.count();
    expect(await failureOf(invoke("getApiKey"))).toMatch(/\[KP-INPUT\]$/);
    expect(await failureOf(invoke("getOperations", { projectId: "../7" }))).toMatch(/projectId.*\[KP-INPUT\]$/);
    expect(await plane.count()).toBe(before);
  });

  test("with what was not found, without the arguments, any of which can be a secret of the program", async () => {
    expect(await failureOf(invoke("getApiKey", { name: "nobody" }))).toMatch(/^getApiKey: .* name.* \[KP-NOT-FOUND\]$/);
    const projectId = "hunter-2-1a2b3c";
    const operationId = "d8ac46eb-a757-42b1-9907-f78322ee394e";
    for (const [name, args] of [
      ["getProject", { id: projectId }],
      ["getProject", { name: projectId }],
      ["getApiKeys", { organizationId: projectId }],
      ["getOperations", { projectId }],
      ["getOperation", { projectId, operationId }],
    ] as const) {
      const failure = await failureOf(invoke(name, args));
      expect(failure).toMatch(/\[KP-/);
      expect(failure).not.toContain(projectId);
      expect(failure).not.toContain(operationId);
    }
    expect(await failureOf(invoke("getOperations", { projectId }))).toContain(
      "GET /projects/[projectId]/operations at",
    );
  });

  test("without a secret in the error, even if the service repeats it", async () => {
    await plane.rules.add({ route: "*", status: 400, body: { message: `no ${plane.apiKey}` } });
    const failure = await failureOf(invoke("getApiKeys"));
    expect(failure).toMatch(/^getApiKeys: GET \/api_keys.*400.*\[secret\]/);
    expect(failure).not.toContain(plane.apiKey);
  });

  test("with what is wrong with the configuration", async () => {
    const other = await PluginUnderTest.start(plane, { configured: false });
    await other.configure({ baseUrl: plane.url });
    expect(await failureOf(other.invoke("keyplane:index:getProjects", {}))).toMatch(
      /keyplane:apiKey .* \[KP-CONFIG\]$/,
    );
  });
});
