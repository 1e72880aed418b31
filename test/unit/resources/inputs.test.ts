import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Members } from "../../../provider/members";
import { apiKey } from "../../../provider/resources/api-key";
import { projectReady } from "../../../provider/resources/project-ready";
import { rotatingApiKey } from "../../../provider/resources/rotating-api-key";
import * as rotation from "../../../provider/resources/rotation/rotation-state";
import { checkInputs } from "../../../provider/schema/check";
import { diff } from "../../../provider/schema/diff";
import { UNKNOWN } from "../../../provider/schema/fields";
import { RunSoFar } from "../../../provider/session/run-so-far";
import { resolveSettings } from "../../../provider/settings/settings";
import { codeOf, key, rotating, TestStack } from "../../engineless/test-stack";
import { DAY } from "../../times";

const BORN = "2026-01-01T00:00:00.000Z";
const NOW = Date.parse(BORN) + 90 * DAY;
const env = { KEYPLANE_BASE_URL: "https://api.example.com/api/v2", KEYPLANE_API_KEY: "a-credential" };
const settings = () => resolveSettings(() => undefined, env);
const call = { settings, claim: () => undefined, now: NOW, info: () => {}, warn: () => {} };
const failuresOf = (inputs: Members, type = apiKey) => checkInputs(type, inputs, call).failures;

const made = { __suffix: "abcdefghijk2", keyId: "7", name: "ci-abcdefghijk2", key: "secret", createdAt: BORN };
const differ = (olds: object, news: object, { now = NOW, driftOnly = false, type = apiKey } = {}) =>
  diff(type, { ...made, ...olds }, { __suffix: "abcdefghijk2", ...news }, { now, driftOnly });
const nothing = { changes: false, fields: [], replaces: [], reasons: [] };

