import { expect, test } from "vitest";
import { finderIn, stateKeys } from "../../../cli/state/state-keys";
import { stateIn } from "../../../cli/state/states";
import { apiKey, DYNAMIC, ENCRYPTED, PLUGIN, saved, stateOf, step, urnOf } from "../stack/saved-stack";

/** The keys of a state: `id role`, and whether the key outlives the resource. */
function held(...resources: readonly object[]): readonly string[] {
  return stateKeys(stateOf(resources)).map(({ id, role, stays }) => `${id} ${role}${stays ? " stays" : ""}`);
}

const rotating = (outputs: object, fields: object = {}) =>
  saved(`${PLUGIN}RotatingApiKey`, "ci", "ci-abc", { outputs, ...fields });

test.each<[string, object, readonly string[]]>([
  ["both keys of a rotation", rotating({ keyId: "8", previousKeyId: "7" }), ["7 previous", "8 current"]],
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
  ["the key of a replaced resource", apiKey("ci", "7", {}, { delete: true }), ["7 to be revoked"]],
  ["a kept key of one", apiKey("ci", "7", { revokeOnDelete: false }, { delete: true }), ["7 kept"]],
  ["a key that Pulumi does not delete", apiKey("ci", "7", {}, { retainOnDelete: true }), ["7 current stays"]],
  ["a kept key that is to be revoked now", apiKey("ci", "7", { revokeOnDelete: false, revokeNow: "7" }), ["7 current"]],
  ["no key of another package", saved("other:index:ApiKey", "ci", "7", { outputs: { keyId: "7" } }), []],
])("a state shows %s", (_, resource, expected) => {
  expect(held(resource)).toEqual(expected);
});

test("of two holders of a key, the one counts that knows its name, and the one that is not replaced", () => {
  const left = apiKey("a", "7", {}, { delete: true });
  expect(held(apiKey("a", "7"), rotating({ pendingRevocations: ["7"] }), left)).toEqual(["7 current"]);
  expect(held(rotating({ keyId: "9" }), rotating({ pendingRevocations: ["7"] }))).toEqual([
    "9 current",
    "7 to be revoked",
  ]);
});

test("keys of one id are different ones if their names or their accounts differ", () => {
  const eu = { account: "eu" };
  const previous = rotating({ keyId: "8", name: "b-2", previousKeyId: "7", previousName: "b-key", ...eu });
  expect(held(apiKey("a", "7"), previous)).toEqual(["7 current", "7 previous", "8 current"]);
  expect(held(apiKey("a", "7"), apiKey("b", "7", { name: "a-key", ...eu }))).toEqual(["7 current", "7 current"]);
});

test("a key that another account is to revoke does not stand for the one that has its id here", () => {
  const [here, there] = [apiKey("a", "7"), rotating({ pendingRevocations: ["7"], account: "eu" })];
  expect(held(here, there)).toEqual(["7 current", "7 to be revoked"]);
  const find = finderIn(stateKeys(stateOf([here, there])));
  expect(["a-key", "b-key"].map((name) => find({ id: "7", name })?.role)).toEqual(["current", "to be revoked"]);
  expect(find({ id: "8", name: "a-key" })).toBeUndefined();
});

test("a state has its stack, suffixes, pending creations, and places with encrypted ids", () => {
  const resources = [
    apiKey("a", "7", {}, { inputs: { __suffix: "aaaaaaaaaaaa" } }),
    rotating({ keyId: ENCRYPTED, attempts: 3 }),
    saved("other:index:ApiKey", "b", "8", { outputs: { keyId: ENCRYPTED } }),
  ];
  const inputs = (organizationId: unknown) => ({ inputs: { __suffix: "cccccccccccc", organizationId } });
  const pending = [
    step("creating", "c", "", inputs("org-1")),
    step("creating", "e", "", inputs(ENCRYPTED)),
    step("updating", "d", "dddddddddddd"),
  ];
  const [key, hidden] = [urnOf(`${DYNAMIC}ApiKey`, "a"), urnOf(`${PLUGIN}RotatingApiKey`, "ci")];
  expect(stateIn("s", stateOf(resources, pending))).toMatchObject({
    source: "s",
    stack: "app/dev",
    underWay: 3,
    hidden: [hidden],
    owners: [
      { urn: key, suffix: "aaaaaaaaaaaa", attempts: 1 },
      { urn: hidden, suffix: undefined, attempts: 3 },
    ],
    pendingCreations: [
      { urn: urnOf(`${DYNAMIC}ApiKey`, "c"), suffix: "cccccccccccc", scope: { organizationId: "org-1" } },
      { urn: urnOf(`${DYNAMIC}ApiKey`, "e"), suffix: "cccccccccccc", scope: undefined },
    ],
  });
  expect(stateIn("s", stateOf([], pending)).stack).toBe("app/dev");
  expect(stateIn("s", stateOf([])).stack).toBe("");
});
