import { afterEach, expect, test } from "vitest";
import { ConfigError } from "../../../provider/errors";

const { prepareStackTrace } = Error;

afterEach(() => {
  Error.prepareStackTrace = prepareStackTrace;
});

test("an error has no stack line that some releases of Node inspect for half a minute, and keeps all others", () => {
  const program = "    at program (/p/index.ts:1:1)";
  const others = [
    program,
    "    at f (/p/node_modules/@pulumi/pulumi/output.js:1:1)",
    "    at g (/p/node_modules/x/y.js)",
  ];
  // As Pulumi's source maps name its files.
  const endless = ["    at h (/p/node_modules/@pulumi/output.ts:1:1)", "    at i (C:\\p\\node_modules\\x.js:1:1)"];
  Error.prepareStackTrace = (error) => [String(error), endless[0], ...others, endless[1]].join("\n");
  const { stack = "" } = new ConfigError("it is not set");
  expect(stack.split("\n").slice(1)).toEqual(others);
});