describe("the inputs of an ApiKey", () => {
  test.each([
    {},
    { name: "deploy key (prod)" },
    { namePrefix: "ci-main" },
    { name: `ci${"0123456789".repeat(6)}` },
    { organizationId: "org-1", projectId: `p${"0123456789".repeat(6)}` },
    { rotationTriggers: { quarter: "2026Q4", nested: { a: [1, null] } }, rotateAfter: "90d" },
    {
      rotateAfter: "90d",
      rotationWindow: { days: ["fri"], startTime: "22:00", endTime: "04:00", timeZone: "Asia/Kathmandu" },
    },
    { waitForProjects: ["my-project-1"], verify: true, operationTimeout: "5m", revokeOnDelete: false },
    { name: "exact", onNameConflict: "revokeUnused" },
  ])("can be %j", (inputs) => {
    expect(failuresOf(inputs)).toEqual([]);
  });

  test.each<[Members, RegExp | undefined]>([
    [{ rotateAfter: "30d", __isProtected: true }, /rotateAfter .*RotatingApiKey/],
    [{ maxAge: "60d", __isProtected: true }, /maxAge .*RotatingApiKey/],
    [{ rotationTriggers: { quarter: UNKNOWN }, __isProtected: true }, /rotationTriggers .*RotatingApiKey/],
    [{ __isProtected: true }, undefined],
    [{ rotateAfter: "30d" }, undefined],
  ])("warn if the engine will not replace a key that is due: %j", (inputs, expected) => {
    const warnings: string[] = [];
    checkInputs(apiKey, inputs, { ...call, warn: (text) => warnings.push(text) });
    expect(warnings).toEqual(expected === undefined ? [] : [expect.stringMatching(expected)]);
  });

  test.each([
    [{ name: "" }, "name", /non-empty/],
    [{ name: " padded" }, "name", /space/],
    [{ name: "a\u0007b" }, "name", /control/],
    [{ name: "a\u202eb" }, "name", /invisible/],
    [{ name: "x".repeat(65) }, "name", /64/],
    [{ name: 7 }, "name", /string/],
    [{ name: "0123456789abcdef".repeat(4) }, "name", /must not be an API key/],
    [{ organizationId: "org-1", projectId: `napi_${"0123456789abcdef".repeat(4)}` }, "projectId", /must be the id/],
    [{ namePrefix: "Upper" }, "namePrefix", /a-z/],
    [{ namePrefix: "x".repeat(47) }, "namePrefix", /46/],
    [{ namePrefix: "end-" }, "namePrefix", /end/],
    [{ rotateAfter: "3 months" }, "rotateAfter", /90d/],
    [{ rotationWindow: { days: ["mon"] } }, "rotationWindow", /requires rotateAfter or maxAge/],
    [{ rotationWindow: { days: ["Friday"] }, rotateAfter: "90d" }, "rotationWindow", /days\[0\].*Did you mean "fri"/],
    [{ operationTimeout: "5w" }, "operationTimeout", /24 days/],
    [{ rotationTriggers: ["q"] }, "rotationTriggers", /map/],
    [{ waitForProjects: ["a/../b"] }, "waitForProjects", /\[0\]/],
    [{ verify: "yes" }, "verify", /true or false/],
    [{ onNameConflict: "steal", name: "n" }, "onNameConflict", /"fail" or "revokeUnused"/],
    [{ onNameConflict: "fail" }, "onNameConflict", /requires name/],
    [{ name: "n", namePrefix: "p" }, "namePrefix", /combined with name/],
    [{ name: "n", waitForProjects: ["p"] }, "waitForProjects", /cannot be combined with name/],
    [{ name: "n", maxAge: "30d" }, "maxAge", /cannot be combined with name/],
    [{ projectId: "quiet-shore-123456" }, "projectId", /organizationId/],
    [{ name: 7, namePrefix: "p" }, "name", /string/],
    [{ nmae: "typo" }, "nmae", /is not an input of ApiKey\. Its inputs are (?=.*namePrefix)(?!.*(\badopt\b|__suffix))/],
  ])("%j are refused with the property and the remedy", (inputs, property, reason) => {
    const failures = failuresOf(inputs);
    expect(failures.map((failure) => failure.property)).toEqual([property]);
    expect(failures[0]?.reason).toMatch(reason);
  });

  test("are only those that are given", () => {
    const { inputs, failures } = checkInputs(apiKey, { name: null, verify: undefined, rotateAfter: "90d" }, call);
    expect([inputs, failures]).toStrictEqual([{ rotateAfter: "90d" }, []]);
    expect(checkInputs({ name: "Other", fields: {} }, {}, call).failures).toEqual([]);
  });

  test("are refused with the code of their field", () => {
    expect(failuresOf({ sealTo: {} }).map(({ code }) => code)).toEqual(["KP-SEAL"]);
    expect(failuresOf({ verify: "yes" }).map(({ code }) => code)).toEqual([undefined]);
  });

  test("pass if a preview does not know them yet", () => {
    const unknowns = { name: UNKNOWN, rotationTriggers: { a: UNKNOWN }, rotateAfter: UNKNOWN, verify: UNKNOWN };
    expect(failuresOf(unknowns)).toEqual([]);
    for (const rotationWindow of [UNKNOWN, { days: UNKNOWN }, { days: ["mon", UNKNOWN], timeZone: UNKNOWN }]) {
      expect(failuresOf({ rotateAfter: "90d", rotationWindow })).toEqual([]);
    }
    expect(failuresOf({ maxAge: UNKNOWN, rotationWindow: { days: ["mon"] } })).toEqual([]);
  });

  test("never make the check throw for any values", () => {
    const names = [...Object.keys(apiKey.fields), "__proto__"];
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), fc.jsonValue()), (inputs) => {
        for (const { property, reason } of failuresOf(inputs)) {
          expect(`${property} ${reason}`).not.toMatch(/undefined|\[object/);
        }
      }),
    );
  });
});

