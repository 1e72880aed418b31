import { expect, test } from "vitest";
import { sourcesBelow, textOf } from "./source-files";

/** Lines of the provider with values whose members have no types. Lower it with each change that needs fewer. */
const LIMIT = 4;

/** Where values of Pulumi arrive and leave. What a service's answer or a file has is read as `Members`. */
const BORDER = ["provider/session/values.ts", "provider/dynamic/adapter.ts", "provider/plugin/"];

test("values without types are left at the border only, and never become more", () => {
  const lines = sourcesBelow("provider").flatMap((path) => textOf(path).split("\n"));
  const code = lines.filter((line) => !/^(import | \*|\/\*\*)/.test(line));
  const untyped = code.filter((line) => /\bProperties\b|Record<string, unknown>/.test(line));
  expect(untyped.length).toBe(LIMIT);
});

test("only the front ends have values of Pulumi that nobody has read yet", () => {
  const inside = sourcesBelow("provider").filter((path) => !BORDER.some((border) => path.startsWith(border)));
  expect(inside.filter((path) => /import \{[^}]*\bValues\b/.test(textOf(path)))).toEqual([]);
});
