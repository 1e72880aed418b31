import { describe, expect, test } from "vitest";
import {
  type Fate,
  fateOf,
  type KeyFacts,
  type LeasedKey,
  type PreviousKey,
  type Reason,
  type ReplacedKey,
  type SweptKey,
  type UnknownKey,
} from "../../../provider/keys/fate";

const HOUR = 3_600_000;
/** When the successor was delivered. */
const AT = Date.parse("2026-01-01T00:00:00Z");

/** The key of a creation that a killed run did not finish. */
const unknown = (facts: Partial<UnknownKey> = {}): UnknownKey => ({
  kind: "unknown",
  use: "never",
  held: "no",
  requestedBy: "interrupted creation",
  delivered: "unknown",
  otherHistory: false,
  ...facts,
});

/** A key after a grace of an hour, which nobody has ever used. */
const previous = (facts: Partial<PreviousKey> = {}): PreviousKey => ({
  kind: "previous",
  deliveredAt: AT,
  grace: HOUR,
  quiet: HOUR / 2,
  maxOverlap: 10 * HOUR,
  lastUsed: "never",
  now: AT + HOUR,
  ...facts,
});

const replaced = (waiting: ReplacedKey["waiting"]): ReplacedKey => ({ kind: "replaced", waiting });

/** A key whose deadline comes now. */
const leased = (facts: Partial<LeasedKey> = {}): LeasedKey => ({
  kind: "leased",
  isCredential: false,
  deadline: AT,
  now: AT,
  ...facts,
});

/** An old key that no given state has, and that nobody has ever used. */
const swept = (facts: Partial<SweptKey> = {}): SweptKey => ({
  kind: "swept",
  held: false,
  isCredential: false,
  use: "never",
  otherHistory: false,
  inUse: false,
  isTimeKnown: true,
  afterState: false,
  isYoung: false,
  includeUsed: false,
  includeYoung: false,
  ...facts,
});

const REVOKE: Fate = { fate: "revoke" };
const DESPITE_USE: Fate = { fate: "revoke", despiteUse: true };
const keep = (why: Reason, until?: number): Fate => ({ fate: "keep", why, ...(until !== undefined && { until }) });
const report = (why: Reason, until?: number): Fate => ({ fate: "report", why, ...(until !== undefined && { until }) });

