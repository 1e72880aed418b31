import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  attemptIn,
  deadlineIn,
  expiresAt,
  formatKey,
  formatListed,
  highestListed,
  keysBySuffix,
  nameInUrn,
  nameOf,
  newSuffix,
  PREFIX_LENGTH,
  prefixFrom,
  suffixIn,
  tagOf,
} from "../../../provider/keys/naming";
import { MINUTE } from "../../times";

const URN = "urn:pulumi:dev::app::keyplane:index:ApiKey::ci";
const SUFFIX = `${tagOf(URN)}2345672`;

const urns = fc.string({ maxLength: 200 });
const prefixes = fc
  .stringMatching(/^[a-z0-9][a-z0-9-]{0,60}$/, { size: "max" })
  .map((text) => text.replace(/-+$/, ""))
  .filter((text) => text !== "");
const numbers = fc.integer({ min: 1, max: 9_999 });
const times = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });

test("a generated name says its suffix, its number and its deadline, and has at most 64 characters", () => {
  const some = fc.tuple(prefixes, urns, numbers, fc.option(times, { nil: undefined }));
  fc.assert(
    fc.property(some, ([prefix, urn, n, expiresAt]) => {
      const suffix = newSuffix(urn);
      const name = nameOf(prefix, suffix, n, expiresAt);
      expect(name).toMatch(/^[a-z0-9][a-z0-9-]*$/);
      expect(name.length).toBeLessThanOrEqual(64);
      expect([suffixIn(name), attemptIn(name)]).toEqual([suffix, n]);
      const minute = expiresAt && Math.floor(expiresAt / MINUTE) * MINUTE;
      expect(deadlineIn(name)).toBe(minute);
    }),
  );
});

test("no two requests of a resource have one name, whatever the prefix and the deadline", () => {
  const other = fc.tuple(prefixes, numbers, fc.option(times, { nil: undefined }));
  fc.assert(
    fc.property(other, other, ([one, n, at], [two, m, then]) => {
      fc.pre(n !== m);
      expect(nameOf(one, SUFFIX, n, at)).not.toBe(nameOf(two, SUFFIX, m, then));
      expect(nameOf(one, SUFFIX, n, at)).not.toBe(nameOf(one, SUFFIX, m, at));
    }),
  );
});

test("a suffix begins with the tag of the resource, and a seed makes the same suffix only for the same resource", () => {
  fc.assert(
    fc.property(urns, urns, fc.uint8Array({ minLength: 1, maxLength: 32 }), (urn, other, seed) => {
      fc.pre(urn !== other);
      expect(newSuffix(urn, seed)).toMatch(/^[a-z2-7]{12}$/);
      expect(newSuffix(urn, seed).startsWith(tagOf(urn))).toBe(true);
      expect(newSuffix(urn, seed)).toBe(newSuffix(urn, seed));
      expect(newSuffix(urn, seed)).not.toBe(newSuffix(other, seed));
      expect(newSuffix(urn)).not.toBe(newSuffix(urn));
    }),
  );
});

test("the whole prefix is in a name without a deadline", () => {
  const longest = "p".repeat(PREFIX_LENGTH);
  expect(nameOf(longest, SUFFIX, 9_999)).toBe(`${longest}-${SUFFIX}-9999`);
});

test.each([
  "ci",
  `ci${SUFFIX}`,
  `ci-${SUFFIX}x`,
  `ci-${SUFFIX.toUpperCase()}`,
  `ci-${SUFFIX}-0`,
  `ci-${SUFFIX}-01`,
  `ci-${SUFFIX}-10000`,
  `ci-${SUFFIX}-2-3`,
  `ci-${SUFFIX}\n`,
])("%j was not generated", (name) => {
  expect([suffixIn(name), attemptIn(name)]).toEqual([undefined, 1]);
});

test("the highest number is that of the same mark alone", () => {
  const listed = [
    `ci-${SUFFIX}`,
    `other-${SUFFIX}-7`,
    `ci-${newSuffix(URN, "other")}-9`,
    `ci-${SUFFIX}-10-extra`,
    "12",
  ];
  const record = { createdAt: "", lastUsedAt: null, id: "1" };
  const keys = listed.map((name) => ({ ...record, name })) as unknown as Parameters<typeof highestListed>[0];
  expect(highestListed(keys, SUFFIX)).toBe(7);
  expect(highestListed(keys, newSuffix(URN, "none"))).toBe(0);
  const generated = keys.slice(0, 3);
  expect([...keysBySuffix(keys).values()]).toEqual([generated.slice(0, 2), generated.slice(2)]);
});

test.each([
  ["My  Key_1", "my-key-1"],
  ["-é-", "key"],
  ["x".repeat(99), "x".repeat(PREFIX_LENGTH)],
  [`${"x".repeat(PREFIX_LENGTH - 1)} y`, "x".repeat(PREFIX_LENGTH - 1)],
])("the default prefix of %j is %s", (name, prefix) => {
  expect(prefixFrom(name)).toBe(prefix);
});

test("the name in a URN may have colons", () => {
  expect(nameInUrn("urn:pulumi:dev::app::a:b:C::one::two")).toBe("one::two");
});

test("a message shows a key with its id, its name, its age and its use", () => {
  const record = { id: "7", name: "ci", createdAt: "2026-01-01T00:00:00Z", lastUsedAt: null };
  const listed = (change: object) => formatListed({ ...record, ...change } as Parameters<typeof formatListed>[0]);
  expect(formatKey(record)).toBe("7 (ci)");
  expect(listed({})).toBe("7 (ci, created 2026-01-01T00:00:00Z, no use shown)");
  expect(listed({ lastUsedAt: "2026-01-02T00:00:00Z" })).toMatch(/, last used 2026-01-02T00:00:00Z\)$/);
});

describe("a name with a deadline", () => {
  const SUFFIX = "abcdefghijk2";
  const DEADLINE = Date.UTC(2027, 1, 28, 23, 59, 31);
  const name = nameOf("ci", SUFFIX, 2, DEADLINE);

  test("shows the deadline, rounded down to a minute", () => {
    expect(name).toMatch(/^ci-exp20270228t2359z[a-z2-7]{4}-abcdefghijk2-2$/);
    expect(deadlineIn(name)).toBe(Date.UTC(2027, 1, 28, 23, 59));
    expect([name, nameOf("ci", SUFFIX, 1, DEADLINE)].map(expiresAt)).toEqual(Array(2).fill("2027-02-28T23:59:00.000Z"));
    expect([expiresAt("ci"), expiresAt()]).toEqual([undefined, undefined]);
  });

  test.each([
    ["another prefix", name.replace(/^ci/, "cd")],
    ["a later year", name.replace("exp2027", "exp2028")],
    ["another suffix", name.replace(SUFFIX, "bbbbbbbbbbbb")],
    ["another number", name.replace(/2$/, "3")],
    ["a part that is missing", name.slice(0, -2)],
    ["a part more", `${name}-aaaaaaaa`],
    ["capital letters", name.toUpperCase()],
    ["no deadline", nameOf("ci", SUFFIX, 1)],
    ["a deadline that somebody wrote", `deploy-exp20261231t2359zabcd-${SUFFIX}`],
    ["a line break", `${name}\n`],
    ["a line before it", `\n${name}`],
  ])("has no deadline with %s", (_, other) => {
    expect(deadlineIn(other)).toBeUndefined();
  });
});

test.each(["ci-organization", "slack-notification", "ci-integrations", "deploy-subscription-2"])(
  "the name %s, which a person chose, is not a generated one",
  (name) => {
    expect(suffixIn(name)).toBeUndefined();
  },
);
