import { expect, test } from "vitest";
import { filesBelow, textOf } from "./source-files";

const paths = ["docs", "examples", "provider/plugin/examples", "sdk/nodejs"]
  .flatMap((folder) => filesBelow(folder))
  .concat("README.md")
  .filter((path) => /\.(md|ts|py)$/.test(path) && !path.includes("node_modules"));

/** The lines of documents and examples with a pattern. */
function linesWith(pattern: RegExp): string[] {
  return paths.flatMap((path) => (textOf(path).match(pattern) ?? []).map((line) => `${path}: ${line}`));
}

test("no example exports several keys in an object that is not a secret, which the Automation API shows as a plain one", () => {
  expect(linesWith(/export const keys = pulumi\.secret\(/g).length).toBeGreaterThan(2);
  // The page about languages explains the wrong form in a sentence.
  const nested = linesWith(/^[ *]*export const \w+ = (\{.*\.(key|previousKey)\b|Object\.fromEntries).*/gm);
  expect(nested).toEqual([]);
});

test("no example in Python exports a key, because older versions of Pulumi's SDK log it", () => {
  expect(linesWith(/pulumi\.export\(.*/g).length).toBeGreaterThan(5);
  expect(linesWith(/pulumi\.export\(.*\.(key|previous_key)\b.*/g)).toEqual([]);
});
