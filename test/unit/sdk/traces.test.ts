import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pauseTraces } from "../../../sdk/nodejs/run/traces";

const original = { prepare: Error.prepareStackTrace, limit: Error.stackTraceLimit };
const asText = (_error: Error, frames: NodeJS.CallSite[]) => frames.map((frame) => frame.getFileName());

const own = join(__dirname, "..", "..", "..", "sdk", "nodejs", "api-key.js");
const sdk = "/app/node_modules/.pnpm/@pulumi+pulumi@3/node_modules/@pulumi/pulumi/resource.js";
const frameOf = (file: string | null) => ({ getFileName: () => file }) as NodeJS.CallSite;

/** The files that a trace of these files shows while traces are paused. */
function shown(files: readonly (string | null)[]): unknown {
  const resume = pauseTraces();
  try {
    return Error.prepareStackTrace?.(new Error(), files.map(frameOf));
  } finally {
    resume();
  }
}

beforeEach(() => {
  Error.prepareStackTrace = asText;
});

afterEach(() => {
  Object.assign(Error, { prepareStackTrace: original.prepare, stackTraceLimit: original.limit });
});

describe("while a resource is registered", () => {
  test("the trace of its declaration shows the program, because the state repeats it for each key", () => {
    const program = ["/app/keys.js", "/app/node_modules/components/index.js", pathToFileURL("/app/main.mjs").href];
    const files = [sdk, sdk, sdk, sdk, own, own, ...program, null, "node:internal/main", sdk];
    // Pulumi skips its own first frames and the one of the resource's class.
    expect(shown(files)).toEqual([sdk, sdk, sdk, sdk, own, ...program]);
  });

  test("a trace of a program that is one file, with Pulumi's SDK in it, shows the same", () => {
    const bundle = "/app/main.js";
    expect(shown([bundle, bundle, bundle, null])).toEqual([bundle, bundle, bundle]);
    expect(shown([])).toEqual([]);
  });

  test("no other trace is taken, and then everything is as it was", () => {
    const resume = pauseTraces();
    expect(Error.stackTraceLimit).toBe(0);
    resume();
    expect(Error.stackTraceLimit).toBe(original.limit);
    expect(Error.prepareStackTrace).toBe(asText);
  });

  test("a trace that nobody maps to its sources stays as Node writes it", () => {
    Object.assign(Error, { prepareStackTrace: undefined });
    expect(shown([own, sdk])).toBeUndefined();
  });
});
