import { describe, expect, test } from "vitest";
import { type EngineCall, factsFor as factsOf, type Shown } from "../../../provider/stack/stack-facts";
import { apiKey, DYNAMIC, ENCRYPTED, PLUGIN, provider, providerUrn, saved, stateOf, step, urnOf } from "./saved-stack";

const URN = urnOf(`${DYNAMIC}ApiKey`, "ci");
const URN_ELSEWHERE = urnOf("other:index:ApiKey", "a");
const SUFFIX = "aaaaabbbbbbb";
const OTHER_SUFFIX = "aaaaaccccccc";

const creating: EngineCall = { verb: "create", urn: URN, suffix: SUFFIX };
const updating: EngineCall = { verb: "update", urn: URN, suffix: SUFFIX };
const deleting: EngineCall = { verb: "delete", urn: URN, id: "7" };
const reading: EngineCall = { verb: "read", urn: URN, id: "7" };
const own = step("creating", "ci", SUFFIX);
const deletion = { type: "deleting", resource: apiKey("old name", "7") };

/** What the engine has shown: `ci`, whose key is 7. */
const shown = (suffix = SUFFIX, id = "7"): Shown => new Map([[suffix, new Set([id])]]);
const factsFor = (state: ReturnType<typeof stateOf>, operation: EngineCall, seen: Shown = new Map()) =>
  factsOf(state, operation, seen);

describe("a state is that of the operation's stack", () => {
  test.each<[string, EngineCall, object[], object[], boolean]>([
    ["with its pending creation", creating, [], [own], true],
    ["without it: no", creating, [apiKey("ci", "7", { __suffix: SUFFIX })], [], false],
    ["with that of another run: no", creating, [], [step("creating", "ci", OTHER_SUFFIX)], false],
    ["with that of another resource: no", creating, [], [step("creating", "other", SUFFIX)], false],
    ["with a pending update of it: no", creating, [], [step("updating", "ci", SUFFIX)], false],
    [
      "without a suffix to look for: no",
      { ...creating, suffix: undefined },
      [],
      [step("creating", "ci", "", { inputs: {} })],
      false,
    ],
    ["with its pending update", updating, [apiKey("ci", "7")], [step("updating", "ci", SUFFIX)], true],
    ["without its pending update: no", updating, [apiKey("ci", "7", { __suffix: SUFFIX })], [own], false],
    ["with its pending deletion, although an alias renamed it", deleting, [], [deletion], true],
    ["with that of another key: no", { ...deleting, id: "8" }, [apiKey("ci", "8")], [deletion], false],
    [
      "with the deletion of a resource that has the same id, but is no key: no",
      deleting,
      [],
      [{ type: "deleting", resource: saved("other:index:Thing", "x", "7") }],
      false,
    ],
  ])("%s", (_, operation, resources, pending, isProven) => {
    expect(factsFor(stateOf(resources, pending), operation) !== undefined).toBe(isProven);
  });

  test.each<[string, object[], object[], Shown, boolean]>([
    ["with a resource that the engine has shown", [apiKey("ci", "7", { __suffix: SUFFIX })], [], shown(), true],
    ["with one that an alias renamed", [apiKey("old", "7", { __suffix: SUFFIX })], [], shown(), true],
    ["with another key under its suffix: no", [apiKey("ci", "8", { __suffix: SUFFIX })], [], shown(), false],
    ["with its key under another suffix: no", [apiKey("ci", "7", { __suffix: OTHER_SUFFIX })], [], shown(), false],
    ["with its mark alone: no", [apiKey("ci", "7", { __suffix: SUFFIX })], [], new Map([[SUFFIX, new Set()]]), false],
    [
      "with a resource that has the same mark and id, but is no key: no",
      [saved("other:index:Thing", "x", "7", { outputs: { __suffix: SUFFIX } })],
      [],
      shown(),
      false,
    ],
  ])("%s", (_, resources, pending, seen, isProven) => {
    for (const operation of [creating, updating, deleting, reading]) {
      const facts = factsFor(stateOf(resources, pending), operation, seen);
      expect([facts !== undefined, facts?.isFromBefore]).toEqual([isProven, isProven ? true : undefined]);
    }
  });

  test("and from this run only if it has the operation", () => {
    const state = stateOf([apiKey("ci", "7", { __suffix: SUFFIX })], [deletion]);
    expect(factsFor(state, deleting, shown())?.isFromBefore).toBe(false);
    expect(factsFor(state, reading, shown())?.isFromBefore).toBe(true);
  });

  test("a stack of another name has no such pending operation", () => {
    const elsewhere = { ...creating, urn: URN.replace(":dev::", ":prod::") };
    expect(factsFor(stateOf([], [own]), elsewhere)).toBeUndefined();
  });
});

