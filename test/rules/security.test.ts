import ts from "typescript";
import { expect, test } from "vitest";
import { collect, textOf } from "./source-files";

/** For each threat of SECURITY.md the tests that hold its protection: a file, and how the name of a test in it begins. */
const HELD_BY: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  "A secret in the state, in outputs or in an event log": [
    ["e2e/rotating-keys.long.test.ts", "both secrets of a rotating key are ciphertext in the state"],
    ["e2e/deploy.long.test.ts", "a secret that a program shows in clear is found in the state"],
  ],
  "A secret in a message, stack trace, file name or URL": [
    ["unit/secrets.test.ts", "is found %s"],
    ["unit/http/client.test.ts", "show no part of a secret in any field"],
    ["unit/resources/lies.test.ts", "in a list of keys is in no record"],
    ["contract/host.test.ts", "print errors without a stack and without a secret"],
  ],
  "A secret among `rotationTriggers` in the state": [
    ["e2e/secret-triggers.long.test.ts", "secret triggers stand nowhere in clear"],
  ],
  "A secret in Pulumi's own debug messages": [
    ["e2e/debug-values.long.test.ts", "no secret leaves the program in Pulumi's debug messages"],
  ],
  "A secret input that fails its check": [
    ["e2e/wrong-secret-inputs.long.test.ts", "a wrong input that is a secret is told without its value"],
  ],
  "The admin key captured in serialized code": [
    ["rules/shim.test.ts", "the shim line of %s is the one in users' states"],
  ],
  "The admin key sent to the wrong place": [
    ["unit/http/text.test.ts", "is https anywhere, or http on this machine"],
    ["unit/http/connections.test.ts", "go through a proxy where the environment names one"],
  ],
  "A service, or somebody in between, that answers nonsense": [
    ["unit/http/connections.test.ts", "end an answer that grows beyond all reason"],
    ["unit/api/collected.test.ts", "end in an error where the service sends more and more of them"],
  ],
  "A terminal that is driven by a name, a URN or a message": [
    ["unit/cli/outside-text.test.ts", "names, addresses and creators that a service makes up"],
    ["unit/cli/outside-text.test.ts", "URNs and stacks of a state's file"],
  ],
  "A secret in the wrong place of a command line or a setting": [
    ["unit/cli/usage.long.test.ts", "%o is wrong without being repeated"],
    ["unit/cli/doctor.long.test.ts", "a proxy that cannot be used is named without its password"],
  ],
  "A folder whose packages `doctor --program` loads": [
    ["unit/cli/doctor.long.test.ts", "code of the program's folder runs in processes of its own"],
  ],
  "A local control plane that shows a real key": [
    ["unit/control-plane/serve.test.ts", "serve makes up a key of its own, which is the one that it shows"],
  ],
  "A local program that exhausts or misuses `serve`": [
    ["unit/control-plane/bodies.test.ts", "who is unknown is refused before a byte of the body was sent"],
    ["unit/control-plane/data-file.test.ts", "no link that lies beside the file is followed"],
  ],
  "Keys left behind by crashes and lost answers": [
    ["e2e/interrupted-runs.long.test.ts", "C9: a run killed after its key was made is healed by the next one"],
    ["crash/run-reduced.ts", "after a crash, one more command leaves no key leaked"],
  ],
  "A key of somebody else revoked": [
    ["unit/resources/deletes.test.ts", "touches nothing where the list shows the id under another name"],
    ["unit/resources/ledger.test.ts", "C14: leaves every key without its own tag alone"],
    ["e2e/wrong-account.long.test.ts", "nothing is made, revoked or forgotten"],
  ],
  "A service that answers with a wrong id": [
    ["unit/resources/lies.test.ts", "is told apart by the names of a list"],
    ["unit/resources/lies.test.ts", "costs neither key in the sweep at the end of the run"],
  ],
  "A list that lacks a live key": [
    ["unit/resources/lies.test.ts", "does not make a refresh forget a key that works"],
    ["unit/resources/lies.test.ts", "does not keep a key from being revoked"],
  ],
  "A provider that outlives its engine and continues to create keys": [
    ["contract/host.test.ts", "end with the engine: a request that is parked makes no key"],
  ],
  "A package that is not what the repository holds": [
    ["rules/workflows.test.ts", "what is published was packed before any dependency's tests ran"],
    ["rules/workflows.test.ts", "workflows use other people's actions only at a commit"],
  ],
};

/** The first cells of the table below a heading. */
function rowsBelow(heading: string): string[] {
  const [, text = ""] = textOf("SECURITY.md").split(`## ${heading}\n`);
  const [table = ""] = text.split("\n## ");
  const cells = [...table.matchAll(/^\| (.*?) *\|/gm)].map(([, cell = ""]) => cell);
  return cells.slice(2);
}

/** The name of a test, or of a group of them, where a node defines one. */
function nameOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [name] = node.arguments;
  if (name === undefined || !(ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) return undefined;
  return ts.isTemplateExpression(name) ? name.head.text : name.text;
}

test("every protection that SECURITY.md promises is held by a test that is there", () => {
  expect(Object.keys(HELD_BY)).toEqual(rowsBelow("What keyplane does"));
  for (const [row, tests] of Object.entries(HELD_BY)) {
    for (const [file, start] of tests) {
      const names = collect(`test/${file}`, nameOf);
      expect(
        names.some((name) => name.startsWith(start)),
        `${row}: ${file}: ${start}`,
      ).toBe(true);
    }
  }
});
