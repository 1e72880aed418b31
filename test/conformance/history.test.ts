import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Workspace, type WorkspaceOptions } from "../../testing/workspace";
import { PluginStack } from "./plugin-stack";

const HEAD = 'const { Probe, pulumi } = require("probe");\n';

interface Shown {
  readonly kind: string;
  readonly result: string;
  readonly startTime: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const made: { remove(options?: { search?: boolean }): Promise<void> }[] = [];
afterEach(async () => {
  for (const stack of made.splice(0)) await stack.remove({ search: false });
});

async function create(program: string, options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  const workspace = await Workspace.create({
    program: { "index.js": HEAD + program },
    packages: { probe: join(__dirname, "probe") },
    ...options,
  });
  made.push(workspace);
  return workspace;
}

function envOf(workspace: Workspace): NodeJS.ProcessEnv {
  return { PROBE_LOG: join(workspace.directory, "calls") };
}

async function history(workspace: Workspace, ...args: string[]): Promise<Shown[]> {
  const { stdout } = await workspace.command(["stack", "history", "--json", ...args]);
  return JSON.parse(stdout) as Shown[];
}

test("the history shows all runs that ended, the latest first, but no previews", async () => {
  const workspace = await create('new Probe("a", { v: 1 });');
  const env = envOf(workspace);
  expect(await history(workspace)).toEqual([]);
  await workspace.up({ env, previewFirst: true, args: ["--message", 'the "first" one'] });
  await workspace.preview({ env });
  await workspace.setProgram({ "index.js": `${HEAD}new Probe("a", { v: 2, failUpdate: true });` });
  await workspace.up({ env, mayFail: true });
  await workspace.setProgram({ "index.js": `${HEAD}new Probe("b", { v: 1, slow: 60000 });` });
  const killed = workspace.start("up", { env });
  await expect
    .poll(async () => (await workspace.exportState()).deployment.pending_operations ?? [], { timeout: 30_000 })
    .toHaveLength(1);
  killed.kill();
  await killed.done;
  await workspace.cancel();
  await workspace.refresh({ env });
  await workspace.destroy({ env });

  const all = await history(workspace);
  expect(all.map(({ kind, result, message, version }) => [kind, result, message, version])).toEqual([
    ["destroy", "succeeded", "", 0],
    ["refresh", "succeeded", "", 0],
    ["update", "failed", "", 0],
    ["update", "succeeded", 'the "first" one', 0],
  ]);
  expect(all.map(({ resourceChanges }) => resourceChanges)).toEqual([
    { delete: 2 },
    { same: 2 },
    { same: 1 },
    { create: 2 },
  ]);
  for (const { startTime, endTime } of all) {
    expect([startTime, endTime]).toEqual(
      Array(2).fill(expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)),
    );
  }
  expect(await history(workspace, "--page-size", "3")).toEqual(all.slice(0, 3));
  expect(await history(workspace, "--page-size=3", "--page=2")).toEqual(all.slice(3));
  expect(await history(workspace, "--page-size", "0", "--page", "2")).toEqual(all);
});

test("a run in the history names the flags and variables that were set, without their values", async () => {
  const workspace = await create("", { env: { PULUMI_CONTINUE_ON_ERROR: "0", PULUMI_PARALLEL: "1" } });
  const args = ["--target", "**", "--refresh", "--parallel=2", "--show-sames", "--diff=false"];
  await workspace.up({ args, env: { PULUMI_SKIP_CHECKPOINTS: "1" } });
  const environment = (await history(workspace))[0]?.environment ?? {};
  const set = Object.fromEntries(Object.entries(environment).filter(([key]) => key.startsWith("pulumi.flag.")));
  expect(set).toEqual({
    "pulumi.flag.cwd": "set",
    "pulumi.flag.diff": "false",
    "pulumi.flag.event-log": "set",
    "pulumi.flag.non-interactive": "true",
    "pulumi.flag.parallel": "set",
    "pulumi.flag.refresh": "set",
    "pulumi.flag.show-sames": "true",
    "pulumi.flag.skip-preview": "true",
    "pulumi.flag.stack": "set",
    "pulumi.flag.target": "set",
    "pulumi.flag.yes": "true",
  });
  expect(environment).toMatchObject({
    "exec.kind": "cli",
    "pulumi.env.PULUMI_CONFIG_PASSPHRASE": "set",
    "pulumi.env.PULUMI_CONTINUE_ON_ERROR": "false",
    "pulumi.env.PULUMI_PARALLEL": "set",
    "pulumi.env.PULUMI_SKIP_CHECKPOINTS": "true",
    "pulumi.version": expect.stringMatching(/^v3\.\d+\.\d+/),
    updatePlan: "false",
  });
});

test("a run in the history shows its configuration, but no secret", async () => {
  const config = { text: "x", "other:number": "5" };
  const workspace = await create("", { config, secretConfig: { hidden: "hush" } });
  const file = join(workspace.programDirectory, "Pulumi.dev.yaml");
  const ciphertext = /secure: (\S+)/.exec(readFileSync(file, "utf8"))?.[1];
  appendFileSync(file, `  nested: { list: [y] }\n  partly: { secret: { secure: "${ciphertext}" } }\n`);
  await workspace.up();
  const [run] = await history(workspace);
  expect(run?.config).toMatchObject({
    "other:number": { value: "5", secret: false },
    "proj:hidden": { secret: true },
    "proj:nested": { value: '{"list":["y"]}', objectValue: { list: ["y"] }, secret: false },
    "proj:partly": { secret: true },
    "proj:text": { value: "x", secret: false },
  });
  expect(JSON.stringify(run)).not.toContain("hush");
});

test("an import is in the history under its own kind", async () => {
  const stack = await PluginStack.create("");
  made.push(stack);
  await stack.workspace.import("probe:index:Thing", "a", "a-id", { env: stack.env() });
  expect(await history(stack.workspace)).toMatchObject([{ kind: "resource-import", result: "succeeded" }]);
});

test("the history is that of the stack named by --stack", async () => {
  const workspace = await create("");
  await workspace.up();
  const [run] = await history(workspace);
  const named = await workspace.command(["stack", "history", "--json"], { args: ["--stack", "organization/proj/dev"] });
  expect(JSON.parse(named.stdout)).toEqual([run]);
});
