import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LIST } from "../routes";
import { FRONT_ENDS, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let example: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

const program = {
  "index.js": 'const { ApiKey } = require("keyplane");\nnew ApiKey("one");\nnew ApiKey("two");\n',
};

/** Runs `up` with wrong settings, and returns its errors. */
async function errorsWith(config: Record<string, string>, secretConfig: Record<string, string>): Promise<string[]> {
  example = await StackUnderTest.of(plane, program, { config, secretConfig });
  const { exit, diagnostics } = await example.run("up", { mayFail: true });
  expect(exit).not.toBe(0);
  expect((await plane.log()).flatMap(({ effects }) => effects)).toEqual([]);
  await example.expectNoSecrets();
  return diagnostics.filter(({ severity, urn }) => severity === "error" && urn !== "").map(({ message }) => message);
}

test("a program without keyplane:apiKey fails with one message that says how to set it, and creates no key", async () => {
  const errors = await errorsWith({}, { "keyplane:apiKey": "" });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain("keyplane:apiKey is not set. Run `pulumi config set --secret keyplane:apiKey");
});

test.each([
  ["no URL", "over there", "is not a valid URL"],
  ["plain http to another machine", "http://keys.example.com/api/v2", "must begin with https://"],
  ["a password in it", "https://me:word@keys.example.com/api/v2", "must not contain a user name or password"],
])(
  "a program whose keyplane:baseUrl is invalid (%s) fails with one message and creates no key",
  async (_, url, words) => {
    const errors = await errorsWith({ "keyplane:baseUrl": url }, {});
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(words);
    expect(errors[0]).not.toContain(url);
  },
);

test("a program whose keyplane:apiKey is wrong shows the whole error, or refers to it, and creates no key", async () => {
  const errors = await errorsWith({}, { "keyplane:apiKey": "a-key-that-nobody-issued" });
  // A resource that starts after the first one has failed asks again, and has the whole error, too.
  expect(errors.some((message) => message.includes("401"))).toBe(true);
  expect(errors.filter((message) => !/401|see the error of "(one|two)"/.test(message))).toEqual([]);
});

test.each(FRONT_ENDS)(
  "a preview of resources passes with placeholders for the settings, and an up with them changes nothing (%s)",
  async (frontEnd) => {
    const program = 'new ApiKey("ci", { rotateAfter: "90d" }); new RotatingApiKey("app", { rotateAfter: "30d" });';
    const stack = await StackUnderTest.create(frontEnd, plane, program);
    example = stack;
    await stack.up();
    await stack.setProgram(
      'new ApiKey("ci", { rotateAfter: "60d" }); new RotatingApiKey("new", { rotateAfter: "30d" });',
    );
    await stack.workspace.setConfig("keyplane:baseUrl", "https://preview.invalid");
    await stack.workspace.setConfig("keyplane:apiKey", "none", { secret: true });
    const { changes } = await stack.run("preview");
    expect(changes).toEqual(expect.arrayContaining(["create new", "delete app", "update ci"]));
    expect((await stack.up({ mayFail: true })).exit).not.toBe(0);
    expect(await stack.expectLiveIsHeld()).toHaveLength(2);
  },
);

test("a data source that fails shows one message with its name and its code, without a stack", async () => {
  const failing = {
    "index.js": 'const { getApiKey } = require("keyplane");\nexports.key = getApiKey({ name: "none" });\n',
  };
  example = await StackUnderTest.of(plane, failing, {});
  const { exit, diagnostics } = await example.run("up", { mayFail: true });
  expect(exit).not.toBe(0);
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message.trim());
  expect(errors.filter((message) => message.includes("getApiKey"))).toEqual([
    expect.stringMatching(/^getApiKey: no API key [^\n]* \[KP-NOT-FOUND\]$/),
  ]);
});

test("a data source that has failed when the program awaits it shows only its message, without Node's warning", async () => {
  const failing = {
    "index.js": `const { getProject } = require("keyplane");
module.exports = async () => {
  const project = getProject({ id: "none-such" });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { project: await project };
};
`,
  };
  example = await StackUnderTest.of(plane, failing, {});
  const { stdout, stderr, diagnostics } = await example.run("preview", { mayFail: true });
  const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message.trim());
  expect(errors.filter((message) => message.includes("getProject"))).toEqual([
    expect.stringMatching(/^getProject: no project in the account has the id none-such\. [^\n]* \[KP-NOT-FOUND\]$/),
  ]);
  expect(stdout + stderr + JSON.stringify(diagnostics)).not.toContain("PromiseRejectionHandledWarning");
});

test("a preview names a misspelled setting and a credential in plain text, each once and without the credential", async () => {
  example = await StackUnderTest.of(plane, program, { config: { "keyplane:baseURL": plane.url } });
  await example.workspace.setConfig("keyplane:apiKey", "in-plain-text");
  const { diagnostics } = await example.run("preview");
  const warnings = diagnostics.filter(({ severity }) => severity === "warning").map(({ message }) => message.trim());
  expect(warnings.sort()).toEqual([
    expect.stringMatching(/^keyplane:apiKey is in plain text .* run `pulumi config set --secret keyplane:apiKey`/),
    "keyplane:baseURL is not a setting and has no effect. Did you mean baseUrl?",
  ]);
  expect(warnings.join()).not.toContain("in-plain-text");
});

test("a program whose service does not answer fails with a message that names the request, and creates no key", async () => {
  const gone = await startControlPlane();
  await gone.close();
  const errors = await errorsWith({ "keyplane:baseUrl": gone.url }, {});
  expect(errors.some((message) => message.includes(LIST))).toBe(true);
});

test("a refresh and a destroy use the configuration of the last up, and the next up uses the new one", async () => {
  const gone = await startControlPlane();
  await gone.close();
  example = await StackUnderTest.of(plane, program);
  await example.run("up");
  await example.workspace.setConfig("keyplane:baseUrl", gone.url);
  expect(await example.requestsOf(() => example.run("refresh"))).toEqual([LIST]);
  await example.destroy();
  expect(await example.requestsOf(() => example.run("up", { mayFail: true }))).toEqual([]);
  expect(await plane.liveKeys()).toEqual([]);
});
