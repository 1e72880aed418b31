import { expect, test } from "vitest";
import { parseFlags } from "../command/flags";

const KINDS = { yes: "switch", refresh: "switch", target: "list", parallel: "value" } as const;

test("flags can be long or short, with attached or separate values, and the rest are words", () => {
  const flags = parseFlags(["-y", "--target", "a", "--target=b=c", "-p4", "-s", "dev", "word", "--", "--yes"], KINDS);
  expect([...flags.switches]).toEqual(["yes"]);
  expect(flags.lists.get("target")).toEqual(["a", "b=c"]);
  expect(Object.fromEntries(flags.values)).toEqual({ parallel: "4", stack: "dev" });
  expect(flags.words).toEqual(["word", "--yes"]);
});

test("a later switch overrides an earlier one, so that a script's default can be changed", () => {
  expect(parseFlags(["--refresh", "--refresh=false"], KINDS).switches.has("refresh")).toBe(false);
  expect(parseFlags(["--refresh=true"], KINDS).switches.has("refresh")).toBe(true);
});

test("a flag without the value it needs is an error that names it", () => {
  expect(() => parseFlags(["--parallel"], KINDS)).toThrow("--parallel needs a value");
});