test.each([
  [{ gracePeriod: "30d", rotateAfter: "30d" }, "gracePeriod"],
  [{ gracePeriod: "3d", maxOverlap: "2d" }, "maxOverlap"],
  [{ requireUse: true, verify: true }, "requireUse"],
  [{ maxAge: "30d", gracePeriod: "20d" }, "gracePeriod"],
  [{ rotationWindow: { days: ["mon"] } }, "rotationWindow"],
])("the inputs %j of a RotatingApiKey are refused", (inputs, property) => {
  expect(failuresOf(inputs, rotatingApiKey).map((failure) => failure.property)).toContain(property);
});

test("the default grace of a RotatingApiKey fits each age and each deadline", () => {
  const minutes = (least: number) => fc.integer({ min: least, max: 60 * 24 * 400 });
  fc.assert(
    fc.property(minutes(10), fc.option(minutes(1)), (maxAge, rotateAfter) => {
      fc.pre(rotateAfter === null || rotateAfter < maxAge);
      const inputs = { maxAge: `${maxAge}m`, ...(rotateAfter !== null && { rotateAfter: `${rotateAfter}m` }) };
      expect(failuresOf(inputs, rotatingApiKey)).toEqual([]);
    }),
  );
});

test.each<[string, Members, Members, number]>([
  ["of one account", {}, {}, 1],
  ["of two accounts, which can have the same ids", { account: "eu" }, {}, 0],
  ["of two organizations", { organizationId: "org-a" }, { organizationId: "org-b" }, 0],
  ["of an account that a preview does not know", { account: UNKNOWN }, {}, 0],
])("the adoption of one id by two resources %s has %j and %j", (_, one, other, refusals) => {
  const claims = new RunSoFar();
  const failures = [one, other].flatMap((scope, at) => {
    const claim = (what: string) => claims.claim(`urn:pulumi:dev::app::t::${at}`, what);
    const accounts = (account: string | undefined) => ({ ...settings(), account });
    const inputs = { adopt: { id: "17", key: "made-by-hand" }, ...scope };
    return checkInputs(rotatingApiKey, inputs, { ...call, claim, settings: accounts }).failures;
  });
  expect(failures).toHaveLength(refusals);
});

test.each([{}, { projectId: ".." }])("the inputs %j of a ProjectReady are refused", (inputs) => {
  expect(failuresOf(inputs, projectReady).map((failure) => failure.property)).toEqual(["projectId"]);
});

describe("the suffix", () => {
  test("is chosen once, and kept while the resource lives, whatever the program changes", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key({ rotationTriggers: { a: 1 } }), db: rotating() });
    const suffixes = ["ci", "db"].map((name) => stack.find(name)?.inputs.__suffix);
    expect(suffixes.map(String)).toEqual([
      expect.stringMatching(/^[a-z2-7]{12}$/),
      expect.stringMatching(/^[a-z2-7]{12}$/),
    ]);
    await stack.up({ ci: key({ rotationTriggers: { a: 1 }, verify: true }), db: rotating({ namePrefix: "web" }) });
    expect(["ci", "db"].map((name) => stack.find(name)?.inputs.__suffix)).toEqual(suffixes);
    // A replacement has another one.
    await stack.up({ ci: key({ rotationTriggers: { a: 2 } }), db: rotating({ namePrefix: "web" }) });
    expect(stack.find("ci")?.inputs.__suffix).not.toBe(suffixes[0]);
    expect(String(stack.outputs().name)).toContain(String(stack.find("ci")?.inputs.__suffix));
  });

  test("is no difference by itself, known or not", () => {
    for (const type of [apiKey, rotatingApiKey]) {
      expect(diff(type, made, { __suffix: "bbbbbbbbbbbb" }, { now: NOW, driftOnly: false })).toEqual(nothing);
      expect(diff(type, made, { __suffix: UNKNOWN }, { now: NOW, driftOnly: false })).toEqual(nothing);
    }
  });

  test("cannot be set by a program in place of an own one", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key({ __suffix: "aaaaaaaaaaaa" }) });
    expect(stack.find("ci")?.inputs.__suffix).not.toBe("aaaaaaaaaaaa");
  });
});

