import { createRequire } from "node:module";
import { expect, test } from "vitest";

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
  expect(exportsOf("keyplane/provider")).toEqual(["ApiKey", "Ledger", "Owner", "ProjectReady", "RotatingApiKey"]);
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
