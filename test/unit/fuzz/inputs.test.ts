import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDuration } from "../../../provider/duration";
import { InputError } from "../../../provider/errors";
import { checkId, keyIdOf } from "../../../provider/ids";
import { types } from "../../../provider/keys/field-types";
import { nameOf, newSuffix, PREFIX_LENGTH, prefixFrom, suffixIn } from "../../../provider/keys/naming";
import { resourceTypes } from "../../../provider/resources/all";
import { type CheckCall, checkInputs } from "../../../provider/schema/check";
import { diff } from "../../../provider/schema/diff";
import { resolveSettings } from "../../../provider/settings/settings";
import { key, TestStack } from "../../engineless/test-stack";
import { DELETE } from "../../routes";
import { nastyText, nastyValue } from "./arbitraries";

const KINDS = Object.keys(resourceTypes) as (keyof typeof resourceTypes)[];

const CALL: CheckCall = {
  settings: () => resolveSettings((name) => ({ baseUrl: "https://host/api/v2", apiKey: "a-credential" })[name], {}),
  claim: () => undefined,
  now: 0,
  info: () => {},
  warn: () => {},
};

/** Inputs of a resource type. Each field is absent, plausible or nasty. */
const inputsOf = (kind: keyof typeof resourceTypes) =>
  fc.record(
    Object.fromEntries(
      Object.keys(resourceTypes[kind].fields).map((field) => [
        field,
        fc.oneof(nastyValue, fc.constantFrom<unknown>("ci", "90d", "demo-1", ["demo-1"], { quarter: "1" }, true)),
      ]),
    ),
    { requiredKeys: [] },
  );

describe.each(KINDS)("any inputs of %s", (name) => {
  test("are either valid, or refused with the property and what it must be", () => {
    fc.assert(
      fc.property(inputsOf(name), (news) => {
        const { inputs, failures } = checkInputs(resourceTypes[name], news, CALL);
        for (const { property, reason } of failures) {
          expect(property === "" || property in resourceTypes[name].fields).toBe(true);
          expect(reason).toMatch(/^(must|is|has|cannot|names)/);
          expect(reason).not.toMatch(/\p{Cc}/u);
          expect(reason.length).toBeLessThan(400);
        }
        if (failures.length > 0) return;
        const same = diff(resourceTypes[name], inputs, inputs, { now: 0, driftOnly: true });
        expect(same.replaces).toEqual([]);
      }),
      { numRuns: 200 },
    );
    expect("polluted" in {}).toBe(false);
  });

  test("with an unknown property are refused", () => {
    fc.assert(
      fc.property(nastyText, nastyValue, (property, value) => {
        fc.pre(!Object.hasOwn(resourceTypes[name].fields, property) && value !== null);
        const { failures } = checkInputs(resourceTypes[name], Object.fromEntries([[property, value]]), CALL);
        expect(failures.map((failure) => failure.property)).toContain(property);
      }),
    );
  });
});

describe("any name", () => {
  test("of a key that passes the check is the name in the service's list", async () => {
    const stack = await TestStack.start();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(nastyText, fc.string({ unit: "grapheme", minLength: 1, maxLength: 64 })),
        async (name) => {
          if (types.keyName(name) !== undefined) return;
          expect((await stack.up({ ci: key({ name }) })).errors).toEqual({});
          expect(await stack.liveNames()).toContain(name);
          expect(await stack.refresh()).toMatchObject({ succeeded: true, steps: { ci: "same" } });
          await stack.destroy();
        },
      ),
      { numRuns: 40 },
    );
  });

  test("of a resource gives a generated name that the service accepts and that contains its suffix", () => {
    fc.assert(
      fc.property(nastyText, fc.integer({ min: 1, max: 999 }), (resource, n) => {
        const suffix = newSuffix(`urn:pulumi:dev::proj::t::${resource}`);
        for (const deadline of [undefined, Date.parse("2026-11-21T09:00:00Z")]) {
          const name = nameOf(prefixFrom(resource), suffix, n, deadline);
          expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,63}$/);
          expect(suffixIn(name)).toBe(suffix);
        }
        expect(types.prefixUpTo(PREFIX_LENGTH)(prefixFrom(resource))).toBeUndefined();
      }),
    );
  });
});

