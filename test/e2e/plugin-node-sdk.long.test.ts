import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pluginFolder } from "../plugin-folder";
import { ExampleRun } from "./run-example";
import { messagesOf, ON_CLI } from "./stack-under-test";

let plane: ControlPlane;
let run: ExampleRun;

const TSCONFIG = JSON.stringify({
  compilerOptions: { strict: true, target: "es2022", module: "nodenext", types: ["node"], noEmit: true },
});

/** A stack whose program uses the SDK in the npm package. */
async function deployable(program: string): Promise<ExampleRun> {
  const options = { plugins: { keyplane: pluginFolder() }, config: { url: plane.url } };
  return ExampleRun.create(plane, { "index.ts": program, "tsconfig.json": TSCONFIG }, options);
}

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

test("a program creates keys with an explicit provider, reads data sources with it, and shows no secret in debug messages", async () => {
  const { id } = await plane.state.createProject({ name: "shop", regionId: "test-1" });
  run = await deployable(`
    import * as pulumi from "@pulumi/pulumi";
    import { ApiKey, getApiKeysOutput, getProject, Provider, ProjectReady, RotatingApiKey } from "keyplane/plugin";

    const config = new pulumi.Config();
    const provider = new Provider("eu", {
      baseUrl: config.require("url"),
      apiKey: config.requireSecret("credential"),
      concurrency: 4,
      importKeys: { "1": config.requireSecret("credential") },
    });
    const ready = new ProjectReady("shop", { projectId: "${id}" }, { provider });
    const ci = new ApiKey("ci", { rotateAfter: "90d" }, { provider, dependsOn: ready });
    const app = new RotatingApiKey("app", { rotateAfter: "30d", gracePeriod: "2d" }, { provider });
    const keys = getApiKeysOutput({}, { provider, dependsOn: [ci, app] });

    export const isKey = ApiKey.isInstance(ci) && !ApiKey.isInstance(app) && Provider.isInstance(provider);
    export const key = ci.key;
    export const current = app.key;
    export const listed = keys.items.apply((all) => all.length);
    export const region = getProject({ name: "shop" }, { provider }).then(({ regionId }) => regionId);
  `);
  await run.workspace.setConfig("credential", plane.apiKey, { secret: true });
  await run.run("up");
  // The key of the account itself is live, too.
  expect(await run.workspace.outputs()).toEqual({
    isKey: true,
    key: "[secret]",
    current: "[secret]",
    listed: 3,
    region: "test-1",
  });
  await run.runIdle("up");
  await run.run("refresh");
  expect(await run.workspace.secretsInClear()).toEqual([]);
  await run.destroy();
});

describe.skipIf(!ON_CLI)("on the Pulumi CLI (the embedded engine has no command import)", () => {
  test("a program takes over a key that pulumi import has imported, and the next run changes nothing", async () => {
    run = await deployable(`
      import { ApiKey } from "keyplane/plugin";
      export const key = new ApiKey("ci").key;
    `);
    const { id, key } = await plane.state.createKey("made-by-hand");
    await run.workspace.setConfig("keyplane:importKeys", JSON.stringify({ [id]: key }), { secret: true });
    const words = ["import", "--yes", "--skip-preview", "--generate-code=false", "--protect=false"];
    await run.workspace.command([...words, "keyplane:index:ApiKey", "ci", String(id)]);
    expect(await run.requestsOf(() => run.run("up"))).not.toContain("POST /api_keys");
    expect((await run.workspace.outputs({ showSecrets: true })).key).toBe(key);
    await run.runIdle("up");
    await run.destroy();
  });
});

test("a misspelled input is refused with its name, instead of being left out", async () => {
  run = await deployable(`
    import { ApiKey, type ApiKeyArgs } from "keyplane/plugin";
    new ApiKey("ci", { rotateAftr: "90d" } as ApiKeyArgs);
  `);
  const refused = await run.run("up", { mayFail: true });
  expect(refused.exit).not.toBe(0);
  expect(messagesOf(refused)).toContain("rotateAftr");
  expect(await plane.liveKeys()).toEqual([]);
});
