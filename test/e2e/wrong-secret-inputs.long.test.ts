import { type ControlPlane, searchSecrets, startControlPlane } from "keyplane/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StackUnderTest } from "./stack-under-test";

const SECRET = "hush-7f3a91c2";

let plane: ControlPlane;
let run: StackUnderTest;

beforeAll(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  run = await StackUnderTest.of(plane, { "index.js": "" });
});

afterAll(async () => {
  await run.workspace.remove();
  await plane.close();
});

// The program's file must not contain the secret either.
const program = (declaration: string) => `
const pulumi = require("@pulumi/pulumi");
const { ApiKey, RotatingApiKey } = require("keyplane");
const text = ["hush", "7f3a91c2"].join("-");
const hush = pulumi.secret(text);
${declaration};
`;

test.each([
  ['new RotatingApiKey("ci", { adopt: { id: hush, key: hush } })', "adopt: must be"],
  ['new ApiKey("ci", { rotationTriggers: hush })', "rotationTriggers: must be"],
  ['new ApiKey("ci", { passwort: hush })', "passwort: is not an input"],
])("a wrong input that is a secret is reported without its value: %s", async (declaration, told) => {
  await run.workspace.setProgram({ "index.js": program(declaration) });
  const { exit, stdout, stderr, events, diagnostics } = await run.run("preview", { mayFail: true });
  expect(exit).not.toBe(0);
  const texts = { stdout, stderr, events: JSON.stringify(events) };
  expect(await searchSecrets({ SECRET }, { texts, paths: [run.workspace.directory] })).toEqual([]);
  expect(diagnostics.map(({ message }) => message).join("\n")).toContain(`has a problem: ${told}`);
  expect(await plane.count("POST", "/api_keys")).toBe(0);
});
