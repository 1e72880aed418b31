import { channel } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { compiledModule } from "../../testing/engine/package-root";
import type { KillPointMessage } from "../../testing/engine/provider/kill-points";
import { inBrief, onlyCall, PluginStack } from "./plugin-stack";

let stack: PluginStack;

afterEach(() => stack.remove());

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until the plugin has received a call. Returns all calls until then. */
async function callOf(method: string) {
  const calls = [];
  for (let tries = 0; tries < 1000; tries++) {
    calls.push(...stack.newCalls());
    if (calls.some((call) => call.method === method)) return calls;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`no ${method} in ${inBrief(calls).join()}`);
}

test("Ctrl+C tells the plugin, which finishes the creation, and the resource is recorded", async () => {
  stack = await PluginStack.create('const a = new Thing("a", { slow: 60000 }); new Thing("b", { size: a.token });');
  const run = stack.workspace.start("up", { env: stack.env() });
  const calls = await callOf("Create");
  run.kill("SIGINT");
  const { exit } = await run.done;
  expect(exit).not.toBe(0);
  calls.push(...stack.newCalls());
  expect(calls.filter(({ method }) => method === "Cancel")).toHaveLength(2);
  expect(inBrief(calls)).not.toContain("Create b");
  expect((await stack.state()).a?.id).toBe("a-1");
  expect(isAlive(onlyCall(calls, "Create").pid)).toBe(false);
});

test("a killed engine leaves its plugin running, and a pending operation in the state", async () => {
  stack = await PluginStack.create('new Thing("a", { slow: 1000 });');
  const run = stack.workspace.start("up", { env: stack.env() });
  const calls = await callOf("Create");
  run.kill("SIGKILL");
  await run.done;
  const { pid } = onlyCall(calls, "Create");
  expect(isAlive(pid)).toBe(true);
  expect(stack.workspace.processes()).toContain(pid);
  const { deployment } = await stack.workspace.exportState();
  expect(deployment.pending_operations?.map(({ type, resource }) => [type, resource.urn.split("::").at(-1)])).toEqual([
    ["creating", "a"],
  ]);
});

test("a plugin that asks the engine for the state sees what was created, and its own creation as pending", async () => {
  stack = await PluginStack.create(`
    const a = new Thing("a", { size: 1 });
    new Thing("b", { size: a.token, exports: true });
    exports.asks = process.env.KEYPLANE_PULUMI ?? "pulumi";
  `);
  const { calls } = await stack.run("up");
  const { resources, pending } = onlyCall(calls, "Export");
  expect(resources).toMatchObject([
    { urn: "probe:index:Thing::a", id: "a-1" },
    { urn: expect.stringContaining("dev") },
  ]);
  expect(pending).toMatchObject([{ type: "creating", urn: "probe:index:Thing::b", inputs: { exports: true } }]);
  // The program can ask, too.
  const command = stack.workspace.engine === "cli" ? "pulumi" : compiledModule("engine", "main.js");
  expect(await stack.workspace.outputs()).toEqual({ asks: command });
});

test("what a plugin prints is not shown, unless it ends before the run does", async () => {
  stack = await PluginStack.create('new Thing("a", {});');
  const world = { printed: "printed by the plugin" };
  const quiet = await stack.run("up", { world });
  expect(quiet.exit).toBe(0);
  expect(quiet.stdout + quiet.stderr).not.toContain("printed by the plugin");
  const lost = await stack.run("destroy", { world: { ...world, endsOn: "delete" } });
  expect(lost.exit).not.toBe(0);
  const messages = lost.diagnostics.map(({ message }) => message).join("\n");
  expect(messages).toMatch(/exited prematurely.*printed by the plugin/s);
});

test("a plugin that is missing or does not start fails the run with the name of the plugin", async () => {
  stack = await PluginStack.create('new Thing("a", {});', { plugins: false });
  const missing = await stack.run("up", { env: { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true" } });
  expect(missing.exit).not.toBe(0);
  expect(missing.diagnostics.map(({ message }) => message).join("\n")).toMatch(/plugin .*probe/);

  const { programDirectory } = stack.workspace;
  const file = join(programDirectory, "pulumi-resource-probe");
  writeFileSync(file, "#!/bin/sh\necho the reason >&2\nexit 3\n", { mode: 0o755 });
  const runtime = "runtime: { name: nodejs, options: { typescript: false } }";
  const plugins = "plugins: { providers: [{ name: probe, path: . }] }";
  writeFileSync(join(programDirectory, "Pulumi.yaml"), `name: proj\n${runtime}\n${plugins}\n`);
  const broken = await stack.run("up");
  expect(broken.exit).not.toBe(0);
  const messages = broken.diagnostics.map(({ message }) => message).join("\n");
  expect(messages).toContain(file);
  expect(messages).toContain("the reason");
});

test.skipIf(process.env.KEYPLANE_ENGINE === "cli")(
  "each call that may take effect in a plugin is a moment at which a crash test can kill the engine",
  async () => {
    stack = await PluginStack.create('new Thing("a", {});');
    const points: string[] = [];
    const note = (message: unknown) => {
      const { point, urn, op } = message as KillPointMessage;
      if (urn.endsWith("::a")) points.push(`${point} ${op}`);
    };
    const engine = channel("keyplane:engine");
    engine.subscribe(note);
    try {
      await stack.run("preview");
      expect(points).toEqual([]);
      await stack.run("up");
    } finally {
      engine.unsubscribe(note);
    }
    expect(points).toEqual([
      ...["before-pending-write create", "after-pending-write create", "before-call create", "after-call create"],
      ...["before-state-write create", "after-state-write create"],
    ]);
  },
);
