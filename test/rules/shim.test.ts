import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type KindName, shim, typeToken } from "../../sdk/nodejs/shim";
import { root } from "./source-files";

// Both texts are in users' states. A change of either would orphan the resources in those states.
const golden: [KindName, string, string][] = [
  ["ApiKey", 'exports.handler=()=>require("keyplane/provider").ApiKey', "pulumi-nodejs:dynamic/keyplane:ApiKey"],
  [
    "RotatingApiKey",
    'exports.handler=()=>require("keyplane/provider").RotatingApiKey',
    "pulumi-nodejs:dynamic/keyplane:RotatingApiKey",
  ],
  [
    "ProjectReady",
    'exports.handler=()=>require("keyplane/provider").ProjectReady',
    "pulumi-nodejs:dynamic/keyplane:ProjectReady",
  ],
];

/** Runs JavaScript in a separate process, in a folder of the repository. */
function run(code: string, folder: string, type: "commonjs" | "module"): string {
  const args = [`--input-type=${type}`, "--eval", code];
  return execFileSync(process.execPath, args, { cwd: join(root, folder), encoding: "utf8" }).trim();
}

test.each(golden)("the shim line of %s is the same as in users' states", (kind, line, type) => {
  expect(shim(kind)).toBe(line);
  expect(typeToken(kind)).toBe(type);
});

test("every shim line finds a complete provider from a program's folder, without loading another module first", () => {
  const lines = golden.map(([, line]) => line);
  const code = `
    const verbs = ["check", "diff", "create", "read", "update", "delete"];
    const answers = ${JSON.stringify(lines)}.map((line) => {
      const exports = {};
      new Function("exports", "require", line)(exports, require);
      const provider = exports.handler();
      return verbs.filter((verb) => typeof provider[verb] !== "function");
    });
    console.log(JSON.stringify(answers));`;
  expect(JSON.parse(run(code, "examples/quickstart", "commonjs"))).toEqual(lines.map(() => []));
});

test("a program that is an ES module can import each export of the package by name", () => {
  const code = `
    import { ApiKey, getProjects, ProjectReady } from "keyplane";
    import { startControlPlane } from "keyplane/testing";
    console.log([ApiKey, ProjectReady, getProjects, startControlPlane].map((each) => typeof each).join());`;
  expect(run(code, "examples/quickstart", "module")).toBe("function,function,function,function");
});
