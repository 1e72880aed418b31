const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

const FORM = "a whole number (1 or more) followed by s, m, h, d or w, such as";

export const DURATION_FORM = `${FORM} "90s", "15m", "12h", "90d" or "2w", and at most 100 years`;

export const TIMER_FORM = `${FORM} "90s", "15m" or "12h", and at most 24 days`;

/** Longer ages would lead to dates outside the range of `Date`. */
const MAX_DURATION_MS = 36_525 * UNITS.d;

/** The longest wait of a timer (2^31 - 1 ms, about 24 days). Node turns anything longer into 1 ms. */
export const MAX_TIMER_MS = 2_147_483_647;

/**
 * Reads a duration such as `90s`, `15m` or `2w` as milliseconds; `undefined` for anything else, and for more than `longest`.
 * Months and years are not durations, because their length varies.
 */
export function parseDuration(text: unknown, longest = MAX_DURATION_MS): number | undefined {
  const match = typeof text === "string" ? /^([1-9]\d{0,8})([smhdw])$/.exec(text) : null;
  if (match === null) return undefined;
  const ms = Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
  return ms > longest ? undefined : ms;
}

/** Formats a length of time, rounded down to its largest unit: `12 s`, `4 min`, `3 h`, `90 d`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Milliseconds since 1970 as ISO 8601; `undefined` if there is no time, or none that a date can have. */
export function isoOf(ms: number | undefined): string | undefined {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
