import { describe, expect, test } from "vitest";
import { identityOf } from "../../../provider/keys/identity";
import { autoName, MAX_NAMES, newRunId, nonceFrom, noncesOf, startMark } from "../../../provider/keys/names";
import type { Properties } from "../../../provider/schema/outputs";
import { readDeployment } from "../../../provider/stack/deployment";
import { StackWitness } from "../../../provider/stack/witness";

const OWNER = "3b241101-e2bb-4255-8caf-4136c566a962";
const OTHER = "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
const DYNAMIC = "pulumi-nodejs:dynamic/keyplane:";
const PLUGIN = "keyplane:index:";
const ENCRYPTED = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:abc" };

const urnOf = (type: string, name: string) => `urn:pulumi:dev::app::${type}::${name}`;

/** A resource in a state. */
const saved = (type: string, name: string, id: string, fields: Properties = {}) => ({
  urn: urnOf(type, name),
  type,
  id,
  custom: true,
  inputs: {},
  outputs: {},
  ...fields,
});
const apiKey = (name: string, keyId: string, more: Properties = {}, fields: Properties = {}) =>
  saved(`${DYNAMIC}ApiKey`, name, keyId, { outputs: { keyId, name: `${name}-key`, owner: OWNER, ...more }, ...fields });
const owner = (fields: Properties = {}) =>
  saved(`${DYNAMIC}Owner`, "keyplane", OWNER, { outputs: { project: "app", stack: "dev" }, ...fields });

/** What a state with these resources says, and with notes of creations that were not finished. */
const witness = (resources: readonly object[], creating: readonly object[] = []) => {
  const pending = creating.map((resource) => ({ resource, type: "creating" }));
  return new StackWitness(readDeployment(JSON.stringify({ deployment: { resources, pending_operations: pending } })));
};
const listed = (id: string, name: string) => ({
  id,
  name,
  createdAt: "2026-01-01T00:00:00Z",
  lastUsedAt: null,
  lastUsedFromAddr: null,
});

describe("a state knows an owner", () => {
  const pluginOwner = identityOf(OWNER, "account", urnOf(`${PLUGIN}ApiKey`, "ci"));

  test.each<[string, object[], object[], boolean]>([
    ["that it contains", [owner()], [], true],
    [
      "of a provider resource",
      [saved("pulumi:providers:keyplane", "default", "p", { inputs: { __owner: pluginOwner } })],
      [],
      true,
    ],
    ["of a key of the plugin", [saved(`${PLUGIN}ApiKey`, "ci", "7", { inputs: { __owner: pluginOwner } })], [], true],
    [
      "of a creation that was not finished",
      [],
      [saved(`${PLUGIN}ApiKey`, "ci", "", { inputs: { __owner: pluginOwner } })],
      true,
    ],
    ["that was replaced: no", [owner({ delete: true })], [], false],
    ["without an id: no", [owner({ id: "" })], [], false],
    ["that is another one: no", [owner({ id: OTHER })], [], false],
    ["that only a key of the dynamic provider names: no", [apiKey("ci", "7")], [], false],
    [
      "of a resource of another package: no",
      [saved("other:index:Thing", "x", OWNER, { outputs: { owner: OWNER } })],
      [],
      false,
    ],
    ["if it is empty: no", [], [], false],
  ])("%s", (_, resources, creating, expected) => {
    expect(witness(resources, creating).knows(OWNER)).toBe(expected);
  });
});

describe("a state shows that its owner never had a key", () => {
  const other = { owner: OTHER };

  test.each<[string, object[], object[], boolean]>([
    ["if it contains only the owner", [owner()], [], true],
    ["although a key of another owner is in it", [owner(), apiKey("ci", "7", other)], [], true],
    ["although the creation of the owner was not finished", [owner()], [owner({ id: "" })], true],
    ["not if it has a key", [owner(), apiKey("ci", "7")], [], false],
    ["not if it has a key of an unknown owner", [owner(), apiKey("ci", "7", { owner: undefined })], [], false],
    [
      "not if its ledger had one",
      [owner(), saved(`${DYNAMIC}Ledger`, "l", "ledger", { outputs: { delivered: ["7"], owner: OWNER } })],
      [],
      false,
    ],
    [
      "not if a request was lost",
      [owner(), apiKey("ci", "ci-name", { keyId: undefined, lostNames: ["ci-name"] })],
      [],
      false,
    ],
    ["not if a creation was interrupted", [owner()], [apiKey("ci", "")], false],
    ["not if an id is encrypted", [owner(), apiKey("ci", "x", { ...other, keyId: ENCRYPTED })], [], false],
  ])("%s", (_, resources, creating, expected) => {
    expect(witness(resources, creating).neverHadKey(OWNER)).toBe(expected);
  });
});

