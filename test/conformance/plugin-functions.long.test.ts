import { afterEach, expect, test } from "vitest";
import { inBrief, PluginStack } from "./plugin-stack";

let stack: PluginStack;

afterEach(() => stack.remove());

function invokesOf(calls: readonly { readonly method: string; readonly [field: string]: unknown }[]) {
  return calls.filter(({ method }) => method === "Invoke").map(({ args, preview }) => ({ args, preview }));
}

test("a program calls functions of a plugin, with its default provider, an explicit one, or the one of a parent", async () => {
  stack = await PluginStack.create(
    `const p = new Provider("p", {});
     const call = (a, options) => pulumi.runtime.invoke("probe:index:echo", { a }, options);
     exports.plain = call(1);
     exports.explicit = call(2, { provider: p });
     const c = new pulumi.ComponentResource("x:y:C", "c", {}, { providers: [p] });
     exports.inherited = call(3, { parent: c });
     exports.secret = pulumi.runtime.invokeOutput("probe:index:echo", { a: pulumi.secret(4) });`,
  );
  const preview = await stack.run("preview");
  expect(invokesOf(preview.calls).every(({ preview }) => preview === true)).toBe(true);
  const { calls } = await stack.run("up");
  expect(invokesOf(calls).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual(
    [1, 2, 3, 4].map((a) => ({ args: { a }, preview: false })),
  );
  const pidOf = (urn: string) => calls.find(({ method, name }) => method === "Configure" && name === urn)?.pid;
  const byPid = (pid: number | undefined) => invokesOf(calls.filter((each) => each.pid === pid)).length;
  expect([byPid(pidOf("default")), byPid(pidOf("p"))]).toEqual([2, 2]);
  const outputs = await stack.workspace.outputs();
  expect(outputs).toMatchObject({ plain: { a: 1, secretOfFunction: "s" }, secret: "[secret]" });
});

test.each([
  ["failing", "it is unknown"],
  ["broken", "invocation of probe:index:broken returned an error: the function is broken"],
])("a function that fails (%s) fails the program with the plugin's words", async (name, words) => {
  stack = await PluginStack.create(`exports.x = pulumi.runtime.invoke("probe:index:${name}", {});`);
  const { exit, diagnostics, calls } = await stack.run("up");
  expect(exit).not.toBe(0);
  expect(diagnostics.map(({ message }) => message).join("\n")).toContain(words);
  expect(inBrief(calls)).toEqual(["CheckConfig default", "Configure default", "Invoke"]);
});
