import type { ErrorCode } from "./catalogue";
import { type ErrorFacts, KeyplaneError } from "./keyplane-error";

const API_CODES = {
  api: "KP-API",
  auth: "KP-AUTH",
  not_found: "KP-NOTFOUND",
  conflict: "KP-CONFLICT",
  rate_limit: "KP-RATE",
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** The service answered, completely, that it does not do what was asked. */
export class ApiError extends KeyplaneError {
  override readonly name = "ApiError";
  constructor(
    kind: keyof typeof API_CODES,
    message: string,
    facts: ErrorFacts,
    /** The service's own words, cleaned; empty where it gave none. */
    readonly serviceMessage: string,
    /** Whether an earlier attempt of the same call was sent and never answered: it may have been applied. */
    readonly afterLost = false,
  ) {
    super(API_CODES[kind], message, facts);
  }
}

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
  ) {
    super("KP-LOST", message, facts);
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
    super("KP-TRANSPORT", message, facts);
  }
}

/** The service answered with success, but with something that contradicts its interface. */
export class BadAnswerError extends KeyplaneError {
  override readonly name = "BadAnswerError";
  constructor(message: string, facts: ErrorFacts = {}) {
    super("KP-ANSWER", message, facts);
  }
}

/** An operation that has not ended. */
export interface PendingOperation {
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The operation's id, a UUID. */
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
    super("KP-TIMEOUT", message, facts);
  }
}

/** The run was cancelled, or the caller's signal fired; nothing more is sent. */
export class AbortedError extends KeyplaneError {
  override readonly name = "AbortedError";
  constructor(message: string, facts: ErrorFacts = {}) {
    super("KP-ABORTED", message, facts);
  }
}

/** An operation that ended badly. */
export interface FailedOperation extends PendingOperation {
  /** How often it was tried in vain. */
  readonly failuresCount: number;
}

/** Operations that were waited for ended in a failure. */
export class OperationFailedError extends KeyplaneError {
  override readonly name = "OperationFailedError";
  constructor(
    message: string,
    /** The operations that ended badly. */
    readonly failed: readonly FailedOperation[],
    /** What had not ended when the failure was seen. */
    readonly pending: readonly PendingOperation[] = [],
  ) {
    super("KP-OPERATION", message);
  }
}

// The guards test the name: programs can hold two copies of this package, each with classes of its own.
const named = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;

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
