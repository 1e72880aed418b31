import { afterEach, expect, test } from "vitest";
import { Workspace } from "../../testing/workspace";

let workspace: Workspace;

afterEach(() => workspace.remove({ search: false }));

const HEAD = `
const pulumi = require("@pulumi/pulumi");
const type = "pulumi-nodejs:dynamic/a:A";
`;

test.each([
  ["a resource that is read by its id", 'new pulumi.CustomResource(type, "a", {}, { id: "7" });'],
  ["the function aws:index:getX", 'pulumi.runtime.invoke("aws:index:getX", {});'],
  ["the plugin aws", 'new pulumi.CustomResource("aws:index:Thing", "a", {});'],
])("a program with %s is refused with one sentence that names the Pulumi CLI", async (what, program) => {
  workspace = await Workspace.create({ program: { "index.js": HEAD + program }, engine: "embedded" });
  const { exit, diagnostics } = await workspace.up({ inProcess: true, mayFail: true });
  expect(exit).not.toBe(0);
  const messages = diagnostics.map(({ message }) => message).join("\n");
  expect(messages).toContain(`the embedded engine does not support ${what}`);
  expect(messages).toMatch(/use the Pulumi CLI, for example with `npx pulumi up`/);
  expect((await workspace.exportState()).deployment.resources?.map(({ type }) => type)).not.toContain(
    "aws:index:Thing",
  );
});
