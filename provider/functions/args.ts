import { MAX_TIMER_MS, parseDuration, TIMER_FORM } from "../duration";
import { InputError } from "../errors";
import { isObject, type Members } from "../members";
import { didYouMean } from "../nearest";
import { redact } from "../secrets";

/** Arguments of every function in this folder. */
export interface CallArgs {
  /** The account to read from: a name in config `keyplane:accounts`. @default the account of `keyplane:apiKey` */
  readonly account?: string | undefined;
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Called with non-fatal warnings. @default the account's `onWarning` */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The arguments of each data source, without those of every call. `listOperations` has those of `getOperations`. */
export const ARGUMENTS = {
  getApiKey: ["id", "name", "organizationId"],
  getApiKeys: ["organizationId"],
  getOperation: ["projectId", "operationId"],
  getOperations: ["projectId", "since", "status", "action", "limit"],
  getProject: ["id", "name", "organizationId"],
  getProjects: ["organizationId"],
  waitForOperations: ["projectId", "operationIds", "operationTimeout", "pollInterval"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Refuses an argument that a data source does not have: without it, the answer would be to another question. */
export function checkNames(source: string, args: Members, known: readonly string[]): void {
  const wrong = Object.keys(args).find((name) => args[name] !== undefined && !known.includes(name));
  if (wrong === undefined) return;
  const names = `Its arguments are ${known.join(", ") || "none"}${didYouMean(wrong, known)}`;
  throw new InputError(redact(wrong), `is not an argument of ${source}. ${names}`);
}

const FORMS: Readonly<Record<string, readonly [form: string, fits: (value: unknown) => boolean]>> = {
  account: ["a string", (value) => typeof value === "string"],
  // Jest has classes of its own.
  signal: ["an AbortSignal", (value) => isObject(value) && typeof value.addEventListener === "function"],
  onWarning: ["a function", (value) => typeof value === "function"],
  onProgress: ["a function", (value) => typeof value === "function"],
};

/** Checks what every call has in common: the names of its arguments, and the arguments of `CallArgs`. */
export function checkCall(source: keyof typeof ARGUMENTS, args: unknown): void {
  if (!isObject(args)) throw new InputError("the arguments", "must be an object");
  const controls = Object.keys(FORMS).filter((name) => name !== "onProgress" || source === "waitForOperations");
  checkNames(source, args, [...ARGUMENTS[source], ...controls]);
  for (const [name, [form, fits]] of Object.entries(FORMS)) {
    if (args[name] !== undefined && !fits(args[name])) throw new InputError(name, `must be ${form}`);
  }
}

const ISO_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

export function checkText(value: unknown, argument: string): string {
  if (typeof value !== "string" || value === "") throw new InputError(argument, "must be a non-empty string");
  return value;
}

export function checkTime(value: unknown, argument: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !ISO_TIME.test(value) || Number.isNaN(Date.parse(value))) {
    throw new InputError(argument, 'must be an ISO 8601 time such as "2026-01-31T12:00:00Z"');
  }
  return value;
}

export function checkTexts(value: unknown, argument: string): string | readonly string[] | undefined {
  if (value === undefined) return undefined;
  const texts = Array.isArray(value) ? value : [value];
  for (const each of texts) checkText(each, argument);
  return value as string | readonly string[];
}

export function checkCount(value: unknown, argument: string): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 1)
    throw new InputError(argument, "must be a whole number, 1 or more");
  return value as number;
}

/** Checks an optional time to wait and returns it in milliseconds. */
export function checkTimer(value: unknown, argument: string): number | undefined {
  if (value === undefined) return undefined;
  const ms = parseDuration(value, MAX_TIMER_MS);
  if (ms === undefined) throw new InputError(argument, `must be ${TIMER_FORM}`);
  return ms;
}

/** Checks that exactly one of `id` and `name` is given, and returns which. */
export function checkOneOf(args: { readonly id?: unknown; readonly name?: unknown }): "id" | "name" {
  if ((args.id === undefined) === (args.name === undefined)) {
    throw new InputError(args.id === undefined ? "id" : "name", "pass either id or name");
  }
  return args.id === undefined ? "name" : "id";
}
