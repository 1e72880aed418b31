import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import ts from "typescript";
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

test("the package leaves out no declaration that its types need", () => {
  const { files, exports } = JSON.parse(readFileSync("package.json", "utf8")) as { files: string[]; exports: object };
  const reached = new Set<string>();
  const waiting = (JSON.stringify(exports).match(/[^"]*\.d\.ts/g) ?? []).map((path) => join(path));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path) || !existsSync(path)) continue;
    reached.add(path);
    for (const { fileName } of ts.preProcessFile(readFileSync(path, "utf8"), true, true).importedFiles) {
      const target = join(path, "..", fileName);
      if (fileName.startsWith(".")) waiting.push(`${target}.d.ts`, join(target, "index.d.ts"));
    }
  }
  expect(reached.size).toBeGreaterThan(50);
  const left = files.filter((file) => file.startsWith("!")).map(patternOf);
  expect(left.some((pattern) => pattern.test("dist/provider/stack/pulumi.d.ts"))).toBe(true);
  expect([...reached].filter((path) => left.some((pattern) => pattern.test(path)))).toEqual([]);
});

/** What a line of `files` with `!` leaves out. */
function patternOf(file: string): RegExp {
  const pattern = file
    .slice(1)
    .replace(/\./g, "\\.")
    .replace(/\{(.*?)\}/g, (_, names: string) => `(?:${names.replaceAll(",", "|")})`)
    .replace(/\*\*\/|\*/g, (star) => (star === "*" ? "[^/]*" : "(?:.*/)?"));
  return new RegExp(`^${pattern}(?:$|/)`);
}
