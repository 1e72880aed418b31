import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideRetirement, type PreviousFacts } from "../../../provider/keys/retirement";
import { HOUR } from "../../times";

const AT = Date.parse("2026-01-01T00:00:00Z");

/** A key whose grace of an hour is just over, and that nobody has used. */
const previous = (facts: Partial<PreviousFacts> = {}): PreviousFacts => ({
  rotatedAt: AT,
  deliveredAt: AT,
  grace: HOUR,
  quiet: 2 * HOUR,
  maxOverlap: 10 * HOUR,
  lastUsed: "never",
  requireUse: false,
  isSuccessorUsed: false,
  now: AT + HOUR,
  ...facts,
});

const keep = (why: string, until: number) => ({ decision: "keep", why, until });

describe("the previous key of a rotation", () => {
  test.each<[string, Partial<PreviousFacts>, object]>([
    ["the grace is over", {}, { decision: "revoke" }],
    ["it is not over yet", { now: AT + HOUR - 1 }, keep("grace", AT + HOUR)],
    ["it counts from the delivery", { deliveredAt: AT + HOUR, now: AT + HOUR }, keep("grace", AT + 2 * HOUR)],
    ["no run has delivered its successor", { deliveredAt: "no" }, keep("not delivered", AT + 2 * HOUR)],
    ["that is so for ever", { deliveredAt: "no", now: AT + 99 * HOUR }, keep("not delivered", AT + 100 * HOUR)],
    ["there is no history", { deliveredAt: "unknown" }, keep("no history", AT + 2 * HOUR)],
    [
      "there is no history shortly before maxOverlap",
      { deliveredAt: "unknown", now: AT + 9.5 * HOUR },
      keep("no history", AT + 10 * HOUR),
    ],
    [
      "there is no history, and maxOverlap is over",
      { deliveredAt: "unknown", now: AT + 10 * HOUR },
      { decision: "revoke", despite: "no history" },
    ],
    ["it is in use", { lastUsed: AT }, keep("in use", AT + 2 * HOUR)],
    ["it was in use", { lastUsed: AT - HOUR }, { decision: "revoke" }],
    [
      "it is in use shortly before maxOverlap",
      { lastUsed: AT + 9 * HOUR, now: AT + 9.5 * HOUR },
      keep("in use", AT + 10 * HOUR),
    ],
    [
      "it is in use, and maxOverlap is over",
      { lastUsed: AT + 10 * HOUR, now: AT + 10 * HOUR },
      { decision: "revoke", despite: "use" },
    ],
    ["its use is unknown", { lastUsed: "unknown" }, keep("use unknown", AT + 3 * HOUR)],
    [
      "its use is unknown, and maxOverlap is over",
      { lastUsed: "unknown", now: AT + 10 * HOUR },
      { decision: "revoke" },
    ],
    ["its successor must be used, and is not", { requireUse: true }, keep("unused successor", AT + 3 * HOUR)],
    ["its successor must be used, and is", { requireUse: true, isSuccessorUsed: true }, { decision: "revoke" }],
    ["its successor must be used in its grace", { requireUse: true, now: AT }, keep("grace", AT + HOUR)],
    [
      "its successor is used, and so is the key",
      { requireUse: true, isSuccessorUsed: true, lastUsed: AT },
      keep("in use", AT + 2 * HOUR),
    ],
    ["its successor is not used, but the key is", { requireUse: true, lastUsed: AT }, keep("in use", AT + 2 * HOUR)],
    [
      "its successor is not used shortly before maxOverlap",
      { requireUse: true, now: AT + 9.5 * HOUR },
      keep("unused successor", AT + 10 * HOUR),
    ],
    [
      "its successor is not used, and maxOverlap is over",
      { requireUse: true, now: AT + 10 * HOUR },
      { decision: "revoke", despite: "unused successor" },
    ],
    ["its own deadline is over", { deadline: AT, now: AT, deliveredAt: "no", lastUsed: AT }, { decision: "revoke" }],
  ])("%s", (_, facts, decision) => {
    expect(decideRetirement(previous(facts))).toEqual(decision);
  });
});

// A key in use, within its quiet period and between grace and `maxOverlap`, is rare among random facts.
const MANY = { numRuns: 5_000 };

describe("for any facts", () => {
  const time = fc.integer({ min: AT, max: AT + 100 * HOUR });
  const duration = fc.integer({ min: 0, max: 50 * HOUR });
  const facts: fc.Arbitrary<PreviousFacts> = fc
    .record({
      rotatedAt: time,
      deliveredAt: fc.oneof(time, fc.constantFrom("no" as const, "unknown" as const)),
      lastUsed: fc.oneof(time, fc.constantFrom("never" as const, "unknown" as const)),
      requireUse: fc.boolean(),
      isSuccessorUsed: fc.boolean(),
      deadline: fc.option(time, { nil: undefined }),
      now: time,
      grace: duration,
      quiet: duration,
      more: duration,
    })
    .map(({ more, ...rest }) => ({ ...rest, maxOverlap: rest.grace + more }));

  test("nothing but its deadline, or maxOverlap without a history, revokes a key before the grace after its delivery", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { deliveredAt, deadline, now, grace, rotatedAt, maxOverlap } = given;
        if (decideRetirement(given).decision !== "revoke" || (deadline !== undefined && now >= deadline)) return;
        expect(deliveredAt).not.toBe("no");
        const earliest = typeof deliveredAt === "number" ? deliveredAt + grace : rotatedAt + maxOverlap;
        expect(now).toBeGreaterThanOrEqual(earliest);
      }),
      MANY,
    );
  });

  test("a used key is revoked only after its quiet period, at its deadline, or at maxOverlap", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { deliveredAt, deadline, now, quiet, lastUsed, maxOverlap } = given;
        if (
          decideRetirement(given).decision !== "revoke" ||
          typeof lastUsed !== "number" ||
          typeof deliveredAt !== "number"
        )
          return;
        const isOver = now >= lastUsed + quiet || now >= deliveredAt + maxOverlap;
        expect(isOver || now >= (deadline ?? Number.POSITIVE_INFINITY)).toBe(true);
      }),
      MANY,
    );
  });

  test("with requireUse, a key is revoked before maxOverlap only if its successor was used, or at its deadline", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { deliveredAt, deadline, now, requireUse, maxOverlap } = given;
        if (!requireUse || typeof deliveredAt !== "number" || decideRetirement(given).decision !== "revoke") return;
        const isOver = now >= Math.min(deliveredAt + maxOverlap, deadline ?? Number.POSITIVE_INFINITY);
        expect(isOver || given.isSuccessorUsed).toBe(true);
      }),
      MANY,
    );
  });

  test("a key that may be revoked may be revoked later, too", () => {
    fc.assert(
      fc.property(facts, duration, (given, later) => {
        if (decideRetirement(given).decision === "revoke")
          expect(decideRetirement({ ...given, now: given.now + later }).decision).toBe("revoke");
      }),
      MANY,
    );
  });

  test("a key that stays is asked about at a later time, unless a period is zero", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const decision = decideRetirement(given);
        if (decision.decision === "revoke") return;
        if (given.grace > 0 && given.quiet > 0) expect(decision.until).toBeGreaterThan(given.now);
        else expect(decision.until).toBeGreaterThanOrEqual(given.now);
      }),
      MANY,
    );
  });
});
