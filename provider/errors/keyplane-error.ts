import { ERRORS, type ErrorCode, type ErrorKind } from "./catalogue";

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
  /** The class's name: to be tested instead of `instanceof` where there may be two copies of this package. */
  override readonly name: string = "KeyplaneError";
  /** What went wrong, as its code says. */
  readonly kind: ErrorKind;
  /** HTTP status of the answer, where there was one. */
  declare readonly status?: number | undefined;
  /** The id of the request, to quote to the service's support. */
  declare readonly requestId?: string | undefined;
  /** Method and path template, e.g. `POST /api_keys`. */
  declare readonly route?: string | undefined;

  /**
   * @param code which error of `docs/errors.md` it is; it never changes
   * @param message complete sentence: what was done, what happened, what to do next
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    facts: ErrorFacts = {},
  ) {
    super(message);
    this.kind = ERRORS[code].kind;
    const { status, requestId, route } = facts;
    // Where a program does not catch it, Node prints what it has: only what is known.
    if (status !== undefined) this.status = status;
    if (requestId !== undefined) this.requestId = requestId;
    if (route !== undefined) this.route = route;
    // As Node's own errors show theirs.
    this.stack = (this.stack ?? "").replace(/^\w+/, `${new.target.name} [${code}]`);
  }
}

/** A setting is missing or unusable; nothing was sent. */
export class ConfigError extends KeyplaneError {
  override readonly name = "ConfigError";
  constructor(message: string) {
    super("KP-CONFIG", message);
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
    super("KP-INPUT", `${argument}: ${message}`);
  }
}

/** Whether this package threw it on purpose, whichever copy of the package it was. */
export function isKeyplaneError(error: unknown): error is KeyplaneError {
  return error instanceof Error && "kind" in error && "code" in error && String(error.code).startsWith("KP-");
}

/** The words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
