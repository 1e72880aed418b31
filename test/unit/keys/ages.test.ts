import { describe, expect, test } from "vitest";
import { deadlineRules, rotationAge, sameAge } from "../../../provider/keys/ages";
import { UNKNOWN } from "../../../provider/schema/fields";
import { DAY } from "../../times";

test.each<[unknown, unknown, boolean]>([
  ["1d", "24h", true],
  ["1d", "25h", false],
  ["1d", undefined, false],
  [undefined, undefined, true],
  [undefined, UNKNOWN, false],
  ["1d", UNKNOWN, false],
])("maxAge %j and %j are the same: %j", (one, other, isSame) => {
  expect(sameAge(one, other)).toBe(isSame);
});

describe("the rules of maxAge", () => {
  test("rotate after two thirds of it, unless rotateAfter is set", () => {
    expect(rotationAge({ maxAge: "30d" })).toBe(20 * DAY);
    expect(rotationAge({ maxAge: "30d", rotateAfter: "5d" })).toBe(5 * DAY);
    expect(rotationAge({})).toBeUndefined();
  });

  test.each([
    [{ maxAge: "30d" }, 0],
    [{ maxAge: "30d", rotateAfter: "29d" }, 0],
    [{ maxAge: "30d" }, 9 * DAY],
    [{ maxAge: "30d", rotationWindow: {} }, 0],
    [{ maxAge: "10m", rotateAfter: "9m" }, 0],
    [{ maxAge: "30d", rotateAfter: UNKNOWN }, 29 * DAY],
    [{ rotateAfter: "30d" }, 0],
    [{}, 0],
  ])("accept %j with a grace of %d ms", (inputs, grace) => {
    expect(deadlineRules(inputs, grace)).toEqual([]);
  });

  test.each([
    [{ maxAge: "9m" }, 0, "at least 10m"],
    [{ maxAge: "30d", rotateAfter: "30d" }, 0, "rotateAfter (30 d)"],
    [{ maxAge: "30d" }, 10 * DAY, "two thirds of it until the rotation (20 d), gracePeriod (10 d)"],
    [{ maxAge: "30d", rotateAfter: UNKNOWN }, 30 * DAY, "deadline: gracePeriod (30 d)"],
    [{ maxAge: "20d", rotationWindow: {} }, 0, "7 days in which rotationWindow may be closed"],
  ])("refuse %j with a grace of %d ms", (inputs, grace, reason) => {
    expect(deadlineRules(inputs, grace)).toEqual([{ property: "maxAge", reason: expect.stringContaining(reason) }]);
  });
});