describe("a pending creation", () => {
  const notesFor = (by: string | undefined, providers: readonly string[], asking = own) => {
    const left = step("creating", "left", OTHER_SUFFIX, by === undefined ? {} : { provider: `${by}::p-0` });
    const facts = factsFor(stateOf(providers.map(provider), [left, asking]), creating);
    return facts?.pendingCreations.map((each) => [each.suffix, each.process]);
  };
  const OTHER = providerUrn("eu");
  const IN_PLUGIN = providerUrn("default_1_2_3", "keyplane");

  test.each<[string, string, string, readonly string[]]>([
    ["of the same provider, which has another id by now", "own", providerUrn(), [providerUrn()]],
    ["of another provider of the program", "other", OTHER, [providerUrn(), OTHER]],
    ["of a provider that is not in the state any more", "own", OTHER, [providerUrn()]],
    ["of another package's default provider", "other", IN_PLUGIN, [providerUrn(), IN_PLUGIN]],
    ["of a package that the stack does not use any more", "own", IN_PLUGIN, [providerUrn()]],
    ["of a default provider of another version", "other", providerUrn("default_0_3_0"), [providerUrn("default_0_3_0")]],
  ])("%s is begun by: %s", (_, expected, by, providers) => {
    expect(notesFor(by, providers)).toEqual([
      [OTHER_SUFFIX, expected],
      [SUFFIX, "own"],
    ]);
  });

  test("is compared with the provider of a resource that is refreshed or deleted", () => {
    const resource = apiKey("ci", "7", { __suffix: SUFFIX }, { provider: `${OTHER}::p-1` });
    const left = step("creating", "left", OTHER_SUFFIX, { provider: `${OTHER}::p-0` });
    const state = stateOf([provider(), provider(OTHER), resource], [left, { type: "deleting", resource }]);
    for (const operation of [reading, deleting]) {
      expect(factsFor(state, operation, shown())?.pendingCreations).toMatchObject([
        { urn: urnOf(`${DYNAMIC}ApiKey`, "left"), suffix: OTHER_SUFFIX, process: "own" },
      ]);
    }
  });
});

test("a suffix is that of a resource, which has requested so many names in one of the run's processes", () => {
  const OTHER = providerUrn("eu");
  const resources = [
    apiKey("ci", "7", { __suffix: SUFFIX, attempts: 3 }),
    apiKey("db", "8", { __suffix: OTHER_SUFFIX }, { provider: `${OTHER}::p-1` }),
  ];
  const facts = factsFor(stateOf([provider(), provider(OTHER), ...resources]), reading, shown());
  expect([SUFFIX, OTHER_SUFFIX, "ccccccccccc"].map((suffix) => facts?.resourceWith(suffix))).toEqual([
    { attempts: 3, process: "own" },
    { attempts: 1, process: "other" },
    undefined,
  ]);
});