const TABLE: readonly (readonly [facts: string, KeyFacts, Fate])[] = [
  // A live key with this stack's tag that no resource of the run has.
  ["an unknown key of an interrupted creation", unknown(), REVOKE],
  [
    "an unknown key of a recorded run that no successful run had",
    unknown({ requestedBy: "run", delivered: "no" }),
    REVOKE,
  ],
  [
    "an unknown key of a recorded run that may have been delivered",
    unknown({ requestedBy: "run", delivered: "unknown" }),
    report("unexplained"),
  ],
  ["an unknown key that the state has", unknown({ held: "yes" }), keep("held")],
  [
    "an unknown key that the state has, of a lost request",
    unknown({ held: "yes", requestedBy: "lost request" }),
    keep("held"),
  ],
  ["an unknown key that a complete run had", unknown({ delivered: "yes" }), keep("delivered")],
  [
    "an unknown key that a complete run had, and that was used",
    unknown({ delivered: "yes", use: "used" }),
    keep("delivered"),
  ],
  [
    "an unknown key of a lost request that a complete run had",
    unknown({ delivered: "yes", requestedBy: "lost request" }),
    keep("delivered"),
  ],
  ["an unknown key that was used", unknown({ use: "used" }), report("used")],
  ["an unknown key whose use is unknown", unknown({ use: "unknown" }), report("used")],
  ["a used key with the name of a lost request", unknown({ use: "used", requestedBy: "lost request" }), report("used")],
  [
    "an unknown key of a lost request, without a state",
    unknown({ held: "unknown", requestedBy: "lost request" }),
    REVOKE,
  ],
  [
    "an unknown key of a lost request, beside another history",
    unknown({ otherHistory: true, requestedBy: "lost request" }),
    REVOKE,
  ],
  ["an unknown key without a state", unknown({ held: "unknown" }), report("no state")],
  ["an unknown key beside another history", unknown({ otherHistory: true }), report("other history")],
  ["an unknown key that nothing explains", unknown({ requestedBy: "unknown" }), report("unexplained")],

  // A key that a rotation replaced.
  ["a previous key after its grace", previous(), REVOKE],
  ["a previous key whose successor was never delivered", previous({ deliveredAt: undefined }), report("not delivered")],
  ["a previous key whose delivery is not readable", previous({ deliveredAt: Number.NaN }), report("not delivered")],
  ["a previous key just before the end of its grace", previous({ now: AT + HOUR - 1 }), keep("grace", AT + HOUR)],
  [
    "a previous key in its grace, which is longer than maxOverlap",
    previous({ maxOverlap: 0, now: AT + HOUR - 1 }),
    keep("grace", AT + HOUR),
  ],
  ["a previous key used just now", previous({ lastUsed: AT + HOUR }), report("in use", AT + 10 * HOUR)],
  [
    "a previous key used just within the quiet period",
    previous({ lastUsed: AT + HOUR / 2 + 1 }),
    report("in use", AT + 10 * HOUR),
  ],
  ["a previous key used just before the quiet period", previous({ lastUsed: AT + HOUR / 2 }), REVOKE],
  [
    "a previous key in use at the end of the overlap",
    previous({ lastUsed: AT + 10 * HOUR, now: AT + 10 * HOUR }),
    DESPITE_USE,
  ],
  [
    "a previous key in use just before the end of the overlap",
    previous({ lastUsed: AT + 9.9 * HOUR, now: AT + 10 * HOUR - 1 }),
    report("in use", AT + 10 * HOUR),
  ],
  ["a previous key whose use is unknown", previous({ lastUsed: "unknown" }), report("use unknown")],
  [
    "a previous key whose use is unknown at the end of the overlap",
    previous({ lastUsed: "unknown", now: AT + 10 * HOUR }),
    REVOKE,
  ],

  // The key of a resource that was replaced.
  ["a replaced key that no consumer has", replaced([]), REVOKE],
  ["a replaced key that a consumer may have", replaced(["app"]), report("consumers wait")],
  ["a replaced key without a state", replaced("unknown"), report("consumers unknown")],

  // A key that `keyplane sweep` finds.
  ["a key of the sweep", swept(), REVOKE],
  ["a key of the sweep that a state has", swept({ held: true, includeUsed: true, includeYoung: true }), keep("held")],
  ["a key of the sweep that is a credential", swept({ isCredential: true, includeUsed: true }), keep("credential")],
  [
    "a key of the sweep in use, even if used ones are included",
    swept({ inUse: true, use: "used", includeUsed: true }),
    keep("in use"),
  ],
  [
    "a key of the sweep that another history may have",
    swept({ otherHistory: true, includeUsed: true, includeYoung: true }),
    keep("other history"),
  ],
  [
    "a key of the sweep if the service's time is unknown",
    swept({ isTimeKnown: false, includeUsed: true, includeYoung: true }),
    keep("time unknown"),
  ],
  ["a used key of the sweep", swept({ use: "used" }), keep("used")],
  ["a key of the sweep whose use is unknown", swept({ use: "unknown" }), keep("used")],
  ["a used key of the sweep, if used ones are included", swept({ use: "used", includeUsed: true }), REVOKE],
  [
    "a key of the sweep that is newer than the state",
    swept({ afterState: true, includeUsed: true, includeYoung: true }),
    keep("after state"),
  ],
  ["a young key of the sweep", swept({ isYoung: true }), keep("young")],
  ["a young key of the sweep, if young ones are included", swept({ isYoung: true, includeYoung: true }), REVOKE],

  // A key that `keyplane revoke` names.
  ["a named key that is proven to be no credential", { kind: "named", credentialOf: undefined }, REVOKE],
  ["a named key that may be a credential", { kind: "named", credentialOf: "keyplane:apiKey" }, report("credential")],

  // A key with a deadline.
  ["a leased key at its deadline", leased(), REVOKE],
  ["a leased key before its deadline", leased({ now: AT - 1 }), keep("lease", AT)],
  ["a leased key that is a credential", leased({ isCredential: true }), report("credential")],
  ["a leased key if the service's time is unknown", leased({ now: "unknown" }), report("time unknown")],
];

describe("the fate of", () => {
  test.each(TABLE)("%s", (_, facts, fate) => {
    expect(fateOf(facts)).toEqual(fate);
  });

  test("no unknown key is a revocation without a request on record", () => {
    const uses = ["never", "used", "unknown"] as const;
    const helds = ["yes", "no", "unknown"] as const;
    const flags = [true, false];
    const answers = ["yes", "no", "unknown"] as const;
    for (const use of uses)
      for (const held of helds)
        for (const delivered of answers)
          for (const otherHistory of flags) {
            const facts = unknown({ use, held, delivered, otherHistory, requestedBy: "unknown" });
            expect(fateOf(facts).fate, JSON.stringify(facts)).not.toBe("revoke");
          }
  });
});