describe("a state holds a key", () => {
  test.each<[string, object[], "yes" | "no" | "unknown"]>([
    ["of an ApiKey", [apiKey("ci", "7")], "yes"],
    ["of an ApiKey under another name of the resource", [apiKey("moved", "7", { name: "ci-key" })], "yes"],
    ["of a replaced ApiKey", [apiKey("ci", "7", {}, { delete: true })], "yes"],
    ["as previous one", [apiKey("r", "1", { previousKeyId: "7", previousName: "ci-key" })], "yes"],
    ["that is to be revoked, without its name", [apiKey("r", "1", { pendingRevocations: ["7"] })], "yes"],
    ["that version 0.2 has retired", [apiKey("r", "1", { retired: ["7"] })], "yes"],
    ["that version 0.2 of the plugin has retired", [apiKey("r", "1", { retiring: ["7"] })], "yes"],
    [
      "that only its ledger has",
      [saved(`${DYNAMIC}Ledger`, "keyplane", "ledger", { outputs: { owned: ["7"] } })],
      "yes",
    ],
    ["of which it has only the id", [saved(`${PLUGIN}ApiKey`, "ci", "7")], "yes"],
    ["with another name: another account can have the same id", [apiKey("ci", "7", { name: "other" })], "no"],
    ["with another id", [apiKey("ci", "8")], "no"],
    ["of a resource of another package", [saved("other:index:Thing", "x", "7", { outputs: { keyId: "7" } })], "no"],
    ["if an id is encrypted", [apiKey("ci", "8", { keyId: ENCRYPTED })], "unknown"],
    [
      "of which it has the id, beside one that is encrypted",
      [apiKey("ci", "7"), apiKey("b", "8", { retired: [ENCRYPTED] })],
      "yes",
    ],
  ])("%s", (_, resources, expected) => {
    expect(witness(resources).holds(listed("7", "ci-key"))).toBe(expected);
  });
});

test("an id in the ledger of another owner, whose account can have another key with this id, holds no key", () => {
  const ledger = (owner: string) =>
    saved(`${DYNAMIC}Ledger`, "keyplane", "ledger", { outputs: { owner, owned: ["7"] } });
  const key = listed("7", autoName("ci", OWNER, noncesOf(newRunId())()));
  expect(witness([ledger(OTHER)]).holds(key)).toBe("no");
  expect(witness([ledger(OWNER)]).holds(key)).toBe("yes");
});

describe("a name was requested", () => {
  const runId = newRunId();
  const name = autoName("ci", OWNER, noncesOf(runId)());

  test.each<[string, object[], boolean]>([
    ["by a run on record", [owner({ inputs: { runs: ["aaaaa", runId] } })], true],
    ["by a run that is not on record", [owner({ inputs: { runs: ["aaaaa"] } })], false],
    ["by nobody, if no run is on record", [owner()], false],
    ["by nobody, if the record is damaged", [owner({ inputs: { runs: runId } })], false],
    ["by a run of another owner", [owner({ id: OTHER, inputs: { runs: [runId] } })], false],
  ])("%s", (_, resources, expected) => {
    expect(witness(resources).requestOf(name)?.by).toBe(expected ? "run" : undefined);
  });

  test.each([[undefined], [Date.UTC(2026, 10, 26, 2, 30, 1)]])("by a run that was started at %s", (startedAt) => {
    const mark = startedAt === undefined ? "" : startMark(startedAt + 999);
    const runs = [`aaaaa${startMark(0)}`, runId + mark];
    expect(witness([owner({ inputs: { runs } })]).requestOf(name)).toEqual({ by: "run", startedAt });
    const seed = `seed${mark}`;
    const notes = [note({ __owner: identity, __nonce: seed })];
    const request = witness([], notes).requestOf(autoName("ci", identity, nonceFrom(seed, 0)));
    expect(request).toEqual({ by: "interrupted creation", startedAt });
  });

  const identity = identityOf(OWNER, undefined, urnOf(`${PLUGIN}ApiKey`, "ci"));
  const note = (inputs: Properties) => saved(`${PLUGIN}ApiKey`, "ci", "", { inputs });

  test.each<[string, number, Properties, boolean]>([
    ["the first request of a creation", 0, {}, true],
    ["its last request", MAX_NAMES - 1, {}, true],
    ["a request that it would not send", MAX_NAMES, {}, false],
    ["another seed", 0, { __nonce: "other" }, false],
    ["no seed, as version 0.2 left it", 0, { __nonce: undefined }, false],
    ["another owner", 0, { __owner: identity.replace(OWNER, OTHER) }, false],
    ["another resource", 0, { __owner: identityOf(OWNER, undefined, "urn:other") }, false],
    ["no owner", 0, { __owner: undefined }, false],
  ])("by a creation that was not finished: %s", (_, attempt, inputs, expected) => {
    const requested = autoName("ci", identity, nonceFrom("seed", attempt));
    const notes = [note({ __owner: identity, __nonce: "seed", ...inputs })];
    expect(witness([], notes).requestOf(requested)?.by).toBe(expected ? "interrupted creation" : undefined);
    expect(witness(notes).requestOf(requested), "a resource is no note").toBe(undefined);
  });
});

