import { expect, test } from "vitest";
import { parseFlags } from "../command/flags";

const KINDS = { yes: "switch", refresh: "switch", "event-log": "value", parallel: "value" } as const;

test("flags can be long or short, with attached or separate values, and the rest are words", () => {
  const flags = parseFlags(["-y", "--event-log=b=c", "-p4", "-s", "dev", "word", "--", "--yes"], KINDS);
  expect([...flags.switches]).toEqual(["yes"]);
  expect(Object.fromEntries(flags.values)).toEqual({ "event-log": "b=c", parallel: "4", stack: "dev" });
  expect(flags.words).toEqual(["word", "--yes"]);
});

test("a switch with a value is refused by name, not ignored", () => {
  expect(() => parseFlags(["--refresh=false"], KINDS)).toThrow("does not support a value of the flag --refresh");
});

test("a flag without the value it needs is an error that names it", () => {
  expect(() => parseFlags(["--parallel"], KINDS)).toThrow("--parallel needs a value");
});
