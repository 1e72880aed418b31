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
