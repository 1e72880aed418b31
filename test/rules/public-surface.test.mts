import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { root, textOf } from "./source-files.js";

const require = createRequire(import.meta.url);

/** The exports of the compiled package, loaded by its name as in a user's program. */
const exportsOf = (name: string): string[] => Object.keys(require(name)).sort();

test("a program can import exactly these names, so that none disappears unnoticed", () => {
  expect(exportsOf("keyplane")).toEqual([
    "AbortedError",
    "AnswerLostError",
    "ApiError",
    "ApiKey",
    "BadAnswerError",
    "ConfigError",
    "InputError",
    "KeyplaneError",
    "OperationFailedError",
    "ProjectReady",
    "RotatingApiKey",
    "TimeoutError",
    "TransportError",
    "getApiKey",
    "getApiKeyOutput",
    "getApiKeys",
    "getApiKeysOutput",
    "getOperation",
    "getOperationOutput",
    "getOperations",
    "getOperationsOutput",
    "getProject",
    "getProjectOutput",
    "getProjects",
    "getProjectsOutput",
    "isKeyType",
    "listOperations",
    "waitForOperations",
    "waitForOperationsOutput",
  ]);
});

test("the shim lines in users' states find exactly these names", () => {
  expect(exportsOf("keyplane/provider")).toEqual(["ApiKey", "ProjectReady", "RotatingApiKey"]);
});

test("the tests of a program can import exactly these names", () => {
  expect(exportsOf("keyplane/testing")).toEqual([
    "DeployError",
    "DeployedProgram",
    "Workspace",
    "connectControlPlane",
    "deploy",
    "drivenTime",
    "engineOf",
    "pulumiOnPath",
    "searchSecrets",
    "startControlPlane",
  ]);
});

test("every declaration that the types of an entry lead to is in the package", () => {
  const { exports, files } = JSON.parse(textOf("package.json")) as {
    readonly exports: Readonly<Record<string, { readonly types?: string }>>;
    readonly files: readonly string[];
  };
  const entries = Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [types.slice(2)]));
  const excluded = files.flatMap((each) => (each.startsWith("!dist/") ? [each.slice(1)] : []));
  const reached = declarationsFrom(entries);
  expect(reached.size).toBeGreaterThan(50);
  expect([...reached].filter((path) => excluded.some((pattern) => matchesGlob(path, pattern)))).toEqual([]);
});

/** The declarations that some others import, with themselves, as paths relative to the repository. */
function declarationsFrom(entries: readonly string[]): Set<string> {
  const options = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] };
  const program = ts.createProgram(
    entries.map((path) => join(root, path)),
    options,
  );
  const paths = program.getSourceFiles().map(({ fileName }) => relative(root, fileName).replaceAll(sep, "/"));
  return new Set(paths.filter((path) => path.startsWith("dist/")));
}

/** Whether a path is one of a pattern of package.json, or below it. */
function matchesGlob(path: string, pattern: string): boolean {
  const text = pattern.split(/(\*\*\/|\*)/).map((part) => GLOBS[part] ?? part.replaceAll(".", "\\."));
  return new RegExp(`^${text.join("")}(/|$)`).test(path);
}

const GLOBS: Readonly<Record<string, string>> = { "**/": "(?:.*/)?", "*": "[^/]*" };
