import { shortDigest } from "../base32";
import { formatDuration, isoOf, parseDuration } from "../duration";
import type { Failure } from "../schema/check";
import { UNKNOWN } from "../schema/fields";

/** A shorter life would depend on how far clocks may differ (5 minutes). */
const SHORTEST_MS = 600_000;

/** The longest time for which a `rotationWindow` is closed. */
const CLOSED_MS = 7 * 86_400_000;

const DEFAULT_GRACE_MS = 24 * 3_600_000;

const CHECK_LENGTH = 4;

export const DEADLINE_LENGTH = "-expyyyymmddthhmmz".length + CHECK_LENGTH;

const DEADLINE = /^(.+)-exp(\d{8}t\d{4}z)([a-z2-7]{4})(-[a-z2-7]{12}(?:-[1-9]\d{0,3})?)$/;

/**
 * Adds a deadline to the parts of a generated name: `<prefix>-exp<yyyymmddthhmmz><check>-<suffix>`, in UTC and rounded
 * down to a minute. The check covers the whole name, so no other name looks like one with a deadline by chance.
 */
export function withDeadline(prefix: string, expiresAt: number, end: string): string {
  const minute = new Date(expiresAt).toISOString().slice(0, 16).replace(/[-:]/g, "");
  const time = `${minute.toLowerCase()}z`;
  return `${prefix}-exp${time}${checkOf(prefix, time, end)}${end}`;
}

/** The deadline in a key's name, in milliseconds since 1970; `undefined` unless the name is whole and well-formed. */
export function deadlineIn(name: string): number | undefined {
  const [, prefix = "", time = "", check, end = ""] = DEADLINE.exec(name) ?? [];
  if (check === undefined || check !== checkOf(prefix, time, end)) return undefined;
  const deadline = Date.parse(time.replace(/(....)(..)(..)t(..)(..)z/, "$1-$2-$3T$4:$5:00Z"));
  return Number.isNaN(deadline) ? undefined : deadline;
}

/** The deadline in a key's name as an ISO 8601 time; `undefined` if it has none. */
export function expiresAt(name = ""): string | undefined {
  return isoOf(deadlineIn(name));
}

const checkOf = (...parts: readonly string[]): string => shortDigest(parts.join(" ")).slice(0, CHECK_LENGTH);

/** The inputs of a key that say how old it gets. */
export type Ages = Readonly<Partial<Record<"rotateAfter" | "maxAge" | "rotationWindow", unknown>>>;

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
export function timeToDeadline(inputs: Ages): number {
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
