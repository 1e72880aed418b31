import { describe, expect, it } from "vitest";
import { adapt } from "../../../provider/dynamic/adapter";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { ownerTag } from "../../../provider/keys/names";
import { diff } from "../../../provider/schema/diff";
import { digestOf } from "../../../provider/schema/digest";
import { UNKNOWN } from "../../../provider/schema/field-types";
import type { Properties } from "../../../provider/schema/outputs";
import type { ResourceType } from "../../../provider/schema/resource-type";
import { compareResource } from "../../../provider/session/compare-resource";
import { Session } from "../../../provider/session/session";
import { json, StackHarness } from "./harness";

/** The digest of { quarter: "Q1" } as version 0.2.0-alpha.2 made it, without a key. */
const FORMER = "abcdefghgwalae2kgqoncefn";

const BORN = "2026-01-01T00:00:00.000Z";
const NOW = Date.parse(BORN) + 90 * 86_400_000;
const outputs = {
  owner: "o.c",
  keyId: "7",
  name: "ci-aaaaaaaa-bbbbbbbb",
  key: "secret",
  createdAt: BORN,
};
type Options = { readonly now?: number; readonly driftOnly?: boolean; readonly isSupposed?: boolean };
const differ = (olds: object, news: object, options: Options = {}) =>
  diff(
    resourceTypes.ApiKey,
    { ...outputs, ...olds },
    { owner: "o.c", ...news },
    { now: NOW, driftOnly: false, hasLedger: true, ...options },
  );
const nothing = { changes: false, fields: [], replaces: [], deleteBeforeReplace: false, reasons: [] };

