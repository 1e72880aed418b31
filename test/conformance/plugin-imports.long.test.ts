import { afterEach, expect, test } from "vitest";
import { isSecret } from "../../testing/engine/state/property";
import { inBrief, onlyCall, PluginStack } from "./plugin-stack";

let stack: PluginStack;

afterEach(() => stack.remove());

function said({ diagnostics }: { readonly diagnostics: readonly { readonly message: string }[] }): string {
  return diagnostics.map(({ message }) => message).join("\n");
}

test("the option import reads a resource by id alone, and takes it over if its inputs are those of the program", async () => {
  stack = await PluginStack.create('exports.t = new Thing("a", { color: "blue" }, { import: "x-1" }).token;');
  const { calls, changes } = await stack.run("up");
  expect(changes).toEqual(["import a", "create proj-dev"]);
  expect(inBrief(calls).slice(2)).toEqual(["Read a", "Check a", "Diff a"]);
  const read = onlyCall(calls, "Read");
  expect([read.id, read.inputs, read.properties]).toEqual(["x-1", undefined, undefined]);
  expect(onlyCall(calls, "Check")).toMatchObject({ olds: { color: "blue" }, news: { color: "blue" } });
  const { a } = await stack.state();
  expect(a).toMatchObject({ id: "x-1", importID: "x-1", inputs: { color: "blue" } });
  expect(isSecret(a?.outputs?.token)).toBe(true);
  const next = await stack.run("up", { args: ["--expect-no-changes"] });
  expect(next.exit).toBe(0);
  expect(inBrief(next.calls)).not.toContain("Read a");
});

test("an imported resource with other inputs is updated, and never replaced", async () => {
  stack = await PluginStack.create('new Thing("a", { color: "red" }, { import: "x-1" });');
  const updated = await stack.run("up");
  expect(updated.changes).toEqual(["import a", "update a", "create proj-dev"]);
  expect((await stack.state()).a?.inputs).toEqual({ color: "red" });
  await stack.setProgram('new Thing("a", { color: "red", size: 2 }, { import: "x-1" });');
  const refused = await stack.run("up");
  expect(refused.exit).not.toBe(0);
  expect(said(refused)).toContain("previously-imported resources that still specify an ID may not be replaced");
  expect(said(refused)).toContain("size: {<nil>} => {2}");
  const preview = await stack.run("preview");
  expect(preview.exit).toBe(0);
  expect(preview.changes).toContain("replace a");
});

test("an import under another id replaces the resource, and deletes the old one at the end", async () => {
  stack = await PluginStack.create('new Thing("a", { color: "blue" });');
  await stack.run("up");
  await stack.setProgram('new Thing("a", { color: "blue" }, { import: "x-2" });');
  const { changes, calls } = await stack.run("up");
  expect(changes).toEqual(["import-replacement a", "replace a", "delete-replaced a"]);
  expect(onlyCall(calls, "Delete").id).toBe("a-1");
  expect((await stack.state()).a?.id).toBe("x-2");
});

test.each([
  ["a missing resource", "missing", {}, "resource 'missing' does not exist"],
  ["a plugin that returns no inputs", "x-1", { imported: null }, "provider does not support importing resources"],
])("an import of %s fails and records nothing", async (_, id, world, words) => {
  stack = await PluginStack.create(`new Thing("a", {}, { import: "${id}" });`);
  const { exit, ...run } = await stack.run("up", { world });
  expect(exit).not.toBe(0);
  expect(said(run)).toContain(words);
  expect((await stack.state()).a).toBeUndefined();
});
