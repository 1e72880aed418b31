import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

/** Keys in a component that passes its options on to them, and one key of its own, which nothing keeps. */
const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const { ApiKey, RotatingApiKey } = require("keyplane");
const { Consumer } = require("consumer");

const config = new pulumi.Config();
const cluster = new Consumer("cluster", { keyId: "none", reportTo: config.require("reportTo") });
class Part extends pulumi.ComponentResource {
  constructor(name, options) {
    super("test:Part", name, {}, options);
    this.key = new ApiKey(name + "-key", {}, { parent: this });
    const inner = new pulumi.ComponentResource("test:Inner", name + "-inner", {}, { parent: this });
    this.app = new RotatingApiKey(name + "-app", {}, { parent: inner });
  }
}
const options = config.getObject("options") ?? {};
const kept = new Part("kept", { ...options, ...(config.getBoolean("deletedWith") && { deletedWith: cluster }) });
new ApiKey("plain");
exports.ids = [kept.key.keyId, kept.app.keyId];
`;

let plane: ControlPlane;
let example: ExampleRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

async function start(config: Readonly<Record<string, string>>): Promise<string[]> {
  const packages = { consumer: join(__dirname, "consumer") };
  const options = { packages, config: { reportTo: plane.url, ...config } };
  example = await ExampleRun.create(plane, { "index.js": PROGRAM }, options);
  await example.run("up");
  return ((await example.workspace.outputs()).ids as string[]).sort();
}

const live = async () => (await plane.liveKeys()).map(({ id }) => String(id)).sort();

/** What a destroy says about each key that it leaves live. */
async function destroy(...args: string[]): Promise<{ readonly exit: number | null; readonly said: string }> {
  const { exit, stdout, stderr } = await example.run("destroy", { mayFail: true, args });
  return { exit, said: stdout + stderr };
}

test.each([
  ["deletedWith", { deletedWith: "true" }],
  ["retainOnDelete", { options: '{"retainOnDelete":true}' }],
])(
  "a destroy names every key that the %s of a component keeps, with the reason, and revokes the others",
  async (option, config) => {
    const kept = await start(config);
    const { exit, said } = await destroy();
    expect(exit).toBe(0);
    expect(await live()).toEqual(kept);
    for (const id of kept) expect(said).toMatch(new RegExp(`key ${id} .*stays live: .*${option}`));
  },
);

test("a repeated destroy does not revoke keys that a component's retainOnDelete keeps, and names them again", async () => {
  const kept = await start({ options: '{"retainOnDelete":true}' });
  await plane.rules.add({ route: "GET /api_keys", status: 500, count: null });
  expect((await destroy()).exit).not.toBe(0);
  expect((await destroy()).exit).not.toBe(0);
  await plane.rules.clear();
  const { exit, said } = await destroy();
  expect(exit).toBe(0);
  expect(await live()).toEqual(kept);
  for (const id of kept) expect(said).toMatch(new RegExp(`key ${id} `));
});

test("keys that a component's protect keeps stay live through destroys and the runs after them", async () => {
  const kept = await start({ options: '{"protect":true}' });
  expect((await destroy()).exit).not.toBe(0);
  expect((await destroy("--exclude-protected")).exit).toBe(0);
  expect(await live()).toEqual(kept);
  await example.run("up");
  await example.run("up", { args: ["--refresh"] });
  expect(await live()).toEqual(expect.arrayContaining(kept));
  expect(await live()).toHaveLength(3);
  expect((await destroy("--exclude-protected")).exit).toBe(0);
  expect(await live()).toEqual(kept);
});

test("a key that inherits retainOnDelete from any parent stays live, although only a failed run has handed it out", async () => {
  const program = `
const { ApiKey } = require("keyplane");
const { Consumer } = require("consumer");
const reportTo = new (require("@pulumi/pulumi").Config)().require("reportTo");
const cluster = new Consumer("cluster", { keyId: "none", reportTo }, { retainOnDelete: true });
const key = new ApiKey("kept", {}, { parent: cluster });
new Consumer("app", { keyId: key.keyId, reportTo, fail: true });
`;
  const options = { packages: { consumer: join(__dirname, "consumer") }, config: { reportTo: plane.url } };
  example = await ExampleRun.create(plane, { "index.js": program }, options);
  expect((await example.run("up", { mayFail: true })).exit).not.toBe(0);
  const kept = await live();
  expect(kept).toHaveLength(1);
  const { exit, said } = await destroy();
  expect(exit).toBe(0);
  expect(await live()).toEqual(kept);
  expect(said).toMatch(new RegExp(`key ${kept} .*because it was used`));
});
