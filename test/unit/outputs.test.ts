import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../provider/schema/field-types";
import { readOutputs } from "../../provider/schema/outputs";

describe("outputs as the callers of a resource type read them", () => {
  test.each([
    ["a number as the owner", { owner: 7 }],
    ["a list as the time of creation", { createdAt: ["2026-11-21T00:00:00Z"] }],
    ["an object as a key", { key: { value: "x" } }],
    ["a text as the compromised keys", { compromised: "1001" }],
  ])("%s is left out, as if the state did not have it", (_, wrong) => {
    expect(readOutputs({ ...wrong, keyId: "1001", prefix: 3 })).toEqual({ keyId: "1001", prefix: 3 });
  });

  test("right values, values of one type alone, and values that a preview does not know stay", () => {
    const values = { owner: UNKNOWN, key: null, keyId: "1001", retired: ["1000"], adopt: { id: "1" }, projects: 2 };
    expect(readOutputs(values)).toBe(values);
  });

  test("the texts that one front end adds are read in the same way", () => {
    expect(readOutputs({ __owner: 7, __other: 7 }, ["__owner"])).toEqual({ __other: 7 });
  });
});
