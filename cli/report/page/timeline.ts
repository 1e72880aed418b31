import type { KeyEvent, Report, ReportKey } from "../report-data";
import { type Child, element, filled } from "./elements";

/** The period that all timelines of the page show, in milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly now: number;
  readonly to: number;
}

const DAY = 86_400_000;
/** The longest part of the past and of the future that is shown. */
const REACH = 400 * DAY;
const WIDTH = 240;
const MARGIN = 8;
/** Where the line is, in the middle. */
const LINE = 12;

/** Events that are dates until they happen. */
const PLANNED: ReadonlySet<KeyEvent["what"]> = new Set(["rotation due", "grace ends", "deadline"]);

/** Where marks are that often coincide with others: above and below the line. */
const SHIFTS: Partial<Readonly<Record<KeyEvent["what"], number>>> = { used: -6, delivered: 6 };

/** The form of each event: a path around the origin. */
const MARKS: Readonly<Record<KeyEvent["what"], string>> = {
  created: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
  delivered: "M-3.5 3.5L0-3.5L3.5 3.5z",
  used: "M0-5L3.5 0L0 5L-3.5 0z",
  rotated: "M-3.5-3.5H3.5V3.5H-3.5z",
  "rotation due": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0zM-2 0a2 2 0 1 1 4 0a2 2 0 1 1-4 0z",
  "grace ends": "M-1.5-6H1.5V6H-1.5z",
  deadline: "M-5-5H5L0 5z",
  gone: "M-4-2.5L-2.5-4L0-1.5L2.5-4L4-2.5L1.5 0L4 2.5L2.5 4L0 1.5L-2.5 4L-4 2.5L-1.5 0z",
};

/** The period in which the events of all keys are, around the time of the report. */
export function periodOf({ at, keys }: Report): Period {
  const now = Date.parse(at);
  let [from, to] = [now - DAY, now + DAY];
  for (const event of keys.flatMap(({ events }) => events)) {
    const time = Date.parse(event.at);
    from = Math.min(from, time);
    to = Math.max(to, time);
  }
  return { from: Math.max(from, now - REACH), now, to: Math.min(to, now + REACH) };
}

/** A drawing of a key's life: a line for the time in which it exists, and a mark for each event. */
export function timeline({ events, status }: ReportKey, period: Period): Element {
  const x = (time: number): number => {
    const share = (time - period.from) / (period.to - period.from);
    return Math.round(MARGIN + Math.min(1, Math.max(0, share)) * (WIDTH - 2 * MARGIN));
  };
  const xOf = (event: KeyEvent) => x(Date.parse(event.at));
  const planned = events.filter(({ what }) => PLANNED.has(what));
  const first = events[0] === undefined ? x(period.now) : Math.min(xOf(events[0]), x(period.now));
  const last = Math.max(...planned.map(xOf), x(period.now));
  const words = events.map(({ what, at }) => `${what} ${at.slice(0, 16).replace("T", " ")}`).join(", ");
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${2 * LINE}`, role: "img", "aria-label": words === "" ? "No dates are known" : words },
    svg("line", { class: "now", x1: x(period.now), y1: 0, x2: x(period.now), y2: 2 * LINE }),
    ...(status === "live" ? [svg("line", { class: "plan", x1: x(period.now), y1: LINE, x2: last, y2: LINE })] : []),
    svg("line", { class: "life", x1: first, y1: LINE, x2: x(period.now), y2: LINE }),
    ...events.map((event) => {
      const place = `translate(${xOf(event)} ${LINE + (SHIFTS[event.what] ?? 0)})`;
      return markOf([event.what, MARKS[event.what]], place, svg("title", {}, `${event.what}: ${event.at}`));
    }),
  );
}

export function legend(): Element[] {
  return Object.entries(MARKS).map((mark) => {
    const sample = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, markOf(mark, "translate(8 8)"));
    return element("li", {}, sample, mark[0]);
  });
}

function markOf([what, d]: readonly [string, string], transform: string, ...children: Child[]): Element {
  return svg("path", { class: what.replace(" ", "-"), d, transform }, ...children);
}

function svg(tag: string, attributes: Readonly<Record<string, string | number>>, ...children: Child[]): Element {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}
