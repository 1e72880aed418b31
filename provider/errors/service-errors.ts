import type { ErrorCode } from "./error-pages";
import { type ErrorFacts, KeyplaneError } from "./keyplane-error";

const API_CODES = {
  api: "KP-API",
  auth: "KP-AUTH",
  not_found: "KP-NOT-FOUND",
  conflict: "KP-CONFLICT",
  rate_limit: "KP-RATE",
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** The service refused the request with a complete answer. */
export class ApiError extends KeyplaneError {
  override readonly name = "ApiError";
  constructor(
    kind: keyof typeof API_CODES,
    message: string,
    facts: ErrorFacts,
    /** The service's own message, sanitized; empty if there is none. */
    readonly serviceMessage: string,
    /** Whether an earlier attempt of the same call was sent but not answered, and so may have been applied. */
    readonly afterLost = false,
  ) {
    super(API_CODES[kind], message, facts);
  }
}

/**
 * A request with an effect was sent, but no complete, readable answer came. The request may or may not have been
 * applied. The caller must find out which, and must not simply repeat it.
 */
export class AnswerLostError extends KeyplaneError {
  override readonly name = "AnswerLostError";
  constructor(message: string, facts: ErrorFacts) {
    super("KP-LOST", message, facts);
  }
}

/** The service created another key than was requested. The key is live, and nobody must get it. */
export class OtherKeyError extends KeyplaneError {
  override readonly name = "OtherKeyError";
  constructor(
    message: string,
    facts: ErrorFacts,
    readonly keyId: string,
  ) {
    super("KP-SCOPE", message, facts);
  }
}

/** No complete answer came for a request that has no lasting effect or was never sent. */
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

/** The service reported success, but its answer contradicts its API. */
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
  /** Kind of operation, e.g. `start_compute`; empty if it was never seen. */
  readonly action: string;
  /** Last status seen; empty if it was never seen. */
  readonly status: string;
}

/** A deadline passed. */
export class TimeoutError extends KeyplaneError {
  override readonly name = "TimeoutError";
  constructor(
    message: string,
    facts: ErrorFacts = {},
    /** Operations that had not ended, so that the wait can be resumed; empty for a single request. */
    readonly pending: readonly PendingOperation[] = [],
    /** Time spent, in milliseconds. */
    readonly elapsedMs = 0,
    /** Number of polls. */
    readonly polls = 0,
  ) {
    super("KP-TIMEOUT", message, facts);
  }
}

/** The run was cancelled, or the caller's signal fired. Nothing more is sent. */
export class AbortedError extends KeyplaneError {
  override readonly name = "AbortedError";
  constructor(message: string, facts: ErrorFacts = {}) {
    super("KP-ABORTED", message, facts);
  }
}

/** An operation that failed. */
export interface FailedOperation extends PendingOperation {
  /** Number of failed attempts. */
  readonly failuresCount: number;
}

/** One or more operations of a wait failed. */
export class OperationFailedError extends KeyplaneError {
  override readonly name = "OperationFailedError";
  constructor(
    message: string,
    /** The operations that failed. */
    readonly failed: readonly FailedOperation[],
    /** Operations that had not ended when the failure was seen. */
    readonly pending: readonly PendingOperation[] = [],
  ) {
    super("KP-OPERATION", message);
  }
}

// The guards test the name, because a program can contain two copies of this package with separate classes.
const named = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;

export const isAnswerLost = (error: unknown): error is AnswerLostError => named(error, "AnswerLostError");
export const isOtherKey = (error: unknown): error is OtherKeyError => named(error, "OtherKeyError");
export const isApiError = (error: unknown): error is ApiError => named(error, "ApiError");
export const isTimeout = (error: unknown): error is TimeoutError => named(error, "TimeoutError");
export const isAborted = (error: unknown): error is AbortedError => named(error, "AbortedError");
export const isOperationFailed = (error: unknown): error is OperationFailedError =>
  named(error, "OperationFailedError");
