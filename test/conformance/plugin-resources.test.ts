import { afterEach, expect, test } from "vitest";
import { isSecret } from "../../testing/engine/state/property";
import { clear, inBrief, onlyCall, PluginStack, type PluginStackOptions } from "./plugin-stack";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

let stack: PluginStack;

afterEach(() => stack.remove());

async function start(program: string, options?: PluginStackOptions): Promise<PluginStack> {
  stack = await PluginStack.create(program, options);
  return stack;
}

const TWO = `
const a = new Thing("a", { size: 1, hidden: pulumi.secret("h") });
exports.token = a.token;
exports.color = a.color;
new Thing("b", { size: a.token });
`;

test("a program of plugin resources is previewed, deployed, refreshed and destroyed by one plugin process per run", async () => {
  await start(TWO, { config: { "probe:region": "eu", "other:x": "1" }, secretConfig: { "probe:token": "hush" } });
  const preview = await stack.run("preview");
  expect(inBrief(preview.calls)).toEqual([
    "CheckConfig default",
    "Configure default",
    "Check a",
    "Create a",
    "Check b",
    "Create b",
  ]);
  expect(onlyCall(preview.calls, "Check", "b").news).toEqual({ size: UNKNOWN });
  expect(onlyCall(preview.calls, "Create", "b")).toMatchObject({
    preview: true,
    properties: { color: "blue", size: UNKNOWN },
  });

  const up = await stack.run("up");
  expect(new Set(up.calls.map(({ pid }) => pid)).size).toBe(1);
  expect(up.calls[0]).toMatchObject({ method: "Handshake", engineAddress: true, configureWithUrn: true });
  expect(up.calls.at(-1)).toMatchObject({ method: "Cancel" });
  expect(await stack.workspace.outputs()).toEqual({ token: "[secret]", color: "blue" });
  const state = await stack.state();
  expect(clear(state.default?.inputs)).toEqual({ owner: "owner-1", region: "eu", token: "hush" });
  expect(state.default?.outputs).toEqual(state.default?.inputs);
  expect(isSecret(state.default?.inputs?.token)).toBe(true);
  expect(clear(state.a?.outputs)).toEqual({ color: "blue", hidden: "h", size: 1, token: "token-of-a-1" });
  expect(["hidden", "token"].filter((key) => isSecret(state.a?.outputs?.[key]))).toEqual(["hidden", "token"]);
  const provider = `urn:pulumi:dev::proj::pulumi:providers:probe::default`;
  expect(state.a?.provider).toBe(`${provider}::${state.default?.id}`);
  expect(onlyCall(up.calls, "Configure")).toMatchObject({
    urn: provider,
    name: "default",
    type: "pulumi:providers:probe",
    id: state.default?.id,
    acceptsecrets: true,
    sendsOldInputs: true,
    sendsOldInputsToDelete: true,
    variables: { "probe:config:owner": "owner-1", "probe:config:region": "eu", "probe:config:token": "hush" },
    args: { owner: "owner-1", region: "eu", token: { value: "hush" } },
  });

  const same = await stack.run("up", { args: ["--expect-no-changes"] });
  expect(same.exit).toBe(0);
  expect(inBrief(same.calls)).toEqual([
    "CheckConfig default",
    "DiffConfig default",
    "Configure default",
    "Check a",
    "Diff a",
    "Check b",
    "Diff b",
  ]);
  expect(onlyCall(same.calls, "CheckConfig")).toMatchObject({
    olds: { owner: "owner-1", region: "eu", token: "hush" },
    news: { region: "eu", token: "hush" },
  });

  const refresh = await stack.run("refresh", { world: { drift: { b: { color: "red" } } } });
  expect(inBrief(refresh.calls).slice(0, 1)).toEqual(["Configure default"]);
  expect(inBrief(refresh.calls).slice(1).sort()).toEqual(["Diff a", "Diff b", "Read a", "Read b"]);
  expect((await stack.state()).b?.outputs).toMatchObject({ color: "red" });

  const destroy = await stack.run("destroy");
  expect(inBrief(destroy.calls)).toEqual(["Configure default", "Delete b", "Delete a"]);
  expect(onlyCall(destroy.calls, "Delete", "a")).toMatchObject({
    oldInputs: { color: "blue", hidden: "h", size: 1 },
    properties: { token: "token-of-a-1" },
  });
  expect(await stack.state()).toEqual({});
});

test("a replacement is checked again without old inputs, and its dependents follow before the old resource is deleted", async () => {
  await start(TWO);
  await stack.run("up");
  await stack.setProgram(TWO.replace("size: 1", "size: 2"));
  const { calls, changes } = await stack.run("up");
  const ofThings = inBrief(calls).filter((call) => !call.endsWith("default"));
  expect(ofThings).toEqual([
    ...["Check a", "Diff a", "Check a", "Create a"],
    ...["Check b", "Diff b", "Check b", "Create b", "Delete b", "Delete a"],
  ]);
  const checks = calls.filter(({ method, name }) => method === "Check" && name === "a");
  expect(checks.map(({ olds }) => olds)).toEqual([{ color: "blue", hidden: "h", size: 1 }, {}]);
  expect(changes).toContain("replace a");
});

test("a plugin that understands secrets gets them marked, and its own secrets are stored as such", async () => {
  const world = { acceptSecrets: true };
  await start('new Thing("a", { size: pulumi.secret(1), deep: { list: [pulumi.secret("x"), 2] } });');
  const { calls } = await stack.run("up", { world });
  const marked = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
  const inputs = { size: { ...marked, value: 1 }, deep: { list: [{ ...marked, value: "x" }, 2] } };
  expect(onlyCall(calls, "Check").news).toEqual(inputs);
  expect(onlyCall(calls, "Create").properties).toEqual({ ...inputs, color: "blue" });
  const { a } = await stack.state();
  expect(["size", "token", "color"].map((key) => isSecret(a?.outputs?.[key]))).toEqual([true, true, false]);
  const destroy = await stack.run("destroy", { world });
  expect(onlyCall(destroy.calls, "Delete").properties).toMatchObject({ token: { ...marked, value: "token-of-a-1" } });
});
