import { expect, test } from "vitest";
import { identityOf } from "../../../provider/keys/identity";
import { isMadeByOneOf, isOthers, makerIn, ownerTag } from "../../../provider/keys/names";
import { generatedName } from "../../generated-name";

const [mine, theirs] = ["5b4f6f54-8f0c-4a5e-9a44-1f6a0c6b7a11", "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22"];

test("what a state says about the maker of a key counts for no other key of the resource", () => {
  const outputs = { keyId: "11", previousKeyId: "10", mintedBy: "aaaaaaaa" };
  expect([makerIn(outputs, "11"), makerIn(outputs, "10")]).toEqual(["aaaaaaaa", undefined]);
  const adopted = { ...outputs, adopted: { id: "10", by: "bbbbbbbb" } };
  expect([makerIn(adopted, "11"), makerIn(adopted, "10")]).toEqual(["aaaaaaaa", "bbbbbbbb"]);
});

test("a key is another stack's only if its record or its name says so", () => {
  const made = (name: string | undefined, maker?: string) => ({ name, maker });
  const cases = [
    [made(generatedName("app", mine)), true],
    [made(generatedName("app", theirs)), false],
    [made(generatedName("app", mine), ownerTag(theirs)), false],
    [made("by-hand"), undefined],
    [made(undefined), undefined],
  ] as const;
  for (const [key, isMine] of cases) {
    expect(isMadeByOneOf(key, [ownerTag(mine)])).toBe(isMine);
    expect(isMadeByOneOf(key, [])).toBeUndefined();
    expect(isOthers(key, identityOf(mine, undefined))).toBe(isMine === false);
    expect(isOthers(key, undefined)).toBe(false);
  }
});
