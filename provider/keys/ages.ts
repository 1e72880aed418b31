import { formatDuration, isoOf, parseDuration } from "../duration";
import type { Failure } from "../schema/check";
import { UNKNOWN } from "../schema/fields";
import { dueIn, windowOf } from "./rotation-window";

/** A shorter life would depend on how far clocks may differ (5 minutes). */
const SHORTEST_MS = 600_000;

/** The longest time for which a `rotationWindow` is closed. */
const CLOSED_MS = 7 * 86_400_000;

const DEFAULT_GRACE_MS = 24 * 3_600_000;

/** The inputs of a key that say how old it gets. */
type Ages = Readonly<Partial<Record<"rotateAfter" | "maxAge" | "rotationWindow", unknown>>>;

/**
 * The age in milliseconds at which a key rotates: `rotateAfter`, else two thirds of `maxAge`; `undefined` if it never
 * does, or if a preview does not know it yet.
 */
export function rotationAge({ rotateAfter, maxAge }: Ages): number | undefined {
  if (rotateAfter !== undefined) return parseDuration(rotateAfter);
  const longest = parseDuration(maxAge);
  return longest && Math.floor((longest * 2) / 3);
}

/** Whether two values of `maxAge` mean the same. A value that a preview does not know is another. */
export function sameAge(one: unknown, other: unknown): boolean {
  return other !== UNKNOWN && parseDuration(one) === parseDuration(other);
}

const closedMs = ({ rotationWindow }: Ages): number => (rotationWindow === undefined ? 0 : CLOSED_MS);

/**
 * The time between the latest rotation by age and the deadline, in milliseconds, as far as a preview knows both; infinite
 * without a deadline.
 */
function timeToDeadline(inputs: Ages): number {
  return longestOf(inputs) - (rotationAge(inputs) ?? 0) - closedMs(inputs);
}

/** The grace of a key that is rotated by age must end before the next rotation, and before the deadline of the key. */
export function graceOf(inputs: Ages & { readonly gracePeriod?: unknown }): number {
  const age = rotationAge(inputs) ?? Number.POSITIVE_INFINITY;
  return parseDuration(inputs.gracePeriod) ?? Math.min(DEFAULT_GRACE_MS, age / 2, timeToDeadline(inputs) / 2);
}

const longestOf = ({ maxAge }: Ages): number => parseDuration(maxAge) ?? Number.POSITIVE_INFINITY;

/**
 * Checks that a key is out of use before its deadline.
 * @param grace - How long a key stays in use after its rotation, in milliseconds.
 */
export function deadlineRules(inputs: Ages, grace = 0): readonly Failure[] {
  if (longestOf(inputs) < SHORTEST_MS) return [{ property: "maxAge", reason: "must be at least 10m" }];
  if (timeToDeadline(inputs) > grace) return [];
  const parts = [
    [
      inputs.rotateAfter === undefined ? "two thirds of it until the rotation" : "rotateAfter",
      rotationAge(inputs) ?? 0,
    ],
    ["7 days in which rotationWindow may be closed", closedMs(inputs)],
    ["gracePeriod", grace],
  ] as const;
  const needed = parts.filter(([, ms]) => ms > 0);
  const list = needed.map(([what, ms]) => `${what} (${formatDuration(ms)})`).join(", ");
  return [
    {
      property: "maxAge",
      reason: `must be longer than all that happens before the deadline: ${list}. Set a longer maxAge, or shorten these`,
    },
  ];
}

/** The first time at or after another one at which a key is due for rotation by age. Both are in milliseconds. */
type NextDue = (from: number) => number;

/**
 * When a key is due for rotation by age; `undefined` if it never is, or if a preview does not know it yet. It does not wait
 * for a window that opens when its grace would no longer end before its deadline.
 * @param grace - How long its consumers keep it after a rotation, in milliseconds.
 */
export function nextDue(createdAt: string | undefined, inputs: Ages, grace = 0): NextDue | undefined {
  const { rotationWindow } = inputs;
  const age = rotationAge(inputs);
  const born = Date.parse(createdAt ?? "");
  if (age === undefined || Number.isNaN(born)) return undefined;
  if (rotationWindow === undefined) return (from) => Math.max(from, born + age);
  const window = windowOf(rotationWindow);
  const latest = born + longestOf(inputs) - grace;
  return (
    window &&
    ((from) => {
      const due = Math.max(from, born + age);
      const open = dueIn(window, due);
      return open < latest ? open : due;
    })
  );
}

/** When a key becomes due for rotation, as an ISO 8601 time; `undefined` if it does not rotate by age. */
export function rotateAt(createdAt: string | undefined, inputs: Ages, grace?: number): string | undefined {
  const due = nextDue(createdAt, inputs, grace);
  return due && new Date(due(Number.NEGATIVE_INFINITY)).toISOString();
}

/**
 * A job that runs as often as a key is to rotate finds the key too young by the time that it took to create it. So a key
 * reaches its age a little earlier, by this part of the age, and by this time at most.
 */
const SLACK = { part: 1 / 20, most: 3_600_000 } as const;

/** Why a key is due for rotation by its age, in words; `undefined` if it is not. */
export function dueByAge(createdAt: string | undefined, inputs: Ages, now: number, grace?: number): string | undefined {
  const born = Date.parse(createdAt ?? "");
  const age = rotationAge(inputs) ?? 0;
  const due = nextDue(isoOf(born - Math.min(age * SLACK.part, SLACK.most)), inputs, grace);
  // A key that nobody rotated inside the window waits for the next one.
  if (due === undefined || due(now) > now) return undefined;
  const shown = (ms: number) => formatDuration(ms).replace(" ", "");
  if (now - born < age) return `${shown(age)} old at ${isoOf(born + age)}`;
  return `due since ${rotateAt(createdAt, inputs, grace)}: ${shown(now - born)} old`;
}
