import { getOrCreate } from "../get-or-create";
import { isObject, type Members } from "../members";
import type { FieldType } from "../schema/fields";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A weekly window inside a time that the clocks skip is not open before the week after. */
const MAX_SEARCH_MS = 16 * DAY_MS;

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = DAYS.indexOf("thu");

/** The times at which a key may rotate by age, each week, by the clocks of a time zone. */
export interface RotationWindow {
  /** The days on which the window opens. 0 is Monday. */
  readonly days: ReadonlySet<number>;
  /** The time of day at which it opens, in milliseconds. */
  readonly opens: number;
  /** The time of day at which it closes, in milliseconds. More than a day if that is on the next day. */
  readonly closes: number;
  readonly timeZone: string;
}

/** The type of the input: an object as it is in a program. */
export const rotationWindow: FieldType = (value) => {
  const window = parseWindow(value);
  return typeof window === "string" ? window : undefined;
};

/** The window of an input; `undefined` if there is none, or if a preview does not know it yet. */
export function windowOf(value: unknown): RotationWindow | undefined {
  const window = parseWindow(value);
  return typeof window === "string" ? undefined : window;
}

/**
 * The first moment at or after `from` that is inside a window, in milliseconds. A moment is inside if the clocks of the
 * time zone then show a day and a time of the window. So a time that the clocks skip is never inside, and one that they
 * show twice is inside twice.
 */
export function dueIn(window: RotationWindow, from: number): number {
  const offset = (at: number) => offsetAt(window.timeZone, at);
  let at = from;
  while (at < from + MAX_SEARCH_MS) {
    const current = offset(at);
    const open = firstInside(window, at + current) - current;
    if (offset(open) === current) return open;
    at = changeOf(offset, at, open);
  }
  return at;
}

/** The first time at or after `local` that is inside a window, by clocks that never change. Both count as if in UTC. */
function firstInside({ days, opens, closes }: RotationWindow, local: number): number {
  const today = Math.floor(local / DAY_MS);
  // A window of yesterday may still be open.
  for (let day = today - 1; day <= today + DAYS.length; day += 1) {
    const isDay = days.has((day + FIRST_WEEKDAY) % DAYS.length);
    if (isDay && local < day * DAY_MS + closes) return Math.max(local, day * DAY_MS + opens);
  }
  return Number.POSITIVE_INFINITY;
}

/** The moment between two others at which the clocks change. No time zone changes them twice within eight days. */
function changeOf(offset: (at: number) => number, from: number, to: number): number {
  const before = offset(from);
  let [last, next] = [from, to];
  while (next - last > 1) {
    const middle = Math.floor((last + next) / 2);
    if (offset(middle) === before) last = middle;
    else next = middle;
  }
  return next;
}

/** Kept, because making one takes 60 µs, ten times as long as to use it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const make = () => new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  return getOrCreate(formatters, timeZone, make);
}

/** By how much the clocks of a time zone are ahead of UTC, in milliseconds. */
function offsetAt(timeZone: string, at: number): number {
  const name = formatterFor(timeZone)
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")?.value;
  // In UTC it is only `GMT`. Some offsets of the past have seconds.
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name ?? "") ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1_000;
  return sign === "-" ? -size : size;
}

const FORM =
  'must be a window, such as { days: ["mon", "tue", "wed", "thu"], startTime: "09:00", endTime: "16:00", timeZone: "Europe/Berlin" }';

const MEMBERS = ["days", "startTime", "endTime", "timeZone"];

/** A window, or what is wrong with it, as the end of a sentence. The text repeats no value, which can be a secret. */
function parseWindow(value: unknown): RotationWindow | string {
  if (!isObject(value)) return FORM;
  const given = Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined && member !== null),
  );
  if (Object.keys(given).some((name) => !MEMBERS.includes(name))) {
    return `has a property that is not one of ${MEMBERS.join(", ")}. Remove or correct it`;
  }
  const { days = DAYS, startTime = "00:00", endTime = "24:00", timeZone = "UTC" }: Members = given;
  if (given.days === undefined && given.startTime === undefined && given.endTime === undefined) {
    return "must limit the days or the time of day. Set days, or startTime and endTime";
  }
  const problem = problemOfDays(days);
  if (problem !== undefined) return problem;
  const opens = timeOfDay(startTime);
  if (opens === undefined || opens === DAY_MS) {
    return 'has an invalid startTime: it must be a time of day from "00:00" to "23:59", such as "09:00"';
  }
  const closes = timeOfDay(endTime);
  if (closes === undefined) {
    return 'has an invalid endTime: it must be a time of day from "00:00" to "24:00", such as "16:00"';
  }
  if (opens === closes) return 'has the same startTime and endTime. For a whole day, use "00:00" and "24:00"';
  if (!isTimeZone(timeZone)) {
    return 'has an unknown timeZone: it must be an IANA name, such as "Europe/Berlin", "America/New_York" or "UTC"';
  }
  return {
    days: new Set((days as typeof DAYS).map((day) => DAYS.indexOf(day))),
    opens,
    closes: closes < opens ? closes + DAY_MS : closes,
    timeZone,
  };
}

function problemOfDays(days: unknown): string | undefined {
  const choices = DAYS.map((day) => JSON.stringify(day)).join(", ");
  if (!Array.isArray(days) || days.length === 0)
    return `has invalid days: they must be a list with at least one of ${choices}`;
  const wrong = days.findIndex((day) => !DAYS.includes(day));
  if (wrong === -1) return undefined;
  const nearest = nearestDay(days[wrong]);
  const proposal = nearest === undefined ? "" : `. Did you mean ${JSON.stringify(nearest)}?`;
  return `has an unknown day at days[${wrong}]: it must be one of ${choices}${proposal}`;
}

/** The day whose letters a text begins with, in about their order. */
function nearestDay(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  const head = text.trim().toLowerCase().slice(0, 4);
  const score = (day: string) =>
    [...day].filter((letter) => head.includes(letter)).length + (head[0] === day[0] ? 1 : 0);
  const [best] = [...DAYS].sort((a, b) => score(b) - score(a));
  return best !== undefined && score(best) >= 3 ? best : undefined;
}

function timeOfDay(text: unknown): number | undefined {
  const match = typeof text === "string" ? /^(?:([01]\d|2[0-3]):([0-5]\d)|24:00)$/.exec(text) : null;
  if (match === null) return undefined;
  const [, hours = 24, minutes = 0] = match;
  return (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

/** Newer versions of Node also accept offsets such as `+02:00`, which know no daylight saving time. */
function isTimeZone(name: unknown): name is string {
  if (typeof name !== "string" || !/^[A-Za-z]/.test(name)) return false;
  try {
    formatterFor(name);
    return true;
  } catch {
    return false;
  }
}
