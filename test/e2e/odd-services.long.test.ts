import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LIST, LIST_OPERATIONS } from "../routes";
import { ON_CLI, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let run: StackUnderTest;

const PROGRAM = { "index.js": 'const { ApiKey } = require("keyplane");\nexports.id = new ApiKey("ci").keyId;\n' };

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  run = await StackUnderTest.of(plane, PROGRAM);
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

test("a destroy succeeds if the list still shows a key for a moment that is already revoked", async () => {
  await run.run("up");
  const response = await fetch(`${plane.url}/api_keys`, { headers: { authorization: `Bearer ${plane.apiKey}` } });
  await plane.rules.add({ route: LIST, status: 200, body: await response.json(), count: 3 });
  await plane.state.revokeKey(String((await run.workspace.outputs()).id));
  await run.destroy();
  expect((await run.workspace.exportState()).deployment.resources ?? []).toEqual([]);
  expect(await plane.count("DELETE")).toBe(1);
});

describe.skipIf(!ON_CLI)("on the Pulumi CLI (the embedded engine has no --continue-on-error)", () => {
  test("a destroy with a credential that the service refuses sends one list, however many keys there are", async () => {
    const keys =
      'const { ApiKey } = require("keyplane");\nfor (const name of ["a", "b", "c", "d"]) new ApiKey(name);\n';
    await run.workspace.setProgram({ "index.js": keys });
    await run.run("up");
    await plane.rules.add({ route: "*", status: 401, count: null });
    const requests = await run.requestsOf(async () => {
      const result = await run.run("destroy", { args: ["--parallel", "1", "--continue-on-error"], mayFail: true });
      expect(result.diagnostics.filter(({ message }) => /401.*Check keyplane:apiKey/s.test(message))).toHaveLength(4);
    });
    expect(requests).toEqual([LIST]);
    await plane.rules.clear();
    await run.destroy();
  });

  test("an up with gates for a project that the service does not know asks for it at most four times, then once", async () => {
    const gate = (name: string) => `new ProjectReady("${name}", { projectId: "no-such-project" });\n`;
    const gates = ["a", "b", "c"].map(gate).join("");
    await run.workspace.setProgram({ "index.js": `const { ProjectReady } = require("keyplane");\n${gates}` });
    const requests = await run.requestsOf(async () => {
      await run.run("up", { args: ["--parallel", "1", "--continue-on-error"], mayFail: true });
    });
    expect(requests).toEqual(Array(4 + 1 + 1).fill(LIST_OPERATIONS));
  });
});
