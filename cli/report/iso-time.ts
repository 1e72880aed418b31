/** A time of a state or the service as ISO 8601, in one form; `undefined` if it is not a time. */
export function readTime(value: unknown): string | undefined {
  return typeof value === "string" ? isoOf(Date.parse(value)) : undefined;
}

/** Milliseconds since 1970 as ISO 8601; `undefined` if there is no time, or none that a date can have. */
export function isoOf(ms: number | undefined): string | undefined {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