describe("the diff of an ApiKey", () => {
  it("shows no change for an unchanged program, even if a default is written out", () => {
    expect(differ({}, {})).toEqual(nothing);
    expect(differ({}, { verify: false, revokeOnDelete: true, rotationTriggers: {} })).toEqual(nothing);
    const triggersDigest = digestOf({ a: 1, b: [2, { c: 3, d: 4 }] }, outputs.key).text;
    const rotationTriggers = { b: [2, { d: 4, c: 3 }], a: 1 };
    expect(differ({ triggersDigest }, { rotationTriggers })).toEqual(nothing);
  });

  it("replaces no key for a change that the engine only supposes, unless the key ends with what it is in", () => {
    const triggersDigest = digestOf({ cluster: "a" }, outputs.key).text;
    const inputs = { rotationTriggers: { cluster: UNKNOWN }, namePrefix: UNKNOWN, maxAge: UNKNOWN, sealTo: UNKNOWN };
    expect(differ({ triggersDigest }, inputs).replaces).toHaveLength(4);
    const supposed = differ({ triggersDigest }, inputs, { isSupposed: true });
    // With `replaceOnChanges`, the engine would replace the key for any change.
    expect(supposed).toEqual(nothing);
    // The engine passes the old inputs, so only time can have added another reason. The actual diff finds it again.
    const due = { ...inputs, rotateAfter: "30d" };
    expect(differ({ triggersDigest }, due).replaces).toContain("rotateAfter");
    expect(differ({ triggersDigest }, due, { isSupposed: true })).toEqual(nothing);
    for (const place of ["projectId", "organizationId"]) {
      expect(differ({ [place]: "one" }, { [place]: UNKNOWN }, { isSupposed: true }).replaces).toEqual([place]);
    }
  });

  it("names each change that replaces the key, because a row of 80 columns does not show it", () => {
    const triggersDigest = digestOf({ quarter: "Q1" }, outputs.key).text;
    const changed = differ({ triggersDigest }, { rotationTriggers: { quarter: "Q2" }, namePrefix: "web" });
    expect(changed.reasons).toEqual([
      "replaced, because namePrefix changed",
      "replaced, because rotationTriggers changed",
    ]);
    const unknown = differ({ triggersDigest }, { rotationTriggers: UNKNOWN });
    expect(unknown.reasons).toEqual(["replaced if rotationTriggers changes"]);
  });

  it("names the reason of a replacement by age once, and an update not at all", () => {
    const { reasons } = differ({}, { rotateAfter: "30d", verify: true });
    expect(reasons).toEqual(["due since 2026-01-31T00:00:00.000Z: 90d old"]);
  });

  it("requests an update that removes plain-text triggers from a state of version 0.1", () => {
    const rotationTriggers = { quarter: "Q1" };
    expect(differ({ rotationTriggers }, { rotationTriggers })).toMatchObject({ changes: true, replaces: [] });
  });

  it.each([
    ["triggersDigest", { quarter: "Q1" }, []],
    ["triggersDigest", { quarter: "Q2" }, ["rotationTriggers"]],
    ["queuedTriggersDigest", { quarter: "Q1" }, []],
  ])(
    "requests an update that replaces a %s of a former version, which anybody can guess, and no rotation unless the triggers differ",
    (field, rotationTriggers, replaces) => {
      const before = { triggersDigest: digestOf({ quarter: "Q1" }, outputs.key).text, [field]: FORMER };
      expect(differ(before, { rotationTriggers })).toMatchObject({ changes: true, replaces });
    },
  );

  it("takes a digest that another key was made with for one of other triggers", () => {
    const rotationTriggers = { quarter: "Q1" };
    const triggersDigest = digestOf(rotationTriggers, "another secret").text;
    expect(differ({ triggersDigest }, { rotationTriggers })).toMatchObject({ replaces: ["rotationTriggers"] });
  });

  it.each([
    [{ namePrefix: "a" }, { namePrefix: "b" }, "namePrefix"],
    [{ rotationTriggers: { q: "1" } }, { rotationTriggers: { q: "2" } }, "rotationTriggers"],
    [{}, { name: "exact" }, "name"],
    [{ name: "exact", mintedBy: ownerTag("o") }, {}, "name"],
    [{ name: "exact", mintedBy: ownerTag("o") }, { name: "other" }, "name"],
  ])("replaces the key from %j to %j, and creates the new one first", (olds, news, field) => {
    expect(differ(olds, news)).toMatchObject({ changes: true, replaces: [field], deleteBeforeReplace: false });
  });

  it.each([
    [{}, { verify: true }],
    [{}, { rotateAfter: "91d" }],
    [{ revokeOnDelete: false }, {}],
    [{}, { rotationTriggers: { q: "1" } }],
    [{ rotationTriggers: { q: "1" } }, {}],
    [{}, { owner: "somebody else" }],
  ])("updates the key in place from %j to %j", (olds, news) => {
    expect(differ(olds, news)).toMatchObject({ changes: true, replaces: [] });
  });

  it("deletes the old key first only if the new key has the same exact name", () => {
    const olds = { name: "exact", mintedBy: ownerTag("o"), rotationTriggers: { q: "1" } };
    expect(differ(olds, { name: "exact", rotationTriggers: { q: "2" } })).toMatchObject({
      replaces: ["rotationTriggers"],
      deleteBeforeReplace: true,
    });
  });

  it("shows that a key is due by its age and since when, but not in a refresh, which shows only drift", () => {
    const due = differ({ rotateAfter: "90d" }, { rotateAfter: "90d" });
    expect(due).toMatchObject({ changes: true, replaces: ["rotateAfter"] });
    expect(due.reasons).toEqual(["due since 2026-04-01T00:00:00.000Z: 90d old"]);
    expect(differ({ rotateAfter: "90d" }, { rotateAfter: "90d" }, { now: NOW - 1 })).toEqual(nothing);
    expect(differ({ rotateAfter: "90d" }, { rotateAfter: "90d" }, { driftOnly: true })).toEqual(nothing);
  });

  describe("with a rotationWindow", () => {
    const rotationWindow = {
      days: ["mon", "tue", "wed", "thu"],
      startTime: "09:00",
      endTime: "16:00",
      timeZone: "Europe/Berlin",
    };
    const inputs = { rotateAfter: "90d", rotationWindow };
    const at = (now: string, news: object = inputs, olds: object = inputs) =>
      differ(olds, news, { now: Date.parse(now) });

    it.each([
      ["2026-03-25T08:00:00Z", undefined],
      ["2026-04-01T00:00:00Z", undefined],
      ["2026-04-01T06:59:59Z", undefined],
      ["2026-04-01T07:00:00Z", "90d"],
      ["2026-04-01T13:59:59Z", "90d"],
      ["2026-04-01T14:00:00Z", undefined],
      ["2026-04-03T20:00:00Z", undefined],
      ["2026-04-06T07:00:00Z", "95d"],
      ["2026-07-04T07:00:00Z", undefined],
      ["2026-07-06T07:00:00Z", "186d"],
    ])("shows at %s whether the age is reached inside the window: %s", (now, age) => {
      const reasons = [`due since 2026-04-01T07:00:00.000Z: ${age} old`];
      expect(at(now)).toMatchObject(age === undefined ? nothing : { replaces: ["rotateAfter"], reasons });
    });

    it.each([
      [{ rotationTriggers: { q: "1" } }, { rotationTriggers: { q: "2" } }, "rotationTriggers"],
      [{ namePrefix: "a" }, { namePrefix: "b" }, "namePrefix"],
      [{ gone: true }, {}, "keyId"],
    ])("replaces the key outside the window from %j to %j", (olds, news, field) => {
      const due = at("2026-04-03T20:00:00Z", { ...inputs, ...news }, { ...inputs, ...olds });
      expect(due).toMatchObject({ replaces: [field] });
    });

    it.each([
      [{ rotateAfter: "90d" }, inputs],
      [inputs, { rotateAfter: "90d", rotationWindow: { ...rotationWindow, startTime: "10:00" } }],
      [inputs, { rotateAfter: "90d", rotationWindow: { ...rotationWindow, days: [UNKNOWN] } }],
      [inputs, { rotateAfter: "90d", rotationWindow: UNKNOWN }],
      [inputs, { rotateAfter: "90d" }],
    ])("updates the key in place from %j to %j, if it is not due", (olds, news) => {
      expect(at("2026-03-25T08:00:00Z", news, olds)).toMatchObject({ fields: ["rotationWindow"], replaces: [] });
    });

    it("judges a key by the new window", () => {
      const wider = { ...inputs, rotationWindow: { ...rotationWindow, days: ["fri"], endTime: "23:00" } };
      expect(at("2026-04-03T20:00:00Z", wider)).toMatchObject({ replaces: ["rotateAfter"] });
      expect(at("2026-04-01T07:00:00Z", wider)).toMatchObject({ changes: true, replaces: [] });
    });
  });

  it("requests an update while an operation is pending, and a replacement after it has failed", () => {
    const work = { action: "start_compute", projectId: "p", operationId: "o" };
    expect(differ({ pending: [work] }, {})).toMatchObject({ changes: true, replaces: [] });
    expect(differ({ pending: [{ ...work, status: "failed" }] }, {})).toMatchObject({ replaces: ["pending"] });
    expect(differ({ pending: [work] }, {}, { driftOnly: true })).toEqual(nothing);
    expect(differ({ pendingRevocations: ["9"] }, {})).toMatchObject({ changes: true, replaces: [] });
  });

  it("treats an unknown value in a preview as a change, except if a change has no effect", () => {
    expect(differ({}, { rotationTriggers: { a: UNKNOWN } })).toMatchObject({ changes: true });
    expect(differ({ namePrefix: "a" }, { namePrefix: UNKNOWN })).toMatchObject({ replaces: ["namePrefix"] });
    const terms = { now: NOW, driftOnly: false, hasLedger: true };
    expect(diff(resourceTypes.ProjectReady, {}, json({ resourceUrn: UNKNOWN }), terms)).toEqual(nothing);
  });

  it("records the name of a renamed stack, which a deletion needs, but no other change of the URN", () => {
    const urn = (stack: string, name = "ci") =>
      `urn:pulumi:${stack}::proj::pulumi-nodejs:dynamic/keyplane:ApiKey::${name}`;
    expect(differ({ resourceUrn: urn("dev") }, { resourceUrn: urn("live") })).toMatchObject({
      fields: ["resourceUrn"],
    });
    expect(differ({ resourceUrn: urn("dev") }, { resourceUrn: urn("dev", "other") })).toEqual(nothing);
  });
});

