import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let run: StackUnderTest;

const PROGRAM = `
const { ApiKey, RotatingApiKey } = require("keyplane");
exports.key = new ApiKey("ci").key;
exports.current = new RotatingApiKey("app").key;
`;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  run = await StackUnderTest.of(plane, { "index.js": PROGRAM });
});

afterEach(async () => {
  await run.workspace.remove({ search: false });
  await plane.close();
});

test("Pulumi's debug messages, which the event log has, contain no secret", async () => {
  const runs = [await run.run("up"), await run.run("up"), await run.workspace.preview()];
  expect(await run.workspace.secretsInClear()).toEqual([]);
  for (const { events } of runs) {
    const messages = events.flatMap(({ diagnosticEvent }) =>
      diagnosticEvent?.severity === "debug" ? [diagnosticEvent.message] : [],
    );
    expect(messages).toContainEqual(expect.stringMatching(/^RegisterResource RPC finished: .*resp: \[left out/s));
    expect(messages).toContainEqual(expect.stringMatching(/^Registering resource: t=.*ApiKey, name=ci/));
  }
});

test("the debug messages stay complete on request, and then the search finds the secrets in them", async () => {
  await run.workspace.up({ env: { KEYPLANE_KEEP_DEBUG_VALUES: "true" } });
  const found = await run.workspace.secretsInClear();
  expect(new Set(found.map(({ secret }) => secret)).size).toBe(2);
  expect(found.some(({ place }) => place.endsWith(".jsonl"))).toBe(true);
});
