import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isSecret } from "../../testing/engine/state/property";
import { clear, inBrief, onlyCall, PluginStack, type PluginStackOptions } from "./plugin-stack";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const PROBE = join(__dirname, "..", "probe-plugin");

let stack: PluginStack;

afterEach(() => stack.remove());

async function start(program: string, options?: PluginStackOptions): Promise<PluginStack> {
  stack = await PluginStack.create(program, options);
  return stack;
}

/** The messages of a run in one text. */
function said({ diagnostics }: { readonly diagnostics: readonly { readonly message: string }[] }): string {
  return diagnostics.map(({ message }) => message).join("\n");
}

test("what CheckConfig adds is in the state before a resource is created, and is offered to the next CheckConfig", async () => {
  await start('new Thing("a", { fail: "create" });');
  const failed = await stack.run("up", { world: { owner: "first" } });
  expect(failed.exit).not.toBe(0);
  expect((await stack.state()).default?.inputs).toEqual({ owner: "first" });
  await stack.setProgram('new Thing("a", {});');
  const next = await stack.run("up", { world: { owner: "second" } });
  expect(onlyCall(next.calls, "CheckConfig")).toMatchObject({ olds: { owner: "first" }, news: {} });
  expect((await stack.state()).default?.inputs).toEqual({ owner: "first" });
});

test("DiffConfig decides whether a changed configuration updates the provider or replaces it with its resources", async () => {
  await start('new Thing("a", {});', { config: { "probe:region": "eu", "probe:zone": "1" } });
  await stack.run("up");
  const before = (await stack.state()).default;

  await stack.workspace.setConfig("probe:zone", "2", { secret: true });
  const updated = await stack.run("up", { args: ["--expect-no-changes"] });
  expect(updated.exit).toBe(0);
  const after = (await stack.state()).default;
  expect(after?.id).toBe(before?.id);
  expect(clear(after?.inputs)).toEqual({ owner: "owner-1", region: "eu", zone: "2" });
  expect(isSecret(after?.inputs?.zone)).toBe(true);

  await stack.workspace.setConfig("probe:region", "us");
  const replaced = await stack.run("up");
  expect(replaced.changes).toEqual(["create-replacement a", "replace a", "delete-replaced a"]);
  expect(replaced.steps.find(({ op }) => op === "replace")?.keys).toEqual(["provider"]);
  const { default: last, a } = await stack.state();
  expect(last?.id).not.toBe(before?.id);
  expect(a?.provider).toContain(last?.id);
  // The old resource is deleted by a provider with the old configuration.
  const configured = replaced.calls.filter(({ method }) => method === "Configure");
  const deleted = onlyCall(replaced.calls, "Delete", "a");
  expect(configured.find(({ pid }) => pid === deleted.pid)?.args).toMatchObject({ region: "eu" });
});

test("a plugin without CheckConfig and DiffConfig gets a changed configuration, and keeps its resources", async () => {
  const world = { noConfig: true };
  await start('new Thing("a", {});', { config: { "probe:region": "eu" } });
  await stack.run("up", { world });
  await stack.workspace.setConfig("probe:region", "us");
  const { changes, calls } = await stack.run("up", { world });
  expect(changes).toEqual([]);
  expect(onlyCall(calls, "Configure").args).toEqual({ region: "us" });
  expect((await stack.state()).default?.inputs).toEqual({ region: "us" });
});

test("an explicit provider is a process of its own, and children and components inherit it", async () => {
  await start(
    `const p = new Provider("p", { region: "us", list: ["x", { y: 1 }], flag: true });
     const a = new Thing("a", {}, { provider: p });
     new Thing("child", {}, { parent: a });
     const c = new pulumi.ComponentResource("x:y:C", "c", {}, { providers: [p] });
     new Thing("inside", {}, { parent: c });
     new Thing("other", {});`,
    { config: { "probe:region": "eu" } },
  );
  const { calls } = await stack.run("up");
  const pidOf = (name: string) => onlyCall(calls, "Create", name).pid;
  const own = onlyCall(calls, "Configure", "p");
  expect(["a", "child", "inside"].map(pidOf)).toEqual([own.pid, own.pid, own.pid]);
  expect(pidOf("other")).not.toBe(own.pid);
  expect(own.args).toEqual({ owner: "owner-1", region: "us", list: ["x", { y: 1 }], flag: true });
  expect(own.variables).toMatchObject({ "probe:config:list": '["x",{"y":1}]', "probe:config:flag": "true" });
  const { p, other } = await stack.state();
  expect(p).toMatchObject({ parent: "urn:pulumi:dev::proj::pulumi:pulumi:Stack::proj-dev" });
  expect(other?.provider).toContain("::default::");
});

