/** The three date forms of HTTP begin with a day name; anything else that Date.parse would take is no HTTP date. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Reads a `Retry-After` header, seconds or HTTP date, as milliseconds from `now` (wall clock, milliseconds).
 * Undefined where there is none or it cannot be read; a date in the past is 0.
 */
export function parseRetryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d{1,10}(\.\d{1,3})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The end of the year 9999: years have four digits, here and in the ISO 8601 times that are made of this. */
const LATEST_MS = Date.parse("9999-12-31T23:59:59Z");

/** Reads a `Date` header as milliseconds since 1970; undefined where there is none or it cannot be read. */
export function parseHttpDate(header: string | undefined): number | undefined {
  if (header === undefined || !HTTP_DATE.test(header)) return undefined;
  const at = Date.parse(header);
  return at <= LATEST_MS ? at : undefined;
}
