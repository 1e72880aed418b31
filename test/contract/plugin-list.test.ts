import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { LIST } from "../routes";
import { failureOf, PluginUnderTest, stopPlugins } from "./plugin-harness";

let plane: ControlPlane;
let plugin: PluginUnderTest;

beforeEach(async () => {
  plane = await startControlPlane();
  plugin = await PluginUnderTest.start(plane, { configured: false });
  const account = { baseUrl: plane.url, apiKey: plane.apiKey };
  await plugin.configure(account, "urn:pulumi:dev::default::pulumi:providers:keyplane::");
});

afterEach(async () => {
  await stopPlugins();
  await plane.close();
});

describe("a list of what exists", () => {
  test.each(["ApiKey", "RotatingApiKey"])("of %s has the ids and the names of the live keys", async (kind) => {
    const made = [await plane.state.createKey("one"), await plane.state.createKey("two")];
    const found = await plugin.list(kind);
    for (const [at, { id, key }] of made.entries()) {
      expect(found).toContain(`${id} ${["one", "two"][at]}`);
      expect(found.join()).not.toContain(key);
    }
  });

  test("comes in pages", async () => {
    for (const name of ["one", "two"]) await plane.state.createKey(name);
    const all = await plugin.list("ApiKey");
    const first = await plugin.list("ApiKey", {}, { size: 2 });
    expect(first).toEqual([...all.slice(0, 2), "more 2"]);
    expect(await plugin.list("ApiKey", {}, { size: 2, after: "2" })).toEqual(all.slice(2));
    expect(await plugin.list("ApiKey", {}, { limit: 1 })).toEqual(all.slice(0, 1));
  });

  test("of ProjectReady has the ids of the projects", async () => {
    const { id } = await plane.state.createProject();
    expect((await plugin.list("ProjectReady")).map((each) => each.split(" ")[0])).toContain(id);
    expect(await plugin.list("ProjectReady", { organizationId: "org-other" })).toEqual([]);
  });

  test("fails with a message if the service refuses it, or if an argument is not known", async () => {
    expect(await failureOf(plugin.list("ApiKey", { color: "red" }))).toMatch(/color.*\[KP-INPUT\]/);
    expect(await failureOf(plugin.list("ApiKey", { organizationId: ["org-a"] }))).toMatch(
      /organizationId.*\[KP-INPUT\]/,
    );
    await plane.rules.add({ route: LIST, count: null, status: 403 });
    expect(await failureOf(plugin.list("ApiKey"))).toMatch(/list keyplane:index:ApiKey.*403/);
  });
});
