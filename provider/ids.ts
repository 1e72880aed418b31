import { InputError } from "./errors";

// Ids become parts of paths, so each is checked first: a URL must not read it as more than one segment.

/** The form of an id: how to recognise one, and how messages describe it. */
export interface IdForm {
  readonly matches: (text: string) => boolean;
  readonly form: string;
}

export const ID_FORMS = {
  // The service's ids are 64-bit integers. A double cannot represent all of them, so ids are always text here.
  apiKey: { matches: isInt64, form: "the id of an API key: a positive whole number" },
  project: {
    matches: matching(/^(?!\.{1,2}$)[\w.~-]{1,128}$/),
    form: "the id of a project: at most 128 characters (A-Z, a-z, 0-9, -, _, . and ~)",
  },
  organization: {
    matches: matching(/^[a-z0-9-]{1,60}$/),
    form: "the id of an organization: at most 60 characters (a-z, 0-9 and -)",
  },
  operation: {
    matches: matching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i),
    form: "the id of an operation: a UUID",
  },
} as const satisfies Record<string, IdForm>;

/**
 * The decimal text of a key's id, which is a number or text in an answer. `undefined` for anything else, and for a
 * number that a double cannot represent exactly: parsing changed it, and a changed id identifies another key.
 */
export function keyIdOf(value: unknown): string | undefined {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && isInt64(text) ? text : undefined;
}

/** Returns the id if it is valid. Otherwise throws an `InputError` that names the argument. */
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
