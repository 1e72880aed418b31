import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ExportedStack, ResourceState } from "../../testing/engine/state/checkpoint";
import { nameOf } from "../../testing/engine/state/urn";
import { Workspace } from "../../testing/workspace";
import { engineCommand } from "../../testing/workspace/engine-command";

const HEAD = 'const { Probe, Group, pulumi } = require("probe");\n';
const PROGRAM = `
const a = new Probe("a", { v: 1, s: pulumi.secret("hush") });
const b = new Probe("b", { v: a.out, w: 1 }, { dependsOn: [a] });
`;

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create({
    program: { "index.js": HEAD },
    packages: { probe: join(__dirname, "probe") },
  });
  await upOf(PROGRAM);
});
afterEach(() => workspace.remove({ search: false }));

/** Runs a command of the engine. Returns what it printed, and throws if it failed. */
function engine(...args: string[]): string {
  const [file, ...first] = engineCommand(workspace.engine);
  const env = { ...workspace.env, PROBE_LOG: join(workspace.directory, "calls") };
  const options = { cwd: workspace.programDirectory, env, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(file, [...first, ...args, "--non-interactive"], options);
  if (status !== 0) throw new Error(stderr + stdout);
  return stdout;
}

async function upOf(program: string): Promise<string[]> {
  await workspace.setProgram({ "index.js": HEAD + program });
  const env = { PROBE_LOG: join(workspace.directory, "calls") };
  return (await workspace.up({ inProcess: true, env })).changes.toSorted();
}

function exported(stack: string): ExportedStack {
  return JSON.parse(engine("stack", "export", "--stack", stack)) as ExportedStack;
}

function resourcesOf(stack: string): Record<string, ResourceState> {
  const { resources = [] } = exported(stack).deployment;
  return Object.fromEntries(resources.map((state) => [nameOf(state.urn), state]));
}

const urnOf = (name: string, stack = "dev") => `urn:pulumi:${stack}::proj::pulumi-nodejs:dynamic/probe:Probe::${name}`;

test("a tainted resource is replaced by the next run, and an unknown one taints nothing", async () => {
  expect(() => engine("state", "taint", "--stack", "dev", urnOf("a"), urnOf("c"))).toThrow(/No such resource .*::c"/);
  expect(resourcesOf("dev").a?.taint).toBeUndefined();
  expect(engine("state", "taint", "--stack", "dev", urnOf("a"))).toContain("1 resources tainted");
  expect(resourcesOf("dev").a?.taint).toBe(true);
  expect(exported("dev")).toMatchObject({ version: 4, features: ["taint"] });
  expect(await upOf(PROGRAM)).toEqual(["create-replacement a", "delete-replaced a", "replace a"]);
  expect(resourcesOf("dev").a).toMatchObject({ id: "a-2" });
  expect(await upOf(PROGRAM)).toEqual([]);
});

test("a resource that is renamed in the state and in the program is the same resource", async () => {
  expect(() => engine("state", "rename", "--stack", "dev", urnOf("a"), "b")).toThrow("already existing resource");
  expect(() => engine("state", "rename", "--stack", "dev", urnOf("c"), "d")).toThrow("No such resource");
  engine("state", "rename", "--stack", "dev", urnOf("a"), "a2", "--yes");
  const { a2, b } = resourcesOf("dev");
  expect(a2?.urn).toBe(urnOf("a2"));
  expect(b).toMatchObject({ dependencies: [urnOf("a2")], propertyDependencies: { v: [urnOf("a2")] } });
  expect(await upOf(PROGRAM.replace('"a"', '"a2"').replace("v: 1", 'v: 1, label: "a"'))).toEqual([]);
});

test("a renamed provider is the provider of the same resources", async () => {
  const provider = "urn:pulumi:dev::proj::pulumi:providers:pulumi-nodejs::default";
  engine("state", "rename", "--stack", "dev", provider, "other", "--yes");
  const { other, a } = resourcesOf("dev");
  expect(a?.provider).toBe(`${provider.replace("::default", "::other")}::${other?.id}`);
});

test("a moved resource comes with a copy of its provider, and without dependencies on what stays", async () => {
  engine("stack", "init", "next", "--secrets-provider", "passphrase");
  const before = resourcesOf("dev");
  const move = ["state", "move", "--source", "dev", "--dest", "organization/proj/next", "--yes"];
  expect(() => engine(...move, urnOf("c"))).toThrow("no resources found to move");
  expect(() => engine(...move, before.default?.urn ?? "")).toThrow("cannot move providers");
  engine(...move, urnOf("b"));
  expect(Object.keys(resourcesOf("dev"))).toEqual(["proj-dev", "default", "a"]);
  const moved = resourcesOf("next");
  expect(Object.keys(moved)).toEqual(["proj-next", "default", "b"]);
  expect(moved.default).toMatchObject({ id: before.default?.id, parent: moved["proj-next"]?.urn });
  const { created, modified } = before.b ?? {};
  expect(moved.b).toMatchObject({ urn: urnOf("b", "next"), id: "b-1", created, modified, inputs: { v: "a:1", w: 1 } });
  expect(moved.b).toMatchObject({
    parent: moved["proj-next"]?.urn,
    provider: `${moved.default?.urn}::${moved.default?.id}`,
  });
  expect(moved.b?.dependencies ?? []).toEqual([]);
  expect(moved.b?.propertyDependencies ?? {}).toEqual({});

  // The secrets of both stacks have the same passphrase, but other keys.
  engine(...move, urnOf("a"));
  expect(JSON.stringify(exported("next"))).not.toContain("hush");
  expect(engine("stack", "export", "--stack", "next", "--show-secrets")).toContain("hush");
  expect(() => engine("state", "move", "--source", "next", "--dest", "dev", "--yes", urnOf("b"))).toThrow(
    "no resources",
  );
  engine("state", "move", "--source", "next", "--dest", "dev", "--yes", urnOf("a", "next"), urnOf("b", "next"));
  expect(await upOf(PROGRAM)).toEqual([]);
});

test("a moved resource keeps the dependencies on what is moved with it", () => {
  engine("stack", "init", "next", "--secrets-provider", "passphrase");
  engine("state", "move", "--source", "dev", "--dest", "next", "--yes", urnOf("b"), urnOf("a"));
  const { a, b } = resourcesOf("next");
  expect(b).toMatchObject({ dependencies: [a?.urn], propertyDependencies: { v: [a?.urn] } });
  expect(() => engine("state", "move", "--source", "none", "--dest", "next", "--yes", urnOf("a"))).toThrow(
    "no stack named 'none' found",
  );
});

test("a renamed stack has its state, its configuration and its history under the new name", () => {
  engine("stack", "init", "next", "--secrets-provider", "passphrase");
  const { stateFile } = workspace;
  expect(() => engine("stack", "rename", "--stack", "dev", "next")).toThrow("a stack named next already exists");
  expect(() => engine("stack", "rename", "--stack", "none", "other")).toThrow("no stack named 'none' found");
  expect(() => engine("stack", "rename", "--stack", "dev", "a b")).toThrow("a stack name may only contain");
  expect(engine("stack", "rename", "--stack", "dev", "prod")).toContain("Renamed dev to prod");
  expect([stateFile, stateFile.replace("dev.json", "prod.json")].map(existsSync)).toEqual([false, true]);
  const files = ["dev", "prod"].map((stack) => join(workspace.programDirectory, `Pulumi.${stack}.yaml`));
  expect(files.map(existsSync)).toEqual([false, true]);
  expect(JSON.parse(engine("stack", "history", "--json", "--stack", "prod"))).toMatchObject([{ kind: "update" }]);
  const { a, b, "proj-prod": stack } = resourcesOf("prod");
  expect([a?.urn, a?.parent, b?.dependencies]).toEqual([urnOf("a", "prod"), stack?.urn, [urnOf("a", "prod")]]);
  engine("up", "--stack", "prod", "--yes", "--skip-preview", "--expect-no-changes");
});

test("an imported state has no pending operations", async () => {
  const state = exported("dev");
  const resources = state.deployment.resources ?? [];
  const resource = resources.at(-1) ?? expect.fail("nothing was created");
  const pending_operations = [{ type: "creating", resource: { ...resource, urn: urnOf("c") } }] as const;
  await workspace.importState({ ...state, deployment: { ...state.deployment, pending_operations } });
  expect(exported("dev").deployment.pending_operations ?? []).toEqual([]);
  expect(Object.values(resourcesOf("dev")).map(({ urn }) => urn)).toEqual(resources.map(({ urn }) => urn));
});
