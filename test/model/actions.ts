import fc from "fast-check";
import type { Rule } from "../../testing/control-plane";
import type { Crash } from "../engineless/provider-process";
import type { Declared, Flags, Program } from "../engineless/test-stack";
import { RECIPIENTS } from "../recipients";
import { DELETE, LIST, POST } from "../routes";

/** One event in the life of a stack. */
export type Action =
  | ({ readonly do: "up"; readonly program: Program } & Flags)
  | { readonly do: "refresh" | "destroy"; readonly crash?: Crash | undefined }
  | { readonly do: "fault"; readonly rule: Rule }
  | { readonly do: "commit late" }
  /** The configuration gets another credential of the same account. */
  | { readonly do: "exchange" }
  | { readonly do: "wait"; readonly minutes: number }
  /** Somebody uses or revokes one of the stack's keys; which of the live ones is told by a number. */
  | { readonly do: "use" | "revoke"; readonly which: number }
  /** `pulumi state taint`. */
  | { readonly do: "taint"; readonly which: number }
  /** The state is that of an earlier time. */
  | { readonly do: "restore"; readonly which: number };

/** The key that `revokeNow` names is that of the state. */
export const CURRENT = "current";
export const PREVIOUS = "previous";
/** The key that was created by hand. */
export const BY_HAND = "by hand";

const MINUTES_OF_GRACE = 60;
export const GRACE_MS = MINUTES_OF_GRACE * 60_000;
export const MAX_OVERLAP_MS = 3 * GRACE_MS;

const often = (value: boolean) => fc.constantFrom(value, value, value, value, value, value, value, value, !value);
const rarely = <T>(arbitrary: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: times, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const common = {
  trigger: fc.nat(2),
  sealTo: rarely(fc.constantFrom(...RECIPIENTS), 5),
  maxAge: rarely(fc.constantFrom("400d", "9600h"), 5),
  verify: rarely(fc.constant(true), 9),
  revokeOnDelete: rarely(fc.constant(false), 9),
};

const given = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== false));

const plain: fc.Arbitrary<Declared> = fc.record(common).map(({ trigger, revokeOnDelete, ...rest }) => ({
  kind: "ApiKey",
  inputs: { rotationTriggers: { trigger }, ...given(rest), ...(revokeOnDelete === false && { revokeOnDelete }) },
}));

const rotating: fc.Arbitrary<Declared> = fc
  .record({ ...common, revokeNow: rarely(fc.constantFrom(CURRENT, PREVIOUS), 6), ages: rarely(fc.constant("4d"), 3) })
  .map(({ trigger, revokeOnDelete, ages, maxAge, ...rest }) => ({
    kind: "RotatingApiKey",
    inputs: {
      rotationTriggers: { trigger },
      gracePeriod: "1h",
      quietPeriod: "30m",
      maxOverlap: "3h",
      ...given({ ...rest, rotateAfter: ages, maxAge: ages === undefined ? maxAge : undefined }),
      ...(revokeOnDelete === false && { revokeOnDelete }),
    },
  }));

const exact: fc.Arbitrary<Declared> = fc.nat(2).map((trigger) => ({
  kind: "ApiKey",
  inputs: { name: "exact", onNameConflict: "revokeUnused", rotationTriggers: { trigger } },
}));

const adopted: fc.Arbitrary<Declared> = fc.nat(2).map((trigger) => ({
  kind: "RotatingApiKey",
  inputs: { adopt: BY_HAND, gracePeriod: "1h", maxOverlap: "3h", rotationTriggers: { trigger } },
}));

/** The kind of a name never changes. */
const NAMES = { "plain-0": plain, "plain-1": plain, "rotating-0": rotating, "rotating-1": rotating };

const program: fc.Arbitrary<Program> = fc
  .record({
    ...Object.fromEntries(Object.entries(NAMES).map(([name, key]) => [name, fc.option(key, { nil: undefined })])),
    exact: rarely(exact, 4),
    adopted: rarely(adopted, 6),
  })
  .map((keys) => given(keys) as Program);

const crash: fc.Arbitrary<Crash | undefined> = rarely(
  fc.record({ moment: fc.integer({ min: 1, max: 30 }), victim: fc.constantFrom("both", "both", "both", "host") }),
  1,
);

const name = fc.constantFrom(...Object.keys(NAMES));
const flags: fc.Arbitrary<Flags> = fc.oneof(
  fc.record({ target: name }),
  fc.record({ replace: name }),
  fc.record({ failing: name }),
);

const up: fc.Arbitrary<Action> = fc
  .record({ program, crash, oneByOne: often(true), refreshes: often(false), flags: rarely(flags, 2) })
  .map(({ flags, ...up }) => ({ do: "up", ...up, ...flags }));

const operations = { operations: [{ action: "apply_config", runningMs: 7_000 }] };
const rule: fc.Arbitrary<Rule> = fc
  .record({
    route: fc.constantFrom(POST, POST, LIST, DELETE),
    skip: fc.nat(2),
    count: fc.integer({ min: 1, max: 4 }),
    fault: fc.constantFrom<Partial<Rule>>(
      { status: 500 },
      { status: 500, commit: "before" },
      { status: 503 },
      { status: 429, retryAfter: 1 },
      { fault: "reset" },
      { fault: "close", commit: "before" },
      // Well within the time in which keyplane looks for it.
      { fault: "close", commit: "late", lateMs: 600_000 },
      { fault: "truncate-length" },
      { omit: ["key"] },
      operations,
    ),
  })
  .map(({ fault, ...of }) => ({ ...of, ...fault }))
  // Only an answer to a creation has a key or operations.
  .map((each) => ("omit" in each || "operations" in each ? { ...each, route: POST } : each));

const which = fc.nat(9);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 9, arbitrary: up },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("refresh" as const, "destroy" as const), crash }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("fault" as const), rule }) },
  { weight: 1, arbitrary: fc.constantFrom<Action>({ do: "commit late" }, { do: "exchange" }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait" as const), minutes: fc.constantFrom(5, 61, 190, 6_000) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("use" as const, "revoke" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("taint" as const, "restore" as const), which }) },
);

/** A rotation that is interrupted, and the same program again, also after the grace of the old key. */
const lateHealing: fc.Arbitrary<Action[]> = fc.record({ crash, late: crash }).map((given) => {
  const upOf = (trigger: number, interruption?: Crash): Action => ({
    do: "up",
    program: {
      "rotating-0": {
        kind: "RotatingApiKey",
        inputs: { rotationTriggers: { trigger }, gracePeriod: "1h", quietPeriod: "30m", maxOverlap: "3h" },
      },
    },
    crash: interruption,
  });
  const pause: Action = { do: "wait", minutes: MINUTES_OF_GRACE + 1 };
  return [upOf(7), upOf(8, given.crash), pause, upOf(8, given.late), pause, upOf(8)];
});

/** A story of a stack. */
export const story: fc.Arbitrary<Action[]> = fc
  .array(fc.oneof({ weight: 12, arbitrary: action.map((one) => [one]) }, { weight: 1, arbitrary: lateHealing }), {
    minLength: 1,
    maxLength: 9,
  })
  .map((parts) => parts.flat());
