import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pluginForPreloads } from "../plugin-folder";
import { StackUnderTest } from "./stack-under-test";

const N = 50;

/**
 * The most bytes of those parts of a key's resource in a state that keyplane decides on.
 * The engine decides on the others: its timestamps differ in length, and a generated SDK's stack trace has the program's path.
 */
const MOST = {
  keyplane: { inputs: 185, outputs: 610, propertyDependencies: 50, stackTrace: 60, hideDiff: 4 },
  "plugin-sdk": { inputs: 30, outputs: 450, propertyDependencies: 4, hideDiff: 4 },
};

let plane: ControlPlane;
let run: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

describe.each(Object.entries(MOST))("with %s", (sdk, most) => {
  test("a key takes few bytes of state, because backends write the whole state at every step", async () => {
    const program = `const { ApiKey } = require("${sdk}");
for (let at = 0; at < ${N}; at++) new ApiKey("key-" + at);
`;
    const plugin = { packages: { [sdk]: join(__dirname, "..", sdk) }, plugins: { keyplane: pluginForPreloads() } };
    run = await StackUnderTest.of(plane, { "index.js": program }, sdk === "keyplane" ? {} : plugin);
    await run.run("up");
    const { resources = [] } = (await run.workspace.exportState()).deployment;
    const keys = resources.filter(({ type }) => type.endsWith(":ApiKey"));
    expect(keys).toHaveLength(N);
    for (const key of keys) {
      const parts = { ...key } as Readonly<Record<string, unknown>>;
      for (const [part, bytes] of Object.entries(most)) {
        expect(JSON.stringify(parts[part] ?? null).length, part).toBeLessThanOrEqual(bytes);
      }
    }
    expect(keys.flatMap(({ dependencies = [] }) => dependencies)).toEqual([]);
    // No code of the provider is saved but one line, once in the inputs and once in the outputs.
    for (const { inputs, outputs } of sdk === "keyplane" ? keys : []) {
      expect(String(inputs?.__provider).length).toBeLessThanOrEqual(64);
      expect(outputs?.__provider).toBe(inputs?.__provider);
    }
    // Nor a path of keyplane's own classes.
    expect(JSON.stringify(resources)).not.toContain("sdk/nodejs");
  });
});
