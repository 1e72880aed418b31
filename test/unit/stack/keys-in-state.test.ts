import { expect, test } from "vitest";
import { stackState } from "../../../provider/stack/keys-in-state";
import { apiKey, DYNAMIC, ENCRYPTED, PLUGIN, saved, stateOf, step, urnOf } from "./saved-stack";

/** What a state says of the keys of one resource: `id role`, and whether the key outlives the resource. */
function heldBy(resource: object): readonly string[] {
  const { held } = stackState("state", stateOf([resource]));
  return held.map(({ id, role, stays }) => `${id} ${role}${stays ? " stays" : ""}`);
}

const rotating = (outputs: object, fields: object = {}) =>
  saved(`${PLUGIN}RotatingApiKey`, "ci", "ci-abc", { outputs, ...fields });

test.each<[string, object, readonly string[]]>([
  ["the current key", apiKey("ci", "7"), ["7 current"]],
  ["the current key of a state without its id", saved(`${PLUGIN}ApiKey`, "ci", "7"), ["7 current"]],
  ["the current key of a state that encrypts its id", apiKey("ci", "7", { keyId: ENCRYPTED }), ["7 current"]],
  ["no key of a resource that got none", saved(`${PLUGIN}ApiKey`, "ci", "ci-abc"), []],
  ["the key that such a resource got later", apiKey("ci", "ci-abc", { keyId: "7" }), ["7 current"]],
  ["keys to revoke", apiKey("ci", "8", { pendingRevocations: ["7"] }), ["7 to be revoked", "8 current"]],
  ["both keys of a rotation", rotating({ keyId: "8", previousKeyId: "7" }), ["7 previous", "8 current"]],
  ["no key in the id of a rotating one", saved(`${PLUGIN}RotatingApiKey`, "ci", "7"), []],
  ["the key of a replaced resource", apiKey("ci", "7", {}, { delete: true }), ["7 to be revoked"]],
  ["a kept key of one", apiKey("ci", "7", { revokeOnDelete: false }, { delete: true }), ["7 kept"]],
  ["a key that Pulumi does not delete", apiKey("ci", "7", {}, { retainOnDelete: true }), ["7 current stays"]],
  ["a kept key that is to be revoked now", apiKey("ci", "7", { revokeOnDelete: false, revokeNow: "7" }), ["7 current"]],
  ["no key of another package", saved("other:index:ApiKey", "ci", "7", { outputs: { keyId: "7" } }), []],
])("a state shows %s", (_, resource, expected) => {
  expect(heldBy(resource)).toEqual(expected);
});

test("a state has marks, notes of creations, and places with encrypted ids", () => {
  const resources = [
    apiKey("a", "7", {}, { inputs: { __mark: "aaaaaaaaaaaa" } }),
    apiKey("b", "8", { __mark: "bbbbbbbbbbbb" }, { delete: true }),
    rotating({ keyId: ENCRYPTED, __mark: "bbbbbbbbbbbb" }),
  ];
  const pending = [
    step("creating", "c", "cccccccccccc"),
    step("updating", "d", "dddddddddddd"),
    step("creating", "e", "eeeeeeeeeeee", { type: "other:index:ApiKey" }),
    step("creating", "f", "", { inputs: {} }),
  ];
  expect(stackState("s", stateOf(resources, pending))).toMatchObject({
    ...{ source: "s", stack: "app/dev", underWay: 4 },
    marks: ["aaaaaaaaaaaa", "bbbbbbbbbbbb"],
    notes: [{ urn: urnOf(`${DYNAMIC}ApiKey`, "c"), mark: "cccccccccccc" }],
    hidden: [urnOf(`${PLUGIN}RotatingApiKey`, "ci")],
  });
  expect(stackState("s", stateOf([], pending)).stack).toBe("app/dev");
  expect(stackState("s", stateOf([])).stack).toBe("");
});
