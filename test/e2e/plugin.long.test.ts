import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { messagesOf, PluginRun } from "./plugin-run";

const POST = "POST /api_keys";
const DELETE = "DELETE /api_keys/{key_id}";
const LIST = "GET /api_keys";

let plane: ControlPlane;
let stack: PluginRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.run.workspace.remove();
  await plane.close();
});

const state = async () => (await stack.run.workspace.exportState()).deployment.resources ?? [];
const resource = async (type: string) => (await state()).find((each) => each.type === type);

test("a preview and a run without a change send nothing, N keys take N POST and one list, and a refresh takes one list", async () => {
  const count = 5;
  stack = await PluginRun.create(
    plane,
    `exports.keys = Array.from({ length: ${count} }, (_, at) => new ApiKey("key" + at, { rotateAfter: "30d" }).key);`,
  );
  const { run } = stack;
  expect(await stack.countsOf(() => run.run("preview"))).toEqual({});
  expect(await stack.countsOf(() => stack.up())).toEqual({ [POST]: count, [LIST]: 1 });
  expect(await stack.countsOf(() => run.runIdle("up"))).toEqual({});
  expect(await stack.countsOf(() => run.runIdle("preview"))).toEqual({});
  expect(await stack.countsOf(() => run.runIdle("refresh"))).toEqual({ [LIST]: 1 });
  expect(await run.workspace.outputs()).toEqual({ keys: Array(count).fill("[secret]") });
  expect(await stack.countsOf(() => run.destroy())).toEqual({ [DELETE]: count, [LIST]: 1 });
});

test("a key that is not ready in time is saved with its secret, and the next run waits on and creates no other", async () => {
  stack = await PluginRun.create(plane, 'consumer("app", new ApiKey("ci", { operationTimeout: "60s" }));');
  await plane.rules.add({ route: POST, operations: [{ action: "apply_config", runningMs: null }] });
  const unready = await stack.up({ mayFail: true });
  expect(unready.exit).not.toBe(0);
  expect(messagesOf(unready)).toContain("The key is saved with its secret");
  expect(await stack.history()).toEqual([expect.stringMatching(/^made /)]);
  const [operation] = (await plane.log()).flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === "operation-started" ? [effect.operationId] : [])),
  );
  await plane.state.endOperation(operation ?? "");
  await stack.up();
  const [key] = await stack.live();
  expect(await stack.history()).toEqual([`made ${key}`, `holds ${key}`]);
  await stack.run.runIdle("up");
  await stack.run.destroy();
});

test.each(["before", "after"] as const)(
  "C9: a kill of everything while the service holds the POST %s it takes effect leaves one key after the next run",
  async (hold) => {
    stack = await PluginRun.create(plane, 'exports.id = new ApiKey("ci").keyId;');
    const { workspace } = stack.run;
    await plane.rules.add({ route: POST, hold });
    const { done, kill } = workspace.start("up");
    await plane.held.wait(1, 60_000);
    const plugins = stack.plugins();
    kill();
    for (const pid of plugins) process.kill(pid, "SIGKILL");
    await done;
    await workspace.cancel();
    const left = await stack.live();
    expect(left).toHaveLength(hold === "after" ? 1 : 0);
    await stack.up();
    const [key, ...others] = await stack.live();
    expect(others).toEqual([]);
    expect(left).not.toContain(key);
    expect((await workspace.outputs()).id).toBe(key);
    await stack.run.destroy();
  },
);

// The embedded engine has no plans.
test.skipIf(process.env.KEYPLANE_ENGINE !== "cli")(
  "the first up of a stack keeps to its plan, from a file and in memory, and so does a rotation",
  async () => {
    const program = `
      const inputs = { rotationTriggers: { n: config.get("n") ?? "1" } };
      const account = new pulumi.Config("keyplane");
      const settings = { baseUrl: account.require("baseUrl"), apiKey: account.requireSecret("apiKey") };
      new ApiKey("ci", inputs);
      new RotatingApiKey("app", inputs, { provider: new Provider("explicit", settings) });`;
    stack = await PluginRun.create(plane, program);
    const { run } = stack;
    const plan = join(run.workspace.directory, "plan.json");
    await run.run("preview", { args: ["--save-plan", plan] });
    await stack.up({ args: ["--plan", plan] });
    await run.destroy();
    await run.run("up", { args: ["--strict"], previewFirst: true });
    expect(await stack.live()).toHaveLength(2);
    await run.workspace.setConfig("n", "2");
    await run.run("up", { args: ["--strict"], previewFirst: true });
    await run.destroy();
  },
);

