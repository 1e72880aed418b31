import { expect, test } from "vitest";
import type { StateResource } from "../../../provider/stack/deployment";
import {
  hidesKeys,
  isKeyplanes,
  keysIn,
  lostNamesIn,
  pendingCreationsIn,
  suffixOf,
} from "../../../provider/stack/keys-in-state";
import { apiKey, DYNAMIC, ENCRYPTED, PLUGIN, saved, stateOf, step, urnOf } from "./saved-stack";

const rotating = (outputs: object) => saved(`${PLUGIN}RotatingApiKey`, "ci", "ci-abc", { outputs });

test.each<[string, object, readonly string[]]>([
  ["the current key", apiKey("ci", "7"), ["7 current ci-key"]],
  ["the current key of a state without its id", saved(`${PLUGIN}ApiKey`, "ci", "7"), ["7 current"]],
  ["the current key of a state that encrypts its id", apiKey("ci", "7", { keyId: ENCRYPTED }), ["7 current ci-key"]],
  ["no key of a resource that got none", saved(`${PLUGIN}ApiKey`, "ci", "ci-abc"), []],
  ["the key that such a resource got later", apiKey("ci", "ci-abc", { keyId: "7" }), ["7 current ci-key"]],
  ["keys to revoke", apiKey("ci", "8", { pendingRevocations: ["7"] }), ["7 to be revoked", "8 current ci-key"]],
  [
    "both keys of a rotation",
    rotating({ keyId: "8", previousKeyId: "7", previousName: "ci-1" }),
    ["7 previous ci-1", "8 current"],
  ],
  ["no key in what is no id", rotating({ keyId: "none" }), []],
  ["the key that an ApiKey got in place of that of its id", apiKey("ci", "6", { keyId: "7" }), ["7 current ci-key"]],
  ["no key in the id of a rotating one", saved(`${PLUGIN}RotatingApiKey`, "ci", "7"), []],
])("a resource shows %s", (_, resource, expected) => {
  const keys = stateOf([resource]).resources.flatMap(keysIn);
  expect(keys.map(({ id, role, name = "" }) => `${id} ${role} ${name}`.trim())).toEqual(expected);
});

test("a resource has its suffix in its inputs or its outputs, and hides a key whose id is encrypted", () => {
  const resources = [
    apiKey("a", "7", {}, { inputs: { __suffix: "aaaaaaaaaaaa" } }),
    apiKey("b", "8", { __suffix: "bbbbbbbbbbbb" }),
    rotating({ keyId: ENCRYPTED }),
  ];
  const read = stateOf(resources).resources;
  expect(read.map(suffixOf)).toEqual(["aaaaaaaaaaaa", "bbbbbbbbbbbb", undefined]);
  expect(read.map(hidesKeys)).toEqual([false, false, true]);
});

test("a state has pending creations of keys, with the inputs of each", () => {
  const pending = [
    step("creating", "c", "cccccccccccc", { inputs: { __suffix: "cccccccccccc", organizationId: "org-1" } }),
    step("updating", "d", "dddddddddddd"),
    step("creating", "e", "eeeeeeeeeeee", { type: "other:index:ApiKey" }),
    step("creating", "f", "", { inputs: {} }),
  ];
  const resource = { urn: urnOf(`${DYNAMIC}ApiKey`, "c"), inputs: { organizationId: "org-1" } };
  expect(pendingCreationsIn(stateOf([], pending))).toMatchObject([{ suffix: "cccccccccccc", resource }]);
});

test("a resource has the generated names of its lost requests, for which it looks itself", () => {
  const lostNames = ["ci-aaaaabbbbbbb", "exact", "ci-aaaaabbbbbbb-2"];
  expect(lostNamesIn({ __suffix: "aaaaabbbbbbb", lostNames })).toEqual([lostNames[0], lostNames[2]]);
  expect(lostNamesIn({})).toEqual([]);
});

test("the resources of keyplane are its own and its provider, whose configuration has a credential", () => {
  const types = [`${DYNAMIC}ApiKey`, `${PLUGIN}ApiKey`, "pulumi:providers:keyplane", "pulumi:providers:other"];
  expect(types.map((type) => isKeyplanes({ type } as StateResource))).toEqual([...[true, true, true, false]]);
});