describe("a key", () => {
  const rotating = (outputs: object) => saved(`${PLUGIN}RotatingApiKey`, "ci", "ci-abc", { outputs });

  test.each<[string, "yes" | "no" | "unknown", object]>([
    ["of an ApiKey", "yes", apiKey("a", "9")],
    ["of one that has only its id", "yes", saved(`${PLUGIN}ApiKey`, "a", "9")],
    ["of one that is only left to be deleted", "yes", apiKey("a", "9", {}, { delete: true })],
    ["of one that is to be replaced", "yes", apiKey("a", "9", {}, { pendingReplacement: true })],
    ["that is current", "yes", rotating({ keyId: "9" })],
    ["that is the previous one", "yes", rotating({ keyId: "8", previousKeyId: "9" })],
    ["that is to be revoked", "yes", rotating({ keyId: "8", pendingRevocations: ["9"] })],
    ["of an ApiKey, beside an encrypted id", "yes", apiKey("a", "9", { pendingRevocations: ENCRYPTED })],
    ["of another id", "no", apiKey("a", "8")],
    ["of another id, which is encrypted beside the resource's", "no", apiKey("a", "8", { keyId: ENCRYPTED })],
    ["where ids are encrypted", "unknown", rotating({ keyId: "8", previousKeyId: ENCRYPTED })],
    ["where one of the ids is encrypted", "unknown", apiKey("a", "8", { pendingRevocations: [ENCRYPTED] })],
    ["of a resource of another package", "no", saved("other:index:ApiKey", "a", "9", { outputs: { keyId: "9" } })],
  ])("%s is held: %s", (_, expected, resource) => {
    expect(factsFor(stateOf([resource], [own]), creating)?.holds({ id: "9" })).toBe(expected);
  });

  test("is held under its name, because another account can have another key with its id", () => {
    const facts = factsFor(stateOf([apiKey("a", "9", { name: "a-1" })], [own]), creating);
    expect(["a-1", "b-1"].map((name) => facts?.holds({ id: "9", name }))).toEqual(["yes", "no"]);
    expect(facts?.holderOf({ id: "9", name: "b-1" })).toBeUndefined();
    expect(["a-1", "b-1"].map((name) => facts?.isRetained({ id: "9", name }))).toEqual([false, undefined]);
    // The state has no name of a key that is to be revoked.
    const toRevoke = factsFor(stateOf([rotating({ keyId: "8", pendingRevocations: ["9"] })], [own]), creating);
    expect(toRevoke?.holds({ id: "9", name: "any" })).toBe("yes");
  });

  test("of a lost request is held, because its resource looks for it", () => {
    const resource = apiKey("a", "8", { __suffix: SUFFIX, lostNames: [`a-${SUFFIX}-2`] });
    const facts = factsFor(stateOf([resource], [own]), creating);
    expect([`a-${SUFFIX}-2`, `a-${SUFFIX}-3`].map((name) => facts?.holds({ id: "9", name }))).toEqual(["yes", "no"]);
  });

  test.each<[string, string | undefined, object]>([
    ["that it deletes", URN_ELSEWHERE, { outputs: { name: "a-1" } }],
    ["that it retains: no", undefined, { outputs: { name: "a-1" }, retainOnDelete: true }],
    ["that it only reads: no", undefined, { outputs: { name: "a-1" }, external: true }],
    ["whose name it has not, as it is something else with this id: no", undefined, { outputs: { size: "9" } }],
    ["that is its own, but of another id: no", undefined, { id: "8", outputs: { name: "a-1", keyId: "9" } }],
  ])("is one of another provider's resource %s", (_, urn, fields) => {
    const facts = factsFor(stateOf([saved("other:index:ApiKey", "a", "9", fields)], [own]), creating);
    expect(facts?.foreignHolderOf({ id: "9", name: "a-1" })).toBe(urn);
  });

  test("has a holder", () => {
    const old = apiKey("ci", "9", {}, { delete: true });
    const facts = factsFor(
      stateOf([apiKey("ci", "8"), old, rotating({ keyId: "6", pendingRevocations: ["5"] })], [own]),
      creating,
    );
    expect(facts?.foreignHolderOf({ id: "9", name: "ci-key" })).toBeUndefined();
    expect(facts?.holderOf({ id: "9" })).toMatchObject({ urn: URN });
    expect(facts?.holderOf({ id: "6" })).toMatchObject({ urn: urnOf(`${PLUGIN}RotatingApiKey`, "ci") });
    expect(facts?.holderOf({ id: "5" })).toBeUndefined();
    expect(facts?.holderOf({ id: "4" })).toBeUndefined();
  });
});
