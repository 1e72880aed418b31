import type { OperationCourse } from "../state/operations";

/**
 * What happens on the wire in place of a proper answer.
 *
 * | fault | on the wire |
 * |---|---|
 * | `reset-on-connect`, `close-on-connect` | the connection is reset or closed as soon as it is accepted |
 * | `reset-before-body` | reset when the request's head has arrived, its body unread |
 * | `reset`, `close` | reset or closed after the request was read, no answer |
 * | `close-in-head` | part of the answer's head, then closed |
 * | `hang` | no answer; the connection stays open |
 * | `truncate-length` | whole head with `Content-Length`, half the body, then closed |
 * | `truncate-chunked` | half the body in chunks without the last one, then closed |
 * | `truncate-close` | head without a length, half the body, then closed in order |
 * | `stall-body` | whole head, half the body, then nothing; the connection stays open |
 * | `garbage` | bytes that are no HTTP answer |
 * | `html` | 200 with an HTML page |
 */
export const faults = [
  "reset-on-connect",
  "close-on-connect",
  "reset-before-body",
  "reset",
  "close",
  "close-in-head",
  "hang",
  "truncate-length",
  "truncate-chunked",
  "truncate-close",
  "stall-body",
  "garbage",
  "html",
] as const;

/** Name of what happens on the wire in place of a proper answer. */
export type Fault = (typeof faults)[number];

/** The faults that strike a connection before any request is known. */
export const connectionFaults: readonly Fault[] = ["reset-on-connect", "close-on-connect"];

/** The faults that cut the true answer short, so that the effect is always committed before them. */
export const truncatingFaults: readonly Fault[] = [
  "truncate-length",
  "truncate-chunked",
  "truncate-close",
  "stall-body",
];

/**
 * When the request takes effect: `before` its answer, `after` it, `never`, or `late`: `lateMs` of the plane's clock
 * after it, or without `lateMs` when a control call says so.
 */
export type Commit = "before" | "after" | "never" | "late";

/** An operation that an answer is to carry. */
export interface RuleOperation extends OperationCourse {
  /** Its kind, e.g. `start_compute`. */
  action: string;
  /** @default the first project of the account */
  projectId?: string;
}

/** What happens to which requests. Only the first rule that applies to a request is used. */
export interface Rule {
  /**
   * Which requests: a method and a route's template (`DELETE /api_keys/{key_id}`) or a concrete path
   * (`DELETE /api_keys/7`), or `*`.
   */
  route: string;
  /** How many requests the rule strikes before it is spent; `null` = all. @default 1 */
  count?: number | null;
  /** How many requests of the route pass before it strikes. @default 0 */
  skip?: number;
  /** After that, applies to every Nth request, beginning with the first. @default 1 */
  every?: number;
  /** When the request takes effect. @default never with `status` or a fault that gives no answer, else before */
  commit?: Commit;
  /** For `commit: "late"`: milliseconds of the plane's clock; without it, until a control call. */
  lateMs?: number;
  /** Where the request is parked until a control call releases it: before or after it takes effect. */
  hold?: "before" | "after";
  /** Milliseconds of real time by which the request is delayed before anything else. @default 0 */
  delayMs?: number;
  /** Answers with this status instead of the true answer. */
  status?: number;
  /** Body of that answer: JSON, or text that is sent as it is. @default an error body */
  body?: unknown;
  /** Headers added to the answer. */
  headers?: Record<string, string>;
  /** Adds `Retry-After`: seconds, or `{ date: ms }` for an HTTP date so many milliseconds after the plane's now. */
  retryAfter?: number | { date: number };
  /** Breaks the answer on the wire. */
  fault?: Fault;
  /** Fields put over those of the true answer's body. */
  patch?: Record<string, unknown>;
  /** Fields left out of the true answer's body. */
  omit?: string[];
  /** Operations that are started and carried in the true answer. */
  operations?: RuleOperation[];
  /** Answers a list with an empty page, with the cursor of the request, or without a cursor. */
  page?: "empty" | "repeated-cursor" | "no-cursor";
  /** Answers a list without the entry at this place; the first is 0. */
  lacks?: number;
  /** After the request, new connections are refused for so many milliseconds of real time. @default 0 */
  refuseMs?: number;
}

/** A rule as the plane holds it. */
export interface HeldRule extends Rule {
  /** Number by which it can be removed. */
  id: number;
  commit: Commit;
  /** How many requests it applied to so far, struck or passed. */
  seen: number;
  /** How many requests it struck so far. */
  struck: number;
}
