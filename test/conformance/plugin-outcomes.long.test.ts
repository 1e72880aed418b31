import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isSecret } from "../../testing/engine/state/property";
import { inBrief, onlyCall, PluginStack } from "./plugin-stack";

let stack: PluginStack;

afterEach(() => stack.remove());

async function start(program: string): Promise<PluginStack> {
  stack = await PluginStack.create(program);
  return stack;
}

test("a plugin without a handshake is previewed by its inputs, unless it says that it supports previews", async () => {
  const world = { noHandshake: true };
  await start('exports.size = new Thing("a", { size: 1 }).size;');
  const asInputs = await stack.run("preview", { world });
  expect(asInputs.exit).toBe(0);
  expect(inBrief(asInputs.calls)).not.toContain("Create a");
  const asked = await stack.run("preview", { world: { ...world, supportsPreview: true } });
  expect(onlyCall(asked.calls, "Create").preview).toBe(true);
});

test("a resource that is created but not ready is recorded, and updated until it is", async () => {
  await start('new Thing("a", { size: 1, notReady: true });');
  const failed = await stack.run("up");
  expect(failed.exit).not.toBe(0);
  const { a } = await stack.state();
  expect(a).toMatchObject({ id: "a-1", initErrors: ["it is not ready"] });
  expect(isSecret(a?.outputs?.token)).toBe(true);
  await stack.setProgram('new Thing("a", { size: 1 });');
  const ready = await stack.run("up");
  expect(ready.changes).toEqual(["update a"]);
  expect((await stack.state()).a?.initErrors).toBeUndefined();
});

test("customTimeouts reach the plugin in seconds", async () => {
  await start('new Thing("a", {}, { customTimeouts: { create: "1m30s", delete: "2m" } });');
  expect(onlyCall((await stack.run("up")).calls, "Create").timeout).toBe(90);
  expect(onlyCall((await stack.run("destroy")).calls, "Delete").timeout).toBe(120);
});

test("an invalid input fails the run with its value, even a secret one, and the plugin's reason", async () => {
  await start('new Thing("a", { invalid: pulumi.secret("hush-hush") });');
  const { exit, diagnostics, calls } = await stack.run("up");
  expect(exit).not.toBe(0);
  const messages = diagnostics.map(({ message }) => message).join("\n");
  expect(messages).toMatch(/property invalid value .*hush-hush.* has a problem: it is set/);
  expect(inBrief(calls)).not.toContain("Create a");
});

test("failed creations, updates and deletions are reported in the plugin's words and change nothing in the state", async () => {
  await start('new Thing("a", { size: 1, fail: "create" });');
  const create = await stack.run("up");
  expect(create.diagnostics.map(({ message }) => message).join()).toContain("it cannot be created");
  expect((await stack.state()).a).toBeUndefined();
  await stack.setProgram('new Thing("a", { size: 1 });');
  await stack.run("up");
  await stack.setProgram('new Thing("a", { size: 1, fail: "update" });');
  const update = await stack.run("up");
  expect(update.diagnostics.map(({ message }) => message).join()).toContain("it cannot be updated");
  expect((await stack.state()).a?.inputs).toEqual({ size: 1, color: "blue" });
});

test("--replace, replaceOnChanges, ignoreChanges and protect apply to plugin resources", async () => {
  const c = "urn:pulumi:dev::proj::probe:index:Thing::c";
  const program = (a: string, b: string, options: string) =>
    `new Thing("a", ${a}, { replaceOnChanges: ["shape"] }); new Thing("b", ${b}, ${options}); new Thing("c", {});`;
  await start(program('{ shape: "x" }', "{ size: 1 }", "{ protect: true }"));
  await stack.run("up");
  const forced = await stack.run("up", { args: ["--replace", c] });
  expect(inBrief(forced.calls).filter((call) => call.endsWith(" c"))).toEqual(["Check c", "Create c", "Delete c"]);
  expect(onlyCall(forced.calls, "Check", "c").olds).toEqual({});

  await stack.setProgram(program('{ shape: "y" }', "{ size: 2 }", '{ ignoreChanges: ["size"], protect: true }'));
  const changed = await stack.run("up");
  expect(changed.changes).toEqual(["create-replacement a", "replace a", "delete-replaced a"]);
  expect(onlyCall(changed.calls, "Diff", "b")).toMatchObject({ news: { size: 1 }, ignored: ["size"] });

  await stack.setProgram(program('{ shape: "y" }', "{ size: 2 }", "{ protect: true }"));
  const refused = await stack.run("up");
  expect(refused.exit).not.toBe(0);
  expect(refused.diagnostics.map(({ message }) => message).join()).toContain("unable to replace resource");
  expect(inBrief(refused.calls)).not.toContain("Create b");
});

test("an alias with another type moves a dynamic resource to the plugin, which updates it under its id", async () => {
  const dynamic = `
    class Probe extends pulumi.CustomResource {
      constructor(name, args, opts) {
        const __provider = 'exports.handler = () => require("probe/provider").Probe';
        super("pulumi-nodejs:dynamic/probe:Probe", name, { __provider, label: name, ...args }, opts);
      }
    }
  `;
  stack = await PluginStack.create(`${dynamic} new Probe("a", { v: 1 });`, {
    packages: { probe: join(__dirname, "probe") },
  });
  await stack.run("up");
  const aliases = '{ aliases: [{ type: "pulumi-nodejs:dynamic/probe:Probe" }] }';
  await stack.setProgram(`new Thing("a", { shape: "round" }, ${aliases});`);
  const { calls, changes } = await stack.run("up");
  expect(changes).toEqual(["update a"]);
  expect(onlyCall(calls, "Check").olds).toMatchObject({ label: "a", v: 1 });
  expect(onlyCall(calls, "Update")).toMatchObject({ id: "a-1", news: { shape: "round", color: "blue" } });
  const { a } = await stack.state();
  expect(a).toMatchObject({ type: "probe:index:Thing", id: "a-1" });
  expect(a?.provider).toContain("pulumi:providers:probe::default::");
});