describe("the difference of an ApiKey", () => {
  test("is none for an unchanged program, even if a default is written out", () => {
    expect(differ({}, {})).toEqual(nothing);
    const defaults = { verify: false, revokeOnDelete: true, rotationTriggers: {}, waitForProjects: [] };
    expect(differ({}, defaults)).toEqual(nothing);
    const rotationTriggers = { a: 1, b: [2, { c: 3, d: 4 }] };
    expect(differ({ rotationTriggers }, { rotationTriggers: { b: [2, { d: 4, c: 3 }], a: 1 } })).toEqual(nothing);
  });

  test.each([
    [{ namePrefix: "a" }, { namePrefix: "b" }, "namePrefix"],
    [{ rotationTriggers: { q: "1" } }, { rotationTriggers: { q: "2" } }, "rotationTriggers"],
    [{ rotationTriggers: { q: "1" } }, { rotationTriggers: { q: UNKNOWN } }, "rotationTriggers"],
    [{}, { rotationTriggers: { q: "1" } }, "rotationTriggers"],
    [{ rotationTriggers: { q: "1" } }, { rotationTriggers: { q: "1", p: "1" } }, "rotationTriggers"],
    [{ rotationTriggers: { q: "1", p: "1" } }, { rotationTriggers: { q: "1" } }, "rotationTriggers"],
    [{}, { name: "exact" }, "name"],
    [{ name: "exact" }, { name: "other" }, "name"],
    [{ rotateAfter: "90d" }, { rotateAfter: "90d" }, "rotateAfter"],
    [{ pending: [{ action: "verify", status: "failed" }] }, {}, "pending"],
  ])("replaces the key from %j to %j, and creates the new one first", (olds, news, field) => {
    expect(differ(olds, news)).toMatchObject({ changes: true, fields: [field], replaces: [field] });
  });

  test.each([
    [{}, { verify: true }],
    [{}, { rotateAfter: "91d" }],
    [{ revokeOnDelete: false }, {}],
    [{ rotationTriggers: { q: "1" } }, {}],
    [{ pendingRevocations: ["8"] }, {}],
    [{ lostNames: ["ci-abcdefghijk2-2"], lostAt: BORN }, {}],
    [{ pending: [{ action: "verify" }] }, {}],
    [{ keyId: undefined, key: undefined }, {}],
  ])("updates the key in place from %j to %j", (olds, news) => {
    expect(differ(olds, news)).toMatchObject({ changes: true, replaces: [] });
  });

  test("is only drift in a refresh", () => {
    expect(differ({ rotateAfter: "90d" }, { rotateAfter: "90d" }, { driftOnly: true })).toEqual(nothing);
    expect(differ({ keyId: undefined, key: undefined }, {}, { driftOnly: true }).changes).toBe(true);
    expect(differ({ rotateAfter: "90d" }, { rotateAfter: "90d" }, { now: NOW - 3_600_001 })).toEqual(nothing);
  });

  test("names each reason that the program does not show", () => {
    const news = { rotationTriggers: { q: 2 }, namePrefix: "web", rotateAfter: "30d" };
    const { reasons } = differ({ rotationTriggers: { q: 1 } }, news);
    expect(reasons).toHaveLength(3);
    expect(reasons[0]).toMatch(/^due since 2026-01-31T00:00:00.000Z: 90d old$/);
    for (const field of ["rotationTriggers", "namePrefix"]) expect(reasons.slice(1).join()).toContain(field);
  });
});