const sessionWithoutEngine = () =>
  new Session(() => {
    throw new Error("there is no engine");
  });

it("a change of an input is only supposed unless the program has declared the resource with unknown values", async () => {
  const { context } = await StackHarness.start();
  const session = sessionWithoutEngine();
  const inputs = { owner: outputs.owner, namePrefix: UNKNOWN };
  const replaces = () =>
    compareResource(session, { type: resourceTypes.ApiKey, id: "7", outputs, inputs }, context).replaces;
  expect(replaces()).toEqual([]);
  // The engine can compare other resources first, or refresh the resource.
  session.noteCheck(context.urn, { owner: outputs.owner });
  session.noteRead("7", context.urn);
  expect(replaces()).toEqual([]);
  expect(session.takeRefresh("7", context.urn)).toBe(true);
  session.noteCheck(context.urn, inputs);
  expect(replaces()).toEqual(["namePrefix"]);
});

it("a key that its age replaces is known under its former URN, too, under which the engine deletes it", async () => {
  const { context } = await StackHarness.start();
  const former = context.urn.replace("::ci", "::former");
  const compare = (rotateAfter: string) => {
    const inputs = { owner: outputs.owner, rotateAfter };
    const held = { ...outputs, resourceUrn: former };
    compareResource(sessionWithoutEngine(), { type: resourceTypes.ApiKey, id: "7", outputs: held, inputs }, context);
    return [...context.run.replacedByAge].flatMap(([urn, due]) => (due ? [urn] : []));
  };
  expect(compare("1h")).toEqual([context.urn, former]);
  expect(compare("9999d")).toEqual([]);
});

