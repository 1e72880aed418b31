/** The members of a JSON object whose form is not known yet. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is an object, not a list. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object; none if the value is not one. */
export function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** A text; `undefined` for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The texts in a list; none if it is not a list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The value of a JSON text; `undefined` if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The members of the objects that are not empty, to keep a state small. Where two have one name, the later counts. Loops,
 * because V8 takes several times as long for `fromEntries`, and for a literal that spreads an object and adds many members.
 */
export function withoutEmpty<Of extends object>(...objects: readonly Of[]): Of {
  const kept: Partial<Of> = {};
  for (const members of objects) {
    for (const name in members) {
      const value = members[name];
      if (value !== undefined && !(Array.isArray(value) && value.length === 0)) kept[name] = value;
      else if (name in kept) delete kept[name];
    }
  }
  return kept as Of;
}

/** Pulumi's marks of a secret: an object with this member. In a state, it has what is encrypted; in a program, a `value`. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";
export const SECRET = "1b47061264138c4ac30d75fd1eb44270";

export function isSecret(value: unknown): value is Members {
  return isObject(value) && value[SIGNATURE] === SECRET;
}