test("the difference of a type that has only fields is that of its fields", () => {
  const type = { fields: { region: { type: () => undefined, change: "replace" } } } as const;
  const terms = { now: NOW, driftOnly: false };
  expect(diff(type, { region: "a" }, { region: "a" }, terms)).toEqual(nothing);
  expect(diff(type, { region: "a" }, { region: "b" }, terms)).toMatchObject({ replaces: ["region"] });
});

describe("a state", () => {
  const id = fc.integer({ min: 1, max: 999 }).map(String);
  const text = fc.stringMatching(/^[a-z]{1,8}$/);
  const sealed = fc.record({ age: text });
  const heldOf = (prefix: "" | "previous") => {
    const name = (of: string) => (prefix === "" ? of : `previous${of.charAt(0).toUpperCase()}${of.slice(1)}`);
    const readable = fc.record({ [name("keyId")]: id, [name("name")]: text, [name("key")]: text });
    const closed = fc.record({
      [name("keyId")]: id,
      [name("name")]: text,
      [name("sealedKey")]: sealed,
      [name("digest")]: text,
    });
    return fc.oneof(readable, closed) as fc.Arbitrary<Members>;
  };
  const common = fc.record(
    {
      __suffix: fc.stringMatching(/^[a-z2-7]{12}$/),
      createdAt: fc.constant(BORN),
      pendingRevocations: fc.array(id, { minLength: 1, maxLength: 3 }),
      pending: fc.constant([{ action: "verify" }]),
      attempts: fc.integer({ min: 2, max: 99 }),
      __account: text,
      rotateAfter: fc.constant("30d"),
      rotationTriggers: fc.constant({ a: 1 }),
      revokeOnDelete: fc.boolean(),
    },
    { requiredKeys: ["__suffix"] },
  );
  const lost = fc.option(fc.record({ lostNames: fc.array(text, { minLength: 1 }), lostAt: fc.constant(BORN) }));

  test("of a RotatingApiKey says the same after it was written and read", () => {
    const own = fc.record(
      {
        rotationQueued: fc.constant(true),
        sealedTo: fc.constant({ age: ["age1x"] }),
        maxAgeOfCurrent: fc.constantFrom("none", "90d"),
        adopted: fc.record({ id, name: text }),
        maxAge: fc.constant("60d"),
      },
      { requiredKeys: [] },
    );
    const times = fc.constant({ rotatedAt: BORN, deliveredAt: BORN, retireAfter: "2026-02-01T00:00:00.000Z" });
    const previous = fc.option(fc.tuple(heldOf("previous"), times));
    fc.assert(
      fc.property(common, lost, fc.option(heldOf("")), previous, own, (base, names, current, before, others) => {
        const outputs = { ...base, ...names, ...current, ...before?.[0], ...before?.[1], ...(current && others) };
        const state = rotation.readState(outputs);
        const written = JSON.parse(JSON.stringify(rotation.writeState(state), (_, value) => value ?? undefined));
        expect(rotation.readState(written)).toEqual(state);
        expect(
          JSON.parse(
            JSON.stringify(rotation.writeState(rotation.readState(written)), (_, value) => value ?? undefined),
          ),
        ).toEqual(written);
      }),
    );
  });

  test("of an ApiKey that becomes a RotatingApiKey keeps its key, its suffix and its number", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() });
    const [before] = stack.resources;
    if (before === undefined) throw new Error("there is no key");
    stack.resources = [{ ...before, kind: "RotatingApiKey" }];
    expect((await stack.up({ ci: rotating() })).requests).toEqual([]);
    const { keyId } = stack.outputs();
    await stack.up({ ci: rotating({ revokeNow: keyId }) });
    expect(stack.outputs().name).toBe(`${before.outputs.name}-2`);
    // The other way would lose the previous key.
    const [now] = stack.resources;
    if (now === undefined) throw new Error("there is no key");
    stack.resources = [{ ...now, kind: "ApiKey" }];
    expect(codeOf(await stack.preview({ ci: key() }))).toBe("KP-INPUT");
  });
});
