import { describe, expect, test } from "vitest";
import { forProgram, forProvider, receive } from "../program/wire";
import { SIGNATURE_KEY, secretOf } from "../state/property";
import { annotateSecrets, containsUnknown, equalValues, UNKNOWN, withSecretOutputs } from "../state/values";

describe("secrets", () => {
  test("in a request come back in the answer, key by key", () => {
    const asked = { a: secretOf("x"), deep: { b: secretOf(1), c: 2 }, list: [secretOf(1)], gone: secretOf(1) };
    expect(annotateSecrets({ a: "x", deep: { b: 1, c: 2 }, list: [1], new: 3 }, asked)).toEqual({
      a: secretOf("x"),
      deep: { b: secretOf(1), c: 2 },
      list: secretOf([1]),
      new: 3,
    });
  });

  test("include the listed outputs and those whose input is secret", () => {
    const outputs = withSecretOutputs({ key: "k", v: "x", id: "1" }, ["key", "id", "missing"], { v: secretOf("y") });
    expect(outputs).toEqual({ key: secretOf("k"), v: secretOf("x"), id: "1" });
  });

  test("are equal only to secrets, in any order of their keys", () => {
    expect(equalValues(secretOf({ a: 1, b: 2 }), secretOf({ b: 2, a: 1 }))).toBe(true);
    expect(equalValues(secretOf(1), 1)).toBe(false);
  });
});

describe("over gRPC,", () => {
  const output = { [SIGNATURE_KEY]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", secret: true, dependencies: ["urn"] };

  test("an output value becomes a plain value that keeps its dependencies", () => {
    expect(receive({ ...output, value: 1 })).toEqual({ value: secretOf(1), dependencies: ["urn"] });
    expect(containsUnknown(receive(output).value)).toBe(true);
  });

  test("a secret reaches the program as a secret and the provider as a plain value", () => {
    const { value } = receive({ ...output, value: 1 });
    const wrapped = { [SIGNATURE_KEY]: "1b47061264138c4ac30d75fd1eb44270", value: 1 };
    expect(forProgram({ value })).toEqual({ value: wrapped });
    expect(forProvider({ value }, false)).toEqual({ value: 1 });
  });

  test("an unknown value reaches a provider only if unknowns are kept", () => {
    const map = { a: UNKNOWN, b: { c: secretOf(UNKNOWN), d: 1 }, e: [UNKNOWN, 2] };
    expect(forProvider(map, false)).toEqual({ b: { d: 1 }, e: [2] });
    expect(forProvider(map, true)).toEqual({
      a: UNKNOWN,
      b: { c: UNKNOWN, d: 1 },
      e: [UNKNOWN, 2],
    });
  });

  test("a resource reaches a provider as its id, a component as its URN", () => {
    const reference = { [SIGNATURE_KEY]: "5cf8f73096256a8f31e491e813e4eb8e", urn: "urn:x" };
    expect(forProvider({ a: { ...reference, id: "7" }, b: reference }, false)).toEqual({ a: "7", b: "urn:x" });
  });
});
