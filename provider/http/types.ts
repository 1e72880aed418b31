export type Method = "GET" | "POST" | "DELETE";

/**
 * Whether a request may be retried after its answer was lost: `safe` if a second one has no further effect, `once` if
 * it might be applied twice.
 */
export type Replay = "safe" | "once";

export interface HttpRequest {
  readonly method: Method;
  /** Method and path template for messages, limits and logs, e.g. `DELETE /api_keys/{key_id}`. */
  readonly route: string;
  /** Path below the base URL, beginning with `/`. Its parts are already validated and encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Authenticate with this key instead of the account's. */
  readonly credential?: string | undefined;
  readonly replay: Replay;
  /** Maximum requests of this route per second. @default the limit of every route */
  readonly perSecond?: number | undefined;
  /** Maximum time for all attempts, in milliseconds, excluding time in the rate limiter. @default 2 minutes */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called each time an attempt is handed to the connection pool. */
  readonly onSend?: (() => void) | undefined;
}

/** A complete, successful answer. */
export interface HttpAnswer extends Pick<Answered, "status" | "json" | "date"> {
  readonly requestId: string;
  /** Local wall-clock time in milliseconds when the answered attempt was handed to the pool. */
  readonly sentAt: number;
}

/** An attempt that got a status and headers. */
export interface Answered {
  readonly kind: "answer";
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  /** The service's clock from the `Date` header, in milliseconds; undefined if there was none. */
  readonly date: number | undefined;
  /** Whether the body was read to its end and, if its type is JSON, could be parsed. */
  readonly complete: boolean;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  /** Code of the error that made the body incomplete. */
  readonly bodyError: string | undefined;
}

/** How messages name a proxy. */
export interface ProxyName {
  /** Name and port, without credentials. */
  readonly address: string;
  /** The environment variable with its address. */
  readonly variable: string;
}

/** An attempt that got no status. */
export interface Unanswered {
  readonly kind: "failure";
  /** The transport's code, e.g. `ECONNRESET`. */
  readonly code: string;
  /** Whether the request reached a connection. `false` proves that it was not applied. */
  readonly sent: boolean;
  /** The proxy, if it failed rather than the service. */
  readonly proxy?: ProxyName;
}

export type Outcome = Answered | Unanswered;
