import type { OperationCourse } from "../state/operations";

/**
 * What happens on the wire instead of a normal response.
 *
 * | fault | on the wire |
 * |---|---|
 * | `reset-on-connect`, `close-on-connect` | the connection is reset or closed when it is accepted |
 * | `reset-before-body` | reset after the request's head arrives, with its body unread |
 * | `reset`, `close` | reset or closed after the request is read, without a response |
 * | `close-in-head` | closed after part of the response head |
 * | `hang` | no response; the connection stays open |
 * | `truncate-length` | full head with `Content-Length`, half the body, then closed |
 * | `truncate-chunked` | half the body in chunks without the last chunk, then closed |
 * | `truncate-close` | head without a length, half the body, then closed cleanly |
 * | `stall-body` | full head, half the body, then nothing; the connection stays open |
 * | `drip-body` | full head, half the body, then spaces without end, one every 100 ms; the connection stays open |
 * | `garbage` | bytes that are not an HTTP response |
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
  "drip-body",
  "garbage",
  "html",
] as const;

/** Name of a fault. */
export type Fault = (typeof faults)[number];

/** The faults that affect a connection before any request is known. */
export const connectionFaults: readonly Fault[] = ["reset-on-connect", "close-on-connect"];

/** The faults that truncate the real response. The effect is always committed before them. */
export const truncatingFaults: readonly Fault[] = [
  "truncate-length",
  "truncate-chunked",
  "truncate-close",
  "stall-body",
  "drip-body",
];

/**
 * When the request takes effect: `before` its response, `after` it, `never`, or `late`. `late` means `lateMs` of the
 * control plane's clock after the request, or on a control call if `lateMs` is not set.
 */
export type Commit = "before" | "after" | "never" | "late";

/** An operation to add to a response. */
export interface RuleOperation extends OperationCourse {
  /** Kind of the operation, such as `start_compute`. */
  action: string;
  /** Project of the operation. @default the first project of the account */
  projectId?: string;
}

/** Changes what happens to matching requests. Only the first matching rule applies to a request. */
export interface Rule {
  /**
   * The requests to match: a method and a route template (`DELETE /api_keys/{key_id}`), a method and a concrete path
   * (`DELETE /api_keys/7`), or `*`.
   */
  route: string;
  /** Number of requests that the rule applies to before it is used up. `null` means all. @default 1 */
  count?: number | null;
  /** Number of matching requests to let pass first. @default 0 */
  skip?: number;
  /** After `skip`, applies to every Nth request, starting with the first. @default 1 */
  every?: number;
  /** When the request takes effect. @default never with `status` or a fault without a response, else before */
  commit?: Commit;
  /**
   * For `commit: "late"`: delay in milliseconds of the control plane's clock. If omitted, a control call commits it.
   */
  lateMs?: number;
  /** Holds the request before or after it takes effect, until a control call releases it. */
  hold?: "before" | "after";
  /** Delay of the request before anything else, in milliseconds of real time. @default 0 */
  delayMs?: number;
  /** Responds with this status instead of the real response. */
  status?: number;
  /** Body of that response: JSON, or text that is sent as is. @default an error body */
  body?: unknown;
  /** Headers to add to the response. */
  headers?: Record<string, string>;
  /**
   * Adds `Retry-After`: seconds, or `{ date: ms }` for an HTTP date `ms` milliseconds after the control plane's current
   * time.
   */
  retryAfter?: number | { date: number };
  /** Breaks the response on the wire. */
  fault?: Fault;
  /** Fields that override fields of the real response's body. */
  patch?: Record<string, unknown>;
  /** Fields to remove from the real response's body. */
  omit?: string[];
  /** Operations to start and to add to the real response. */
  operations?: RuleOperation[];
  /** Returns a list with an empty page, with the request's cursor, or without a cursor. */
  page?: "empty" | "repeated-cursor" | "no-cursor";
  /** Removes the entry at this index from a list. The first index is 0. */
  lacks?: number;
  /** Refuses new connections after the request, for this many milliseconds of real time. @default 0 */
  refuseMs?: number;
}

/** A rule as the control plane stores it. */
export interface HeldRule extends Rule {
  /** Id to remove the rule by. */
  id: number;
  commit: Commit;
  /** Number of requests that matched so far, including those that passed. */
  seen: number;
  /** Number of requests that the rule was applied to so far. */
  struck: number;
}