test("a preview does not configure a provider whose configuration is unknown, nor ask it about its resources", async () => {
  const program = (size: number) =>
    `const s = new Thing("s", { size: ${size} });
     const p = new Provider("p", { region: s.token });
     new Thing("a", { shape: "round" }, { provider: p });`;
  await start(program(1));
  const first = await stack.run("preview");
  expect(first.exit).toBe(0);
  expect(onlyCall(first.calls, "CheckConfig", "p").news).toEqual({ region: UNKNOWN });
  expect(inBrief(first.calls).filter((call) => /( a|Configure p)$/.test(call))).toEqual([]);
  await stack.run("up");
  await stack.setProgram(program(2));
  const next = await stack.run("preview");
  // For the provider, and for the resource that gets another one.
  const diffs = next.calls.filter(({ method }) => method === "DiffConfig").map(({ news }) => news);
  expect(diffs.slice(-2)).toEqual([1, 2].map(() => ({ owner: "owner-1", region: UNKNOWN })));
  expect(next.changes).toContain("replace a");
});

test("a version and an address of a plugin are part of the default provider's name and of its inputs", async () => {
  const versioned = 'new Thing("a", {}, { version: "1.0.0-alpha.1", pluginDownloadURL: "https://x.example/y/" });';
  await start(`${versioned} new Thing("b", {}, { version: "1.2.0" });`);
  const up = await stack.run("up");
  expect(said(up)).toContain("resource plugin probe is expected to have version >=1.2.0, but has 1.0.0");
  const state = await stack.state();
  expect(state["default_1_0_0_alpha_1_https_/x.example/y"]?.inputs).toEqual({
    owner: "owner-1",
    version: "1.0.0-alpha.1",
    __internal: { pluginDownloadURL: "https://x.example/y" },
  });
  expect(state.default_1_2_0?.inputs).toEqual({ owner: "owner-1", version: "1.2.0", __internal: {} });
  expect(state.default_1_2_0?.outputs).toEqual({ owner: "owner-1", version: "1.2.0" });
  expect(onlyCall(up.calls, "Configure", "default_1_2_0")).toMatchObject({
    args: { version: "1.2.0" },
    variables: { "probe:config:owner": "owner-1" },
  });
  // A program that asks for no version gets the newest one in the state, and the resources keep their ids.
  await stack.setProgram('new Thing("a", {}); new Thing("b", {});');
  const next = await stack.run("up");
  expect(next.changes).toEqual([]);
  expect((await stack.state()).a?.provider).toContain("default_1_2_0::");
});

test("a resource moves to another provider without a replacement if that provider's DiffConfig permits it", async () => {
  const on = (region: string) => `const p = new Provider("p", { region: "${region}" });`;
  await start('new Thing("a", {});', { config: { "probe:region": "eu" } });
  await stack.run("up");
  await stack.setProgram(`${on("eu")} new Thing("a", {}, { provider: p });`);
  const moved = await stack.run("up");
  expect(moved.changes).toEqual(["create p"]);
  expect(moved.calls.filter(({ method }) => method === "DiffConfig")).toHaveLength(1);
  expect((await stack.state()).a).toMatchObject({ id: "a-1", provider: expect.stringContaining("::p::") });
  await stack.setProgram(`${on("us").replace('"p"', '"q"')} new Thing("a", {}, { provider: p });`);
  const replaced = await stack.run("up");
  expect(replaced.changes).toContain("replace a");
});

test("a rejected configuration is reported, and nothing is created", async () => {
  await start('new Thing("a", {});', { config: { "probe:invalid": "yes" } });
  const invalid = await stack.run("up");
  expect(invalid.exit).not.toBe(0);
  expect(said(invalid)).toContain("has a problem: it is set");
  await stack.workspace.setConfig("probe:invalid", "");
  await stack.workspace.setConfig("probe:refuse", "yes");
  const refused = await stack.run("up");
  expect(refused.exit).not.toBe(0);
  expect(said(refused)).toContain("the configuration is refused");
  expect(inBrief([...invalid.calls, ...refused.calls])).not.toContain("Create a");
});

test("the project's path of a plugin is relative to Pulumi.yaml, and comes before the PATH", async () => {
  stack = await PluginStack.create('new Thing("a", {});', { plugins: false });
  const { programDirectory, directory } = stack.workspace;
  mkdirSync(join(directory, "on-path"));
  symlinkSync(join(PROBE, "pulumi-resource-probe"), join(directory, "on-path", "pulumi-resource-probe"));
  const env = { PATH: [join(directory, "on-path"), process.env.PATH].join(delimiter) };
  const onPath = await stack.run("up", { env });
  expect(onPath.exit).toBe(0);
  expect(said(onPath)).toContain("using pulumi-resource-probe from $PATH");

  symlinkSync(PROBE, join(directory, "near"));
  const runtime = "runtime: { name: nodejs, options: { typescript: false } }";
  const plugins = "plugins: { providers: [{ name: probe, path: ../near }] }";
  writeFileSync(join(programDirectory, "Pulumi.yaml"), `name: proj\n${runtime}\n${plugins}\n`);
  const near = await stack.run("up", { env });
  expect(near.exit).toBe(0);
  expect(said(near)).not.toContain("$PATH");
  expect(near.calls[0]).toMatchObject({ rootDirectory: join(directory, "near") });
});