test("any triggers cause a rotation if and only if they differ", () => {
  const outputs = { keyId: "7", name: "ci-abcdefghijk2", key: "a secret" };
  const differ = (before: unknown, after: unknown) =>
    diff(
      resourceTypes.ApiKey,
      { ...outputs, rotationTriggers: before },
      { rotationTriggers: after },
      { now: 0, driftOnly: false },
    );
  const triggers = fc.dictionary(nastyText, fc.jsonValue(), { minKeys: 1, noNullPrototype: true });
  fc.assert(
    fc.property(triggers, fc.jsonValue(), (before, value) => {
      expect(differ(before, structuredClone(before)).changes).toBe(false);
      expect(differ(before, { ...before, "one more": value }).replaces).toEqual(["rotationTriggers"]);
    }),
  );
});

test("any text is either refused as a duration or gives a positive whole number of milliseconds", () => {
  fc.assert(
    fc.property(fc.oneof(nastyValue, fc.stringMatching(/^\d{1,12}[smhdwMy]?$/)), (text) => {
      const ms = parseDuration(text);
      if (ms === undefined) return;
      expect(Number.isSafeInteger(ms) && ms >= 1_000).toBe(true);
      // It is added to the creation time of a key.
      expect(new Date(Date.parse("2026-01-01T00:00:00Z") + ms).toISOString()).toMatch(/^2/);
      expect(text).toMatch(/^[1-9]\d*[smhdw]$/);
    }),
  );
});

describe("any id", () => {
  test.each([
    ["key", (id: string) => checkId("apiKey", id, "id"), "/api_keys"],
    ["project", (id: string) => checkId("project", id, "id"), "/projects"],
    ["operation", (id: string) => checkId("operation", id, "id"), "/projects/p/operations"],
  ] as const)("of a %s is either a plain segment of a path or refused", (_, checkId, folder) => {
    fc.assert(
      fc.property(fc.oneof(nastyText, fc.stringMatching(/^[\w.~%/-]{1,40}$/), fc.uuid()), (id) => {
        try {
          checkId(id);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
          return;
        }
        expect(new URL(`https://host/api/v2${folder}/${id}`).pathname).toBe(`/api/v2${folder}/${id}`);
        expect(id).not.toContain("/");
      }),
      { numRuns: 500 },
    );
  });

  test("that a program may use can be sent in a request", () => {
    fc.assert(
      fc.property(nastyValue, fc.stringMatching(/^[\w-]{1,120}$/), (value, text) => {
        for (const id of [value, text]) {
          if (types.projectId(id) === undefined) expect(() => checkId("project", String(id), "id")).not.toThrow();
          if (types.operationId(id) === undefined) expect(() => checkId("operation", String(id), "id")).not.toThrow();
        }
      }),
    );
  });

  test("of a key in an answer is accepted as text or as a number that a double holds exactly", () => {
    expect([2 ** 53 - 1, "9007199254740993", "9223372036854775807"].map(keyIdOf)).toEqual([
      "9007199254740991",
      "9007199254740993",
      "9223372036854775807",
    ]);
    expect([2 ** 53, 1.5, 0, "0", "9223372036854775808"].map(keyIdOf)).toEqual(Array(5).fill(undefined));
  });

  test("of a key in a state is sent only if it is a whole number that does not change", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key() });
    const [made] = stack.resources;
    await fc.assert(
      fc.asyncProperty(nastyText, async (id) => {
        if (keyIdOf(id) !== undefined || made === undefined) return;
        stack.resources = [{ ...made, id, outputs: { ...made.outputs, keyId: id } }];
        expect((await stack.destroy()).requests).not.toContain(DELETE);
      }),
      { numRuns: 50 },
    );
  });
});
