import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pluginFolder } from "../plugin-folder";
import { POST } from "../routes";
import { ON_CLI, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let run: StackUnderTest;

/** What an SDK of `pulumi package add` does, after the import that keeps secrets out of debug messages. */
const HEAD = `
require("keyplane");
const pulumi = require("@pulumi/pulumi");
class Key extends pulumi.CustomResource {
  constructor(kind, name, args, options) {
    super("keyplane:index:" + kind, name, { key: undefined, ...args }, options);
  }
}
class Provider extends pulumi.ProviderResource {
  constructor(name, args) {
    super("keyplane", name, args);
  }
}
`;

/** A stack whose program uses the plugin. */
async function deployable(program: string): Promise<StackUnderTest> {
  const options = { plugins: { keyplane: pluginFolder() }, config: { url: plane.url } };
  return StackUnderTest.of(plane, { "index.js": HEAD + program }, options);
}

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

describe.skipIf(!ON_CLI)(
  "on the Pulumi CLI (the embedded engine has no explicit providers, no functions, no imports and no --target)",
  () => {
    test("a program creates keys with an explicit provider, reads data sources with it, and shows no secret in debug messages", async () => {
      await plane.state.createProject({ name: "shop", regionId: "test-1" });
      run = await deployable(`
    const config = new pulumi.Config();
    const credential = config.requireSecret("credential");
    const importKeys = pulumi.jsonStringify({ 1: credential });
    const concurrency = config.getNumber("concurrency");
    const provider = new Provider("eu", { baseUrl: config.require("url"), apiKey: credential, importKeys, concurrency });
    const read = (name, args) => pulumi.runtime.invoke("keyplane:index:" + name, args, { provider });
    exports.key = new Key("ApiKey", "ci", { rotateAfter: "90d" }, { provider }).key;
    exports.current = new Key("RotatingApiKey", "app", { rotateAfter: "30d", gracePeriod: "2d" }, { provider }).key;
    exports.region = read("getProject", { name: "shop" }).then(({ regionId }) => regionId);
  `);
      await run.workspace.setConfig("credential", plane.apiKey, { secret: true });
      await run.run("up");
      expect(await run.workspace.outputs()).toEqual({ key: "[secret]", current: "[secret]", region: "test-1" });
      await run.runIdle("up");
      await run.run("refresh");
      await run.workspace.setConfig("concurrency", "3");
      expect((await run.run("up")).changes).toEqual(["update eu"]);
      expect(await run.workspace.secretsInClear()).toEqual([]);
      await run.destroy();
    });

    test("the option import takes over a key, and a targeted run leaves out the other keys", async () => {
      const { id, key } = await plane.state.createKey("made-by-hand");
      run = await deployable(`exports.key = new Key("ApiKey", "ci", {}, { import: "${id}" }).key;`);
      await run.workspace.setConfig("keyplane:importKeys", JSON.stringify({ [id]: key }), { secret: true });
      expect(await run.requestsOf(() => run.run("up"))).not.toContain(POST);
      expect((await run.workspace.outputs({ showSecrets: true })).key).toBe(key);
      const keys = '["ci", "more", "last"].map((name) => new Key("ApiKey", name));';
      await run.workspace.setProgram({ "index.js": HEAD + keys });
      expect((await run.run("up", { args: ["--target", "**::more"] })).changes).toEqual(["create more"]);
      expect(await plane.liveKeys()).toHaveLength(2);
      await run.destroy();
    });

    test("a program takes over a key that pulumi import has imported, and the next run changes nothing", async () => {
      run = await deployable('exports.key = new Key("ApiKey", "ci").key;');
      const { id, key } = await plane.state.createKey("made-by-hand");
      await run.workspace.setConfig("keyplane:importKeys", JSON.stringify({ [id]: key }), { secret: true });
      const words = ["import", "--yes", "--skip-preview", "--generate-code=false", "--protect=false"];
      await run.workspace.command([...words, "keyplane:index:ApiKey", "ci", String(id)]);
      expect(await run.requestsOf(() => run.run("up"))).not.toContain(POST);
      expect((await run.workspace.outputs({ showSecrets: true })).key).toBe(key);
      await run.runIdle("up");
      await run.destroy();
    });
  },
);
