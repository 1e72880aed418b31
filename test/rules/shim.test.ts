import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type KindName, shim, typeToken } from "../../sdk/nodejs/shim";
import { root } from "./source-files";

// Both texts are in users' states: a change of either orphans what those states hold.
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
  ["Owner", 'exports.handler=()=>require("keyplane/provider").Owner', "pulumi-nodejs:dynamic/keyplane:Owner"],
  ["Ledger", 'exports.handler=()=>require("keyplane/provider").Ledger', "pulumi-nodejs:dynamic/keyplane:Ledger"],
];

/** Runs JavaScript in a process of its own, in a folder of the repository. */
function run(code: string, folder: string, type: "commonjs" | "module"): string {
  const args = [`--input-type=${type}`, "--eval", code];
  return execFileSync(process.execPath, args, { cwd: join(root, folder), encoding: "utf8" }).trim();
}

test.each(golden)("the shim line of %s is the one in users' states, and short", (kind, line, type) => {
  expect(shim(kind)).toBe(line);
  expect(typeToken(kind)).toBe(type);
  expect(Buffer.byteLength(shim(kind))).toBeLessThanOrEqual(64);
});

test("every shim line finds a whole provider from a program's folder, with no other module loaded before", () => {
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

test("a program written as an ES module imports the package by name, each export on its own", () => {
  const code = `
    import { ApiKey, getProjects, ProjectReady } from "keyplane";
    import { startControlPlane } from "keyplane/testing";
    console.log([ApiKey, ProjectReady, getProjects, startControlPlane].map((each) => typeof each).join());`;
  expect(run(code, "examples/quickstart", "module")).toBe("function,function,function,function");
});
