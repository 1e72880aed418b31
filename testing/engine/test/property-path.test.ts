import { describe, expect, test } from "vitest";
import { secretOf } from "../state/property";
import { keepIgnored, parsePath, pathContains } from "../state/property-path";
import { equalValues } from "../state/values";

test.each([
  ["a", ["a"]],
  ["a.b", ["a", "b"]],
  ["a[0].b", ["a", 0, "b"]],
  ['a["x.y"]', ["a", "x.y"]],
  ['["a \\"b\\""]', ['a "b"']],
  ["a[*]", ["a", "*"]],
  ["*", ["*"]],
])("the path %s has the elements %j", (text, elements) => {
  expect(parsePath(text)).toEqual(elements);
});

test.each(["a.", "a[", "a[x]", ""])("%j is not a path", (text) => {
  expect(parsePath(text)).toBeUndefined();
});

test("a path contains itself and everything below it", () => {
  expect(pathContains(["a"], ["a", "b"])).toBe(true);
  expect(pathContains(["a", "*"], ["a", 3])).toBe(true);
  expect(pathContains(["a", "b"], ["a"])).toBe(false);
});

describe("an ignored property", () => {
  test("is removed if it was added, and restored if it was removed", () => {
    expect(keepIgnored({ added: 1, kept: 2 }, { removed: 3, kept: 4 }, ["added", "removed"])).toEqual({
      inputs: { kept: 2, removed: 3 },
      invalid: [],
    });
  });

  test("is reported and not changed if its parent exists on one side only", () => {
    expect(keepIgnored({ list: [1, 2] }, { list: [1] }, ["list[1]", "map.x"])).toEqual({
      inputs: { list: [1, 2] },
      invalid: ["list[1]"],
    });
    expect(keepIgnored({}, { map: { x: 1 } }, ["map.x"]).invalid).toEqual(["map.x"]);
  });

  test("stays secret inside a secret, and becomes secret if it was secret before", () => {
    const inside = keepIgnored({ s: secretOf({ a: 1, b: 1 }) }, { s: secretOf({ a: 2, b: 2 }) }, ["s.a"]).inputs.s;
    expect(equalValues(inside, secretOf({ a: 2, b: 1 }))).toBe(true);
    const whole = keepIgnored({ s: { a: 1 } }, { s: secretOf({ a: 2 }) }, ["s.a"]).inputs.s;
    expect(equalValues(whole, { a: secretOf(2) })).toBe(true);
  });
});
