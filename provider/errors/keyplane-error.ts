import { ERRORS, type ErrorCode, type ErrorKind } from "./error-pages";

/** Details of the request behind an error. All of them are safe to print. */
export type ErrorFacts = Pick<KeyplaneError, "status" | "requestId" | "route">;

/**
 * Whether a line of a stack ends in a file directly below `node_modules` or a scope in it, such as Pulumi's own
 * `node_modules/@pulumi/output.ts`. Pulumi inspects each error of a program, and some releases of Node never finish such
 * a line (nodejs/node#64011).
 */
function isEndless(line: string): boolean {
  const [, ...inPackages] = line.split(/[\\/]node_modules[\\/]/);
  return inPackages.some((path) => path.split(/[\\/]/).length <= (path.startsWith("@") ? 2 : 1));
}

/**
 * Base class of every error that this package throws on purpose. Its message and stack contain no secret. It has no
 * `cause`, because transport errors contain request objects, and so the credential.
 */
export class KeyplaneError extends Error {
  /** The class's name. Test it instead of `instanceof` if there may be two copies of this package. */
  override readonly name: string = "KeyplaneError";
  /** The kind of the error, as its code defines it. */
  readonly kind: ErrorKind;
  /** HTTP status of the answer, if any. */
  declare readonly status?: number | undefined;
  /** The id of the request, for the service's support. */
  declare readonly requestId?: string | undefined;
  /** Method and path template, e.g. `POST /api_keys`. */
  declare readonly route?: string | undefined;

  /**
   * @param code the error's code in `docs/errors.md`
   * @param message a complete sentence: what was done, what happened, what to do next
   */
  constructor(
    readonly code: ErrorCode,
    message: string,
    facts: ErrorFacts = {},
  ) {
    super(message);
    this.kind = ERRORS[code].kind;
    const { status, requestId, route } = facts;
    // Node prints the properties of an uncaught error, so only known ones are set.
    if (status !== undefined) this.status = status;
    if (requestId !== undefined) this.requestId = requestId;
    if (route !== undefined) this.route = route;
    // Node's own errors show their code in the same way.
    const stack = (this.stack ?? "").replace(/^\w+/, `${new.target.name} [${code}]`);
    this.stack = stack
      .split("\n")
      .filter((line) => !isEndless(line))
      .join("\n");
  }
}

/** A setting is missing or invalid. Nothing was sent. */
export class ConfigError extends KeyplaneError {
  override readonly name = "ConfigError";
  constructor(message: string) {
    super("KP-CONFIG", message);
  }
}

/** An argument of a function is invalid. Nothing was sent. */
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

/** Whether an error is a `KeyplaneError`, including one from another copy of this package. */
export function isKeyplaneError(error: unknown): error is KeyplaneError {
  return error instanceof Error && "kind" in error && "code" in error && String(error.code).startsWith("KP-");
}

/** A thrown value as a `KeyplaneError`. One that keyplane does not throw on purpose is a bug in it. */
export function asKeyplaneError(error: unknown): KeyplaneError {
  if (isKeyplaneError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new KeyplaneError("KP-INTERNAL", `${text}. This is a bug in keyplane: report it with this message`);
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
