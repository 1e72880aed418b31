import { BadAnswerError } from "../errors";
import type { HttpAnswer } from "../http";
import type { IdForm } from "../ids";
import { isObject, type Members } from "../members";
import { holdsKey, redact, redactName } from "../secrets";
import { UNSTORABLE } from "../text";

const TIME =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const TIME_FORM: IdForm = { matches: (text) => TIME.test(text), form: "an ISO 8601 time" };

/** Maximum length of a text of the service that is kept, in characters. */
const MAX_TEXT = 20_000;

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Reads named fields of one answer and checks their types. Other fields are ignored, so unknown fields and a field
 * called `__proto__` are harmless. Every failure is a `BadAnswerError` that names the field and quotes no value.
 */
export class Reader {
  constructor(
    private readonly route: string,
    private readonly answer: Pick<HttpAnswer, "status" | "requestId">,
  ) {}

  /** Throws the error for a field, or for the whole body if `path` is empty. */
  fail(path: string, problem: string): never {
    const { status, requestId } = this.answer;
    throw new BadAnswerError(
      `${this.route} returned ${status} with an invalid body: ${path || "it"} ${problem}. ` +
        `Check that keyplane:baseUrl is the address of the service's API [request ${requestId}]`,
      { status, requestId, route: this.route },
    );
  }

  object(value: unknown, path: string): Members {
    return isObject(value) ? value : this.fail(path, "is not an object");
  }

  array(value: unknown, path: string): readonly unknown[] {
    if (!Array.isArray(value)) this.fail(path, "is not an array");
    return value;
  }

  /** An own field of the object; `undefined` if it is missing or null. */
  field(source: Members, name: string): unknown {
    return Object.hasOwn(source, name) ? (source[name] ?? undefined) : undefined;
  }

  /** The cursor of the next page; `undefined` if there is none. */
  cursor(body: Members): string | undefined {
    const pagination = this.field(body, "pagination");
    if (pagination === undefined) return undefined;
    const cursor = this.field(this.object(pagination, "pagination"), "cursor");
    if (cursor === undefined || cursor === "") return undefined;
    if (typeof cursor !== "string" || cursor.length > 2048) this.fail("pagination.cursor", "is not a short text");
    return cursor;
  }

  /** Text on one line, without control and direction characters. */
  text(source: Members, name: string, path: string): string {
    return this.optionalText(source, name, path) ?? this.fail(`${path}${name}`, "is missing");
  }

  /** The name of something that is found again by it. */
  name(source: Members, name: string, path: string): string {
    const value = this.field(source, name) ?? this.fail(`${path}${name}`, "is missing");
    return typeof value === "string"
      ? redactName(storable(value)).slice(0, MAX_TEXT)
      : this.fail(`${path}${name}`, "is not text");
  }

  optionalText(source: Members, name: string, path: string): string | undefined {
    const value = this.field(source, name);
    if (value === undefined) return undefined;
    if (typeof value !== "string") this.fail(`${path}${name}`, "is not text");
    return this.clean(value);
  }

  /** The same, of a field whose `null` has a meaning. An empty text is the `null` of services that have none. */
  nullableText(source: Members, name: string, path: string): string | null | undefined {
    const text = this.optionalText(source, name, path);
    return text === "" || (text === undefined && Object.hasOwn(source, name)) ? null : text;
  }

  /** The text on one line, without control and direction characters or secrets, because it is stored and shown. */
  clean(text: string): string {
    return redact(storable(text)).slice(0, MAX_TEXT);
  }

  match(source: Members, name: string, path: string, form: IdForm): string {
    const value = this.#formed(source, name, path, form);
    if (holdsKey(value)) this.fail(`${path}${name}`, "holds a secret");
    return value;
  }

  #formed(source: Members, name: string, path: string, { matches, form }: IdForm): string {
    const value = this.field(source, name);
    if (typeof value !== "string" || !matches(value)) this.fail(`${path}${name}`, `is not ${form}`);
    return value;
  }

  /** A time, as the service wrote it. Its form leaves no room for a secret. */
  time(source: Members, name: string, path: string): string {
    return this.#formed(source, name, path, TIME_FORM);
  }

  optionalNumber(source: Members, name: string, path: string): number | undefined {
    const value = this.field(source, name);
    if (value !== undefined && (typeof value !== "number" || !Number.isFinite(value))) {
      this.fail(`${path}${name}`, "is not a number");
    }
    return value as number | undefined;
  }

  optionalBoolean(source: Members, name: string, path: string): boolean | undefined {
    const value = this.field(source, name);
    if (value !== undefined && typeof value !== "boolean") this.fail(`${path}${name}`, "is not true or false");
    return value as boolean | undefined;
  }
}

function storable(text: string): string {
  // Most text is plain, and this test is ten times faster than the replacement.
  return PLAIN.test(text) ? text : text.replace(UNSTORABLE, " ");
}
