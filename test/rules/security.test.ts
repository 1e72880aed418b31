import ts from "typescript";
import { expect, test } from "vitest";
import { collect, textOf } from "./source-files";

/** For each threat in SECURITY.md, the tests of its protection: a file, and the beginning of the name of a test in it. */
const HELD_BY: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  "A secret appears in the state, in outputs or in an event log": [
    ["e2e/rotations.long.test.ts", "has two secrets that are ciphertext in the state"],
    ["e2e/deploy.long.test.ts", "a secret that a program exposes as plain text is found in the state"],
  ],
  "A secret appears in a message, a stack trace, a file name or a URL": [
    ["unit/secrets.test.ts", "is found %s"],
    ["unit/http/client.test.ts", "show no part of a secret in any field"],
    ["contract/host.test.ts", "prints errors without a stack and without a secret"],
  ],
  "The digest of a key in the state reveals its secret": [
    ["unit/keys/key-digest.test.ts", "a digest that could be guessed is refused"],
    ["unit/cli/identify.test.ts", "with a credential, the last use is shown"],
  ],
  "A secret among `rotationTriggers` appears in the state": [
    ["e2e/secret-triggers.long.test.ts", "secret triggers appear nowhere as plain text"],
  ],
  "A secret appears in Pulumi's own debug messages": [
    ["e2e/debug-values.long.test.ts", "Pulumi's debug messages, which the event log has, contain no secret"],
  ],
  "Pulumi prints the value of a secret input that fails its check": [
    ["e2e/wrong-secret-inputs.long.test.ts", "a wrong input that is a secret is reported without its value"],
  ],
  "Serialized code captures the admin key": [
    ["rules/shim.test.ts", "the shim line of %s is the same as in users' states"],
  ],
  "The admin key is sent to the wrong place": [
    ["unit/text.test.ts", "must be https, or http on this machine"],
    ["unit/http/connections.test.ts", "go through the proxy of the environment"],
  ],
  "The service, or somebody in between, sends an invalid answer": [
    ["unit/http/connections.test.ts", "end an answer that grows too long"],
    ["unit/api/collected.test.ts", "end with an error if the service sends more and more of them"],
  ],
  "A name, a URN or a message controls the terminal": [
    [
      "unit/cli/outside-text.test.ts",
      "names, addresses and creators from the service reach the terminal without control sequences",
    ],
    ["unit/cli/outside-text.test.ts", "URNs and stacks from a state file reach the terminal without control sequences"],
  ],
  "A user puts a secret in the wrong place of a command line or setting": [
    ["unit/cli/usage.long.test.ts", "the command line %o is refused without repeating it"],
    ["unit/cli/doctor.test.ts", "the doctor names an unusable proxy without its password"],
  ],
  "`doctor` loads malicious packages of a program's folder": [
    ["unit/cli/doctor.test.ts", "the doctor loads TypeScript in a separate process"],
  ],
  "A local control plane shows a real key": [
    ["testing/control-plane/test/serve.test.ts", "serve creates a key of its own and shows it"],
  ],
  "A local program exhausts or misuses `serve`": [
    [
      "testing/control-plane/test/bodies.test.ts",
      "a client without a valid key is refused before it sends a byte of the body",
    ],
    ["testing/control-plane/test/data-file.test.ts", "links beside the file are not followed"],
  ],
  "keyplane revokes a key of somebody else": [
    ["unit/resources/deletion.test.ts", "touches nothing if the list shows the id under another name"],
    ["unit/keys/orphan-decision.test.ts", "of all combinations, a key is revoked only if a proof names it"],
    ["e2e/wrong-account.long.test.ts", "in another account, nothing is created, revoked or forgotten"],
  ],
  "A later caller configures a running plugin": [
    ["contract/plugin-config.test.ts", "cannot configure a running plugin"],
  ],
  "The published package differs from the repository": [
    ["rules/workflows.test.ts", "the published package is packed before any dependency's tests run"],
    ["rules/workflows.test.ts", "workflows use other people's actions only at a commit"],
    ["rules/workflows.test.ts", "the archives of the plugin are built with the package"],
  ],
};

/** The bold beginnings of the items below a heading. */
function threatsBelow(heading: string): string[] {
  const [, text = ""] = textOf("SECURITY.md").split(`## ${heading}\n`);
  const [list = ""] = text.split("\n## ");
  return [...list.matchAll(/^- \*\*(.*?)\.\*\*/gm)].map(([, threat = ""]) => threat);
}

/** The name of a test or of a group of tests, if the node defines one. */
function nameOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [name] = node.arguments;
  if (name === undefined || !(ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) return undefined;
  return ts.isTemplateExpression(name) ? name.head.text : name.text;
}

test("every protection that SECURITY.md promises has an existing test", () => {
  expect(Object.keys(HELD_BY)).toEqual(threatsBelow("Threats, and what keyplane does against them"));
  for (const [row, tests] of Object.entries(HELD_BY)) {
    for (const [file, start] of tests) {
      const names = collect(file.startsWith("testing/") ? file : `test/${file}`, nameOf);
      expect(
        names.some((name) => name.startsWith(start)),
        `${row}: ${file}: ${start}`,
      ).toBe(true);
    }
  }
});
