import { expect, test } from "vitest";
import type { StateResource } from "../../../provider/stack/deployment";
import { isKeyplanes, stackState } from "../../../provider/stack/keys-in-state";
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
  ["no key in what is no id", rotating({ keyId: "none" }), []],
  ["the key that an ApiKey got in place of that of its id", apiKey("ci", "6", { keyId: "7" }), ["7 current"]],
  [
    "both keys of a replaced rotation",
    rotating({ keyId: "8", previousKeyId: "7" }, { delete: true }),
    ["7 previous", "8 to be revoked"],
  ],
  [
    "both kept keys of a rotation",
    rotating({ keyId: "8", previousKeyId: "7", revokeOnDelete: false }),
    ["7 previous stays", "8 current stays"],
  ],
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

test("of two holders of a key, only the one that knows its name counts", () => {
  const resources = [
    rotating({ pendingRevocations: ["7"] }),
    apiKey("a", "7", { name: "a" }),
    rotating({ keyId: "9" }),
  ];
  const { held } = stackState("s", stateOf(resources));
  expect(held.map(({ id, role, name }) => [id, role, name])).toEqual([
    ["7", "current", "a"],
    ["9", "current", undefined],
  ]);
});

test("the resources of keyplane are its own and its provider, whose configuration has a credential", () => {
  const types = [`${DYNAMIC}ApiKey`, `${PLUGIN}ApiKey`, "pulumi:providers:keyplane", "pulumi:providers:other"];
  expect(types.map((type) => isKeyplanes({ type } as StateResource))).toEqual([...[true, true, true, false]]);
});
