import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ExampleRun } from "./run-example";

let plane: ControlPlane;
let run: ExampleRun;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

test("a key takes at most 2 200 bytes of state, because backends write the whole state at every step", async () => {
  const N = 50;
  const program = `const { ApiKey } = require("keyplane");
for (let at = 0; at < ${N}; at++) new ApiKey("key-" + at);
`;
  run = await ExampleRun.create(plane, { "index.js": program });
  await run.run("up");
  const { deployment } = await run.workspace.exportState();
  expect(JSON.stringify(deployment).length / N).toBeLessThanOrEqual(2200);
  const keys = deployment.resources?.filter(({ type }) => type.endsWith(":ApiKey")) ?? [];
  expect(keys).toHaveLength(N);
  // The inputs and the outputs contain it once each. No other code of the provider is saved.
  for (const { inputs, outputs } of keys) {
    expect(String(inputs?.__provider).length).toBeLessThanOrEqual(64);
    expect(outputs?.__provider).toBe(inputs?.__provider);
  }
});
