import { createRequire } from "node:module";
import { expect, test } from "vitest";

const require = createRequire(import.meta.url);

/** What the compiled package exports, loaded by its name as a user's program does. */
const exportsOf = (name: string): string[] => Object.keys(require(name)).sort();

test("a program can import these names and no others, so that none goes away unnoticed", () => {
  expect(exportsOf("keyplane")).toEqual([
    "AbortedError",
    "ApiError",
    "ApiKey",
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
    "listOperations",
    "waitForOperations",
    "waitForOperationsOutput",
  ]);
});

test("the shim lines in users' states find these names for ever", () => {
  expect(exportsOf("keyplane/provider")).toEqual(["ApiKey", "Ledger", "Owner", "ProjectReady", "RotatingApiKey"]);
});

test("tests of programs can import these names and no others", () => {
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
