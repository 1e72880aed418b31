import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endProcesses } from "../../testing/workspace/processes";
import { POST } from "../routes";
import { ON_CLI, StackUnderTest } from "./stack-under-test";

let home: ControlPlane;
let eu: ControlPlane;
let run: StackUnderTest;

beforeEach(async () => {
  const open = () => startControlPlane({ clock: { mode: "real" } });
  [home, eu] = await Promise.all([open(), open()]);
});

afterEach(async () => {
  await run.workspace.remove();
  await Promise.all([home.close(), eu.close()]);
});

const program = (body: string) => ({
  "index.js": `const { ApiKey, RotatingApiKey } = require("keyplane");\nconst { Consumer } = require("consumer");\n${body}\n`,
});

/** A stack with the control plane `home` in its settings, and with `eu` as a named account. */
async function start(body: string): Promise<void> {
  const accounts = JSON.stringify({ eu: { baseUrl: eu.url, apiKey: eu.apiKey } });
  run = await StackUnderTest.of(home, program(body), {
    packages: { consumer: join(__dirname, "consumer") },
    secretConfig: { "keyplane:accounts": accounts },
  });
}

const idsAt = async (plane: ControlPlane) => (await plane.liveKeys()).map(({ id }) => id).sort();

/** The number of each request that the action sends to each of the two control planes. */
async function counted(work: () => Promise<unknown>): Promise<Record<string, number>[]> {
  const before = await Promise.all([home, eu].map(async (plane) => (await plane.log()).length));
  await work();
  return Promise.all(
    [home, eu].map(async (plane, at) => {
      const counts: Record<string, number> = {};
      for (const { method, route } of await plane.log({ since: before[at] ?? 0 })) {
        counts[`${method} ${route}`] = (counts[`${method} ${route}`] ?? 0) + 1;
      }
      return counts;
    }),
  );
}

test("a key that a killed run left in a named account is revoked there by the next run, and nowhere else", async () => {
  // In this order, because a kill during a write leaves a state that Pulumi cannot read.
  await start('const home = new ApiKey("home");\nnew ApiKey("abroad", { account: "eu" }, { dependsOn: home });');
  await eu.rules.add({ route: POST, hold: "after" });
  const { done } = run.workspace.start("up");
  await eu.held.wait(1, 60_000);
  endProcesses(run.workspace.processes());
  await done;
  await run.workspace.cancel();
  await Promise.all([home, eu].map(({ clock }) => clock.advance(600_000)));
  const [orphan] = await idsAt(eu);
  await run.run("up");
  expect(await idsAt(eu)).toEqual([expect.any(Number)]);
  expect(await idsAt(eu)).not.toContain(orphan);
  expect(await idsAt(home)).toHaveLength(1);
  await run.destroy();
  expect(await eu.liveKeys()).toEqual([]);
});

test("a key that moves to another account and back is created there, passed on, and then revoked in the old account", async () => {
  const keys = (account: string) => `
const key = new ApiKey("ci", ${account});
new Consumer("app", { keyId: key.keyId, reportTo: "${home.url}", fail: false });`;
  const moved = '{ account: "eu" }';
  await start(keys("{}"));
  await run.run("up");
  const [first] = await home.liveKeys();
  const strangers = await Promise.all([home, eu].map((plane) => plane.state.createKey("by-hand")));
  const since = (await home.log()).length;

  await run.workspace.setProgram(program(keys(moved)));
  expect((await run.run("up")).changes).toContain("create-replacement ci");
  expect(await idsAt(home)).toEqual([strangers[0]?.id]);
  const inEu = (await idsAt(eu)).filter((id) => id !== strangers[1]?.id);
  expect(inEu).toHaveLength(1);
  const told = (await home.log({ since })).map(({ query, effects: [effect] }) => {
    return effect?.kind === "key-revoked" ? `revoked ${effect.id}` : query;
  });
  expect(told.filter((each) => each !== "")).toEqual([`holds=${inEu[0]}`, `revoked ${first?.id}`]);
  expect(await counted(() => run.runIdle("up"))).toEqual([{}, {}]);

  await run.workspace.setProgram(program(keys("{}")));
  await run.run("up");
  expect(await idsAt(eu)).toEqual([strangers[1]?.id]);
  expect(await idsAt(home)).toHaveLength(2);
  await run.run("destroy");
  expect([await idsAt(home), await idsAt(eu)]).toEqual([[strangers[0]?.id], [strangers[1]?.id]]);
});

test.skipIf(!ON_CLI)(
  "two explicit providers of the plugin create keys in two accounts, and each looks only after its own (the embedded engine has none)",
  async () => {
    const providers = (n: number) => `
const providers = ["home", "eu"].map((name) => {
  const settings = config.requireSecretObject(name);
  return new Provider(name, { baseUrl: settings.baseUrl, apiKey: settings.apiKey });
});
exports.keys = providers.map((provider, at) => {
  return new ApiKey("key-" + at, { rotationTriggers: { n: "${n}" } }, { provider }).key;
});`;
    const settings = ({ url, apiKey }: ControlPlane) => JSON.stringify({ baseUrl: url, apiKey });
    const secretConfig = { home: settings(home), eu: settings(eu) };
    const stack = await StackUnderTest.create("plugin", home, providers(1), { secretConfig });
    run = stack;
    await stack.up();
    const { keys } = (await run.workspace.outputs({ showSecrets: true })) as { keys: string[] };
    const statuses = [home, eu].map(async ({ url }, at) => {
      const headers = { authorization: `Bearer ${keys[at]}` };
      return (await fetch(`${url}/projects?limit=1`, { headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 200]);
    await stack.deploy(providers(2));
    expect([await idsAt(home), await idsAt(eu)].map(({ length }) => length)).toEqual([1, 1]);
    await run.destroy();
    expect(await eu.liveKeys()).toEqual([]);
  },
);
