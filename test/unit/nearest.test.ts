import { expect, test } from "vitest";
import { didYouMean } from "../../provider/nearest";
import { apiKey } from "../../provider/resources/api-key";

const NAMES = Object.keys(apiKey.fields);

test.each([
  ["nmae", "name"],
  ["rotateafter", "rotateAfter"],
  ["rotationTrigger", "rotationTriggers"],
  ["prefixName", undefined],
  ["waitForProject", "waitForProjects"],
  ["onConflict", undefined],
  ["operationTimeOuts", "operationTimeout"],
  ["", undefined],
  ["expiry", undefined],
  ["x".repeat(100_000), undefined],
])("the name %.20s leads to %s", (text, name) => {
  expect(didYouMean(text, NAMES)).toBe(name === undefined ? "" : `. Did you mean ${name}?`);
});

test("the name with the fewest errors is suggested, and the first of several", () => {
  expect(didYouMean("cat", ["cut", "cart", "hat"])).toBe(". Did you mean cut?");
  expect(didYouMean("crat", ["cut", "cart", "hat"])).toBe(". Did you mean cart?");
});
