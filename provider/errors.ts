/** What went wrong, for callers that decide by it. */
export type ErrorKind =
  | "config"
  | "input"
  | "api"
  | "auth"
  | "not_found"
  | "conflict"
  | "rate_limit"
  | "answer_lost"
  | "transport"
  | "timeout"
  | "aborted"
  | "operation"
  | "bad_answer";

/** Facts about the request behind an error; all of them safe to print. */
export interface ErrorFacts {
  /** HTTP status of the answer, where there was one. */
  readonly status?: number | undefined;
  /** The id of the request, to quote to the service's support. */
  readonly requestId?: string | undefined;
  /** Method and path template, e.g. `POST /api_keys`. */
  readonly route?: string | undefined;
}

/**
 * Base of every error this package throws on purpose. Its message and stack hold no secret, and it has no `cause`:
 * the errors of the transport hold request objects, and with them the credential.
 */
export class KeyplaneError extends Error {
  override readonly name: string = "KeyplaneError";
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly route: string | undefined;

  /**
   * @param kind what went wrong
   * @param code stable upper-case code, e.g. `KP-AUTH`
   * @param message complete sentence: what was done, what happened, what to do next
   */
  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    message: string,
    facts: ErrorFacts = {},
  ) {
    super(message);
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.route = facts.route;
  }
}

/** A setting is missing or unusable; nothing was sent. */
export class ConfigError extends KeyplaneError {
  override readonly name = "ConfigError";
  constructor(message: string) {
    super("config", "KP-CONFIG", message);
  }
}

/** An argument of a function is unusable; nothing was sent. */
export class InputError extends KeyplaneError {
  override readonly name = "InputError";
  constructor(
    /** Path of the argument, e.g. `since`. */
    readonly argument: string,
    message: string,
  ) {
    super("input", "KP-INPUT", `${argument}: ${message}`);
  }
}

/** The service answered, completely, that it does not do what was asked. */
export class ApiError extends KeyplaneError {
  override readonly name = "ApiError";
  constructor(
    kind: "api" | "auth" | "not_found" | "conflict" | "rate_limit",
    message: string,
    facts: ErrorFacts,
    /** The service's own words, cleaned; empty where it gave none. */
    readonly serviceMessage: string,
    /** Whether an earlier attempt of the same call was sent and never answered: it may have been applied. */
    readonly afterLost = false,
  ) {
    super(kind, API_CODES[kind], message, facts);
  }
}

const API_CODES = {
  api: "KP-API",
  auth: "KP-AUTH",
  not_found: "KP-NOTFOUND",
  conflict: "KP-CONFLICT",
  rate_limit: "KP-RATE",
} as const;

/**
 * A request with an effect was sent and no complete, readable answer came: it may or may not have been applied.
 * The caller has to settle which, and must not simply repeat it.
 */
export class AnswerLostError extends KeyplaneError {
  override readonly name = "AnswerLostError";
  constructor(
    message: string,
    facts: ErrorFacts,
    /** Local wall clock, in milliseconds, at which the request was handed to the connection. */
    readonly sentAt: number,
    /** The id of what was made, where the unusable answer told at least that. */
    readonly id?: string,
  ) {
    super("answer_lost", "KP-LOST", message, facts);
  }
}

/** No complete answer could be got for a request that has no lasting effect or was never sent. */
export class TransportError extends KeyplaneError {
  override readonly name = "TransportError";
  constructor(
    message: string,
    facts: ErrorFacts,
    /** The transport's own code, e.g. `ECONNREFUSED`. */
    readonly transportCode: string,
    /** Whether the request was (or may have been) written to a connection. */
    readonly sent: boolean,
  ) {
    super("transport", "KP-TRANSPORT", message, facts);
  }
}

/** An operation that has not ended. */
export interface PendingOperation {
  readonly projectId: string;
  readonly id: string;
  /** Kind of operation, e.g. `start_compute`; empty while it was never seen. */
  readonly action: string;
  /** Last status seen; empty while it was never seen. */
  readonly status: string;
}

/** A deadline passed. */
export class TimeoutError extends KeyplaneError {
  override readonly name = "TimeoutError";
  constructor(
    message: string,
    facts: ErrorFacts = {},
    /** What had not ended, so that the wait can be resumed; empty for a single request. */
    readonly pending: readonly PendingOperation[] = [],
    /** Time spent, in milliseconds. */
    readonly elapsedMs = 0,
    /** How often the service was asked. */
    readonly polls = 0,
  ) {
    super("timeout", "KP-TIMEOUT", message, facts);
  }
}

/** The caller's signal fired, or the engine is gone; nothing more is sent. */
export class AbortedError extends KeyplaneError {
  override readonly name = "AbortedError";
  constructor(message: string, facts: ErrorFacts = {}) {
    super("aborted", "KP-ABORTED", message, facts);
  }
}

/** An operation that ended badly. */
export interface FailedOperation extends PendingOperation {
  readonly failuresCount: number;
}

/** Operations that were waited for ended in a failure. */
export class OperationFailedError extends KeyplaneError {
  override readonly name = "OperationFailedError";
  constructor(
    message: string,
    readonly failed: readonly FailedOperation[],
    /** What had not ended when the failure was seen. */
    readonly pending: readonly PendingOperation[] = [],
  ) {
    super("operation", "KP-OPERATION", message);
  }
}

/** The service answered with success, but with something that contradicts its interface. */
export class BadAnswerError extends KeyplaneError {
  override readonly name = "BadAnswerError";
  constructor(message: string, facts: ErrorFacts = {}) {
    super("bad_answer", "KP-ANSWER", message, facts);
  }
}

// The guards test the name: programs can hold two copies of this package, each with classes of its own.
const named = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;

/** Whether this package threw it on purpose, whichever copy of the package it was. */
export function isKeyplaneError(error: unknown): error is KeyplaneError {
  return error instanceof Error && "kind" in error && "code" in error && String(error.code).startsWith("KP-");
}

/** Whether a request with an effect has lost its answer. */
export const isAnswerLost = (error: unknown): error is AnswerLostError => named(error, "AnswerLostError");

/** Whether the service refused the request with a complete answer. */
export const isApiError = (error: unknown): error is ApiError => named(error, "ApiError");

/** Whether a deadline passed. */
export const isTimeout = (error: unknown): error is TimeoutError => named(error, "TimeoutError");

/** Whether it was cancelled. */
export const isAborted = (error: unknown): error is AbortedError => named(error, "AbortedError");

/** Whether an operation waited for has failed. */
export const isOperationFailed = (error: unknown): error is OperationFailedError =>
  named(error, "OperationFailedError");

/** The words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