test("the current keys of an owner are those of its resources in one list that were not replaced", () => {
  const state = witness([
    apiKey("one", "1"),
    apiKey("rotating", "2", { previousKeyId: "3", retired: ["4"], pendingRevocations: ["5"] }),
    apiKey("replaced", "6", {}, { delete: true }),
    apiKey("recreated", "7", {}, { pendingReplacement: true }),
    apiKey("elsewhere", "8", { organizationId: "org-1" }),
    apiKey("foreign", "9", { owner: OTHER }),
    apiKey("withAccount", "10", { owner: identityOf(OWNER, "account") }),
    saved(`${DYNAMIC}Ledger`, "keyplane", "ledger", { outputs: { owner: OWNER, owned: ["11"] } }),
  ]);
  expect(new Set(state.currentKeys(OWNER, undefined))).toEqual(new Set(["1", "2", "10"]));
  expect(new Set(state.currentKeys(OWNER, "org-1"))).toEqual(new Set(["8"]));
});

describe("of a resource that is deleted, a state shows", () => {
  const type = `${DYNAMIC}ApiKey`;
  const urn = urnOf(type, "ci");
  const old = apiKey("ci", "7", {}, { delete: true, created: "2026-01-01T00:00:00Z" });
  const successor = apiKey("ci", "8", {}, { created: "2026-01-02T00:00:00Z", modified: "2026-01-02T00:00:00Z" });
  const BEFORE = { modified: "2026-01-01T12:00:00Z" };
  const AFTER = { modified: "2026-01-02T00:00:01Z" };
  const consumer = (name: string, fields: Properties) =>
    saved("other:index:Thing", name, "x", { propertyDependencies: { key: [urn] }, dependencies: [urn], ...fields });

  test("its successor", () => {
    expect(witness([successor, old]).successorOf(urn, "7")?.id).toBe("8");
    expect(witness([old]).successorOf(urn, "7")).toBeUndefined();
    expect(witness([old, { ...successor, delete: true }]).successorOf(urn, "7")).toBeUndefined();
    expect(witness([old, apiKey("other", "8")]).successorOf(urn, "7")).toBeUndefined();
  });

  test.each<[string, Properties, string[]]>([
    ["was not updated since", BEFORE, ["app"]],
    ["was only created, before", { created: "2026-01-01T12:00:00Z" }, ["app"]],
    ["has no time", {}, ["app"]],
    ["was updated since", AFTER, []],
    ["was updated in the same moment", { modified: "2026-01-02T00:00:00Z" }, []],
    ["was updated since, but only half-way", { ...AFTER, initErrors: ["not ready"] }, ["app"]],
    ["is a component, which has no values of its own", { ...BEFORE, custom: false }, []],
    ["is replaced itself", { ...BEFORE, delete: true }, []],
    ["depends on it only by order", { ...BEFORE, propertyDependencies: { other: [] } }, []],
    ["depends on another resource", { ...BEFORE, propertyDependencies: { key: ["urn:other"] }, dependencies: [] }, []],
    ["depends on it in an old state without properties", { ...BEFORE, propertyDependencies: undefined }, ["app"]],
  ])("that a consumer waits, if it %s", (_, fields, waiting) => {
    expect(witness([old, successor, consumer("app", fields)]).waitingFor(urn, "7")).toEqual(waiting);
  });

  test.each<[string, Properties, Properties, string[]]>([
    ["was not updated since, although that one was", AFTER, BEFORE, ["app"]],
    ["was updated since, as that one was", AFTER, AFTER, []],
    ["waits for that one, which waits itself", BEFORE, BEFORE, ["between"]],
  ])("that a consumer of a consumer waits, if it %s", (_, between, app, waiting) => {
    const uses = consumer("between", between);
    const last = consumer("app", { ...app, propertyDependencies: { url: [uses.urn] }, dependencies: [uses.urn] });
    expect(witness([old, successor, uses, last]).waitingFor(urn, "7")).toEqual(waiting);
  });

  test("that a consumer waits under the URN in the state, if an alias has renamed it in this run", () => {
    const before = urnOf(type, "before");
    const waiting = consumer("app", BEFORE);
    expect(witness([old, successor, waiting]).waitingFor(before, "7")).toEqual(["app"]);
    expect(witness([old, successor, waiting]).successorOf(before, "7")?.id).toBe("8");
    const unrelated = apiKey("before", "7");
    expect(witness([unrelated, old, successor, waiting]).waitingFor(before, "7")).toEqual([]);
  });

  test.each([
    ["the npm package", `${DYNAMIC}ApiKey`],
    ["the plugin, to which the key has moved from the npm package", `${PLUGIN}ApiKey`],
  ])("that a consumer waits under the URN in the state of %s, if an alias has changed the parents, too", (_, kind) => {
    const [before, after] = [urnOf(`${DYNAMIC}ApiKey`, "before"), urnOf(`my:index:Parent$${kind}`, "after")];
    const states = [old, successor].map((each) => ({ ...each, urn: after }));
    const waiting = consumer("app", { ...BEFORE, propertyDependencies: { key: [after] }, dependencies: [after] });
    expect(witness([...states, waiting]).waitingFor(before, "7")).toEqual(["app"]);
    expect(witness([...states, waiting]).successorOf(before, "7")?.id).toBe("8");
  });

  test("that a consumer waits, if its change is not proven to be an update", () => {
    const state = witness([old, successor, consumer("app", AFTER)]);
    expect(state.waitingFor(urn, "7", { isUpdate: (changedAt) => changedAt !== Date.parse(AFTER.modified) })).toEqual([
      "app",
    ]);
  });

  test("that a consumer with a hook after its update waits, if the command continues after errors", () => {
    const hooks = { resourceHooks: { AfterUpdate: ["restart"] } };
    const state = witness([old, successor, consumer("app", { ...AFTER, ...hooks }), consumer("other", AFTER)]);
    expect(state.waitingFor(urn, "7", { goesOn: true })).toEqual(["app"]);
    expect(state.waitingFor(urn, "7")).toEqual([]);
    const component = witness([old, successor, consumer("app", { ...AFTER, ...hooks, custom: false })]);
    expect(component.waitingFor(urn, "7", { goesOn: true })).toEqual(["app"]);
    expect([state, component, witness([old, successor])].map((each) => each.hasAfterHooks())).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("that every consumer waits, if it has no successor", () => {
    expect(witness([old, consumer("app", AFTER)]).waitingFor(urn, "7")).toEqual(["app"]);
  });
});

test.each<[string, object, boolean]>([
  ["its current key", apiKey("ci", "7"), true],
  ["its current key, although it was replaced", apiKey("ci", "7", {}, { delete: true }), true],
  ["its previous key", apiKey("ci", "8", { previousKeyId: "7", previousName: "ci-key" }), true],
  ["a key without a recorded name", apiKey("ci", "7", { name: undefined }), true],
  ["a key that it has only to revoke", apiKey("ci", "8", { pendingRevocations: ["7"] }), false],
  ["a key of that id in another account", apiKey("ci", "7", { name: "another" }), false],
  ["another key", apiKey("ci", "8"), false],
  ["a record of all keys", saved(`${DYNAMIC}Ledger`, "keyplane", "ledger", { outputs: { owned: ["7"] } }), false],
])("a state shows which resource has a key: %s", (_, resource, has) => {
  expect(witness([owner(), resource]).holdersOf({ id: "7", name: "ci-key" })).toHaveLength(Number(has));
});
