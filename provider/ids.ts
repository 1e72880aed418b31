import { InputError } from "./errors";

// Ids become parts of paths, so each is checked before that: nothing may pass that a URL reads as more than one segment.

/** What an id looks like: how to recognise one, and how messages describe it. */
export interface IdForm {
  readonly matches: (text: string) => boolean;
  readonly form: string;
}

/** The forms of the service's ids. */
export const ID_FORMS = {
  // The service's ids are 64-bit integers, and a double cannot hold all of them: so they are always text here.
  apiKey: { matches: isInt64, form: "the id of an API key: a positive whole number" },
  project: {
    matches: matching(/^(?!\.{1,2}$)[\w.~-]{1,128}$/),
    form: "the id of a project: at most 128 of A-Z, a-z, 0-9, -, _, . and ~",
  },
  organization: {
    matches: matching(/^[a-z0-9-]{1,60}$/),
    form: "the id of an organization: at most 60 of a-z, 0-9 and -",
  },
  operation: {
    matches: matching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i),
    form: "the id of an operation: a UUID",
  },
} as const satisfies Record<string, IdForm>;

/**
 * The decimal text of a key's id in an answer, which has it as a number or as text. `undefined` for anything else, and
 * for a number that a double cannot hold exactly: it came out changed, and a changed id names another key.
 */
export function keyIdOf(value: unknown): string | undefined {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && isInt64(text) ? text : undefined;
}

/** Answers the id if it has its form, and throws an `InputError` that names the argument if it has not. */
export function checkId(kind: keyof typeof ID_FORMS, id: unknown, argument: string): string {
  const { matches, form } = ID_FORMS[kind];
  if (typeof id !== "string" || !matches(id)) throw new InputError(argument, `must be ${form}`);
  return id;
}

function matching(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

function isInt64(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) < 2n ** 63n;
}
