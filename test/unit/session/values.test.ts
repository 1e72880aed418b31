import { expect, test } from "vitest";
import { SECRET_VALUES } from "../../../provider/outputs";
import { fromPulumi, fromState, markSecrets, toState, unmarked } from "../../../provider/session/values";

test("an absent output is null in the state, and other outputs are kept", () => {
  const outputs = { key: "k", rotateAt: undefined, previousKey: "p" };
  expect(toState(outputs, ["rotateAt", "previousKey", "pending"])).toEqual({
    key: "k",
    previousKey: "p",
    rotateAt: null,
    pending: null,
  });
  expect(toState({ key: "k", retired: undefined })).toEqual({ key: "k" });
});

test("a null in a state or in inputs is read as an absent value, and `__provider` is removed", () => {
  expect(fromState({ __provider: "code", key: "k", previousKey: null })).toEqual({ key: "k" });
  expect(fromPulumi({ __provider: "code", namePrefix: null, verify: false })).toEqual({ verify: false });
  const values = { key: "k", empty: "", list: [] };
  expect(fromState({ __provider: "code", ...values })).toEqual(values);
});

test("the secrets of a resource are marked, but no secret that it lacks", () => {
  const outputs = { keyId: "7", key: "k", previousKey: "p", sealedTo: "a" };
  const secrets = markSecrets({ ...outputs }, SECRET_VALUES);
  const names = Object.entries(secrets).flatMap(([name, value]) => (typeof value === "object" ? [name] : []));
  expect(names).toEqual(["key", "previousKey", "sealedTo"]);
  expect(unmarked(secrets)).toEqual(outputs);
  expect(markSecrets({ key: null, keyId: "7" }, SECRET_VALUES)).toEqual({ key: null, keyId: "7" });
});
