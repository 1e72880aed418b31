import { expect, test } from "vitest";
import { isKeyType } from "../../provider/type-tokens";

test("a type with a key's secret is recognized in a program of any language, and no other type is", () => {
  for (const family of ["pulumi-nodejs:dynamic/keyplane:", "keyplane:index:"]) {
    expect(["ApiKey", "RotatingApiKey"].map((kind) => isKeyType(family + kind))).toEqual([true, true]);
    for (const kind of ["ProjectReady", "Owner", "Ledger", "constructor", ""])
      expect(isKeyType(family + kind)).toBe(false);
  }
  expect(isKeyType("other:index:ApiKey")).toBe(false);
});