it("a key that moves to another account is compared where it is, because another key can have its id there", async () => {
  const holders: unknown[] = [];
  const { ApiKey } = resourceTypes;
  const provider = adapt({
    ...ApiKey,
    delete: async (_id, _state, { run }) => void holders.push(run.holders.get("7")),
  });
  const held = { ...outputs, resourceUrn: "urn:pulumi:dev::proj::pulumi-nodejs:dynamic/keyplane:ApiKey::ci" };
  const { owner, resourceUrn } = held;
  await provider.diff?.("7", held, { owner, resourceUrn, account: "moved" });
  for (const account of [undefined, "moved"]) await provider.delete?.("7", { ...held, account });
  expect(holders).toEqual([new Set(["7"]), undefined]);
});

it("a key of another owner is named, because the stack does not revoke it", async () => {
  const { context, told } = await StackHarness.start();
  const session = sessionWithoutEngine();
  const held = { ...outputs, resourceUrn: context.urn, pendingRevocations: ["8"] };
  const compare = (owner: string) =>
    compareResource(session, { type: resourceTypes.ApiKey, id: "7", outputs: held, inputs: { owner } }, context);
  compare("o.another-credential");
  expect(told.warn).toEqual([]);
  compare("other.c");
  expect(told.warn).toEqual([expect.stringMatching(/does not revoke key 7, 8\./)]);
});

it.each([
  ["was renamed is named, with the last name, which only the owner has", [], "stage", ["live"]],
  ["settings say was renamed is not named", ["stage"], "stage", []],
  ["has the same name is not named", [], "live", []],
])("a key of a stack that %s", async (_, renamedFrom, before, named) => {
  const { context, told } = await StackHarness.start();
  const session = sessionWithoutEngine();
  session.configure((name) => (name === "renamedFrom" ? renamedFrom.join() : undefined));
  const compare = (type: ResourceType, outputs: Properties, inputs: Properties) =>
    compareResource(session, { type, id: "7", outputs: json(outputs), inputs: json(inputs) }, context);
  compare(resourceTypes.Owner, { project: "app", stack: before, identity: "o.c" }, { project: "app", stack: "live" });
  // A preview does not know the new owner yet.
  const resourceUrn = context.urn.replace(/^urn:pulumi:[^:]+/, "urn:pulumi:first");
  compare(resourceTypes.ApiKey, { ...outputs, resourceUrn }, { owner: UNKNOWN });
  const warning = "renamed or copied from stage. This stack does not revoke key 7. If it was renamed, run";
  expect(told.warn).toEqual(named.map(() => expect.stringContaining(warning)));
});
