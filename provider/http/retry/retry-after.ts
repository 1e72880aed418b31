/** The three HTTP date forms begin with the name of a day. `Date.parse` also accepts other dates. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Reads a `Retry-After` header, seconds or HTTP date, as milliseconds from `now`: the time of the answer on the service's
 * clock, in milliseconds. Undefined if it is missing or invalid; 0 for a date in the past.
 */
export function parseRetryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,10}(\.\d{1,3})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The end of the year 9999, because years have four digits here and in the resulting ISO 8601 times. */
const LATEST_MS = Date.parse("9999-12-31T23:59:59Z");

/** Reads a `Date` header as milliseconds since 1970; undefined if it is missing or invalid. */
export function parseHttpDate(header = ""): number | undefined {
  if (!HTTP_DATE.test(header)) return undefined;
  const at = Date.parse(header);
  return at <= LATEST_MS ? at : undefined;
}
