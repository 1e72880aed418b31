/** HTTP methods that the service uses. */
export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Whether a request may be sent again after an answer was lost: `safe` if a second one changes nothing more,
 * `once` if it might be applied twice.
 */
export type Replay = "safe" | "once";

/** A request, as an endpoint asks for it. */
export interface HttpRequest {
  readonly method: Method;
  /** Method and path template for messages, limits and logs, e.g. `DELETE /api_keys/{key_id}`. */
  readonly route: string;
  /** Path below the base URL, beginning with `/`, its parts already validated and encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Authenticate with this key instead of the account's. */
  readonly credential?: string | undefined;
  readonly replay: Replay;
  /** Most requests of this route per second. @default what the service allows of any route */
  readonly perSecond?: number | undefined;
  /** Total time for all attempts, in milliseconds, without the time spent in the rate limiter. @default 2 minutes */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called each time an attempt is handed to the connection pool. */
  readonly onSend?: (() => void) | undefined;
}

/** A complete, successful answer. */
export interface HttpAnswer {
  readonly status: number;
  /** The parsed body. */
  readonly json: unknown;
  /** The service's clock by the `Date` header, in milliseconds; undefined where there was none. */
  readonly date: number | undefined;
  readonly requestId: string;
  /** Local wall clock in milliseconds when the attempt that was answered was handed to the pool. */
  readonly sentAt: number;
}

/** Status and headers came. */
export interface Answered {
  readonly kind: "answer";
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly date: number | undefined;
  /** Whether the body was read to its end and, if it claims to be JSON, could be parsed. */
  readonly complete: boolean;
  /** The parsed body; undefined where it is no JSON. */
  readonly json: unknown;
  /** Code of what made the body incomplete. */
  readonly bodyError: string | undefined;
}

/** No status came. */
export interface Unanswered {
  readonly kind: "failure";
  /** The transport's code, e.g. `ECONNRESET`. */
  readonly code: string;
  /** Whether the request reached a connection: `false` is proof that it was not applied. */
  readonly sent: boolean;
}

/** What came of one attempt. */
export type Outcome = Answered | Unanswered;