test("an import takes over a key with its secret from the configuration, and the next run changes nothing", async () => {
  stack = await PluginRun.create(plane, 'exports.key = new ApiKey("ci").key;');
  const { run } = stack;
  const { id, key } = await plane.state.createKey("made-by-hand");
  await run.workspace.setConfig("keyplane:importKeys", JSON.stringify({ [id]: key }), { secret: true });
  await run.workspace.import("keyplane:index:ApiKey", "ci", String(id));
  const requests = await stack.countsOf(() => stack.up());
  expect(requests[POST]).toBeUndefined();
  expect(await stack.live()).toEqual([String(id)]);
  expect((await run.workspace.outputs({ showSecrets: true })).key).toBe(key);
  await run.runIdle("up");
  await run.run("destroy", { args: ["--ignore-protect"] });
  expect(await stack.live()).toEqual([]);
  await run.expectNoSecrets();
});

test("two explicit providers create keys in two accounts, and each looks only after its own", async () => {
  const other = await startControlPlane({ clock: { mode: "real" } });
  try {
    stack = await PluginRun.create(
      plane,
      `
      const provider = (name) => {
        const settings = config.requireSecretObject(name);
        return new Provider(name, { baseUrl: settings.baseUrl, apiKey: settings.apiKey });
      };
      for (const name of ["here", "there"]) {
        exports[name] = new ApiKey(name, { rotationTriggers: { n: config.get("n") ?? "1" } }, { provider: provider(name) }).key;
      }`,
    );
    const { workspace } = stack.run;
    const accounts = { here: plane, there: other };
    for (const [name, { url, apiKey }] of Object.entries(accounts)) {
      await workspace.setConfig(name, JSON.stringify({ baseUrl: url, apiKey }), { secret: true });
    }
    await stack.up();
    const outputs = await workspace.outputs({ showSecrets: true });
    for (const [name, { url }] of Object.entries(accounts)) {
      const headers = { authorization: `Bearer ${outputs[name]}` };
      expect((await fetch(`${url}/projects?limit=1`, { headers })).status, name).toBe(200);
    }
    await workspace.setConfig("n", "2");
    await stack.up();
    expect([await stack.live(), await other.liveKeys()].map(({ length }) => length)).toEqual([1, 1]);
    await stack.run.destroy();
    expect(await other.liveKeys()).toEqual([]);
  } finally {
    await other.close();
  }
});

test("in another account, nothing is created, revoked or forgotten", async () => {
  const away = await startControlPlane({ clock: { mode: "real" } });
  try {
    const program = (trigger: string) => `new ApiKey("ci", { rotationTriggers: { n: "${trigger}" } });`;
    stack = await PluginRun.create(plane, program("1"));
    const { workspace } = stack.run;
    await stack.up();
    const [key] = await stack.live();
    const connect = async ({ url, apiKey }: ControlPlane) => {
      await workspace.setConfig("keyplane:baseUrl", url);
      await workspace.setConfig("keyplane:apiKey", apiKey, { secret: true });
    };
    await connect(away);
    await stack.setProgram(program("2"));
    const refused = [
      await stack.up({ mayFail: true }),
      await stack.up({ mayFail: true, args: ["--refresh"] }),
      await stack.run.run("destroy", { mayFail: true, args: ["--refresh"] }),
    ];
    for (const { exit, ...run } of refused) {
      expect(exit).not.toBe(0);
      expect(messagesOf({ exit, ...run })).toContain("KP-WRONG-ACCOUNT");
    }
    expect((await away.log()).flatMap(({ effects }) => effects)).toEqual([]);
    expect(await stack.live()).toEqual([key]);
    expect((await resource("keyplane:index:ApiKey"))?.id).toBe(key);
    await connect(plane);
    await stack.up();
    await stack.run.destroy();
  } finally {
    await away.close();
  }
});

test("a key of the dynamic provider moves to the plugin by an alias, without a request that changes a key", async () => {
  stack = await PluginRun.create(
    plane,
    `
    const keyplane = require("keyplane");
    consumer("app", new keyplane.ApiKey("ci"));
    consumer("worker", new keyplane.RotatingApiKey("app"));`,
  );
  await stack.up();
  const keys = await stack.live();
  await stack.setProgram(`
    const from = (name) => ({ aliases: [{ type: "pulumi-nodejs:dynamic/keyplane:" + name }] });
    const args = config.get("n") === undefined ? {} : { rotationTriggers: { n: config.get("n") } };
    consumer("app", new ApiKey("ci", args, from("ApiKey")));
    consumer("worker", new RotatingApiKey("app", {}, from("RotatingApiKey")));`);
  const moved = await stack.countsOf(() => stack.up());
  expect([moved[POST], moved[DELETE]]).toEqual([undefined, undefined]);
  expect(await stack.live()).toEqual(keys);
  expect((await state()).map(({ type }) => type).filter((type) => type.includes("dynamic/keyplane"))).toEqual([]);
  await stack.run.runIdle("up");
  await stack.run.destroy();
});
