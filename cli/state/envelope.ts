const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** Represents an encrypted value of a state. */
export const HIDDEN = Symbol("hidden");

/** Returns a state value in plain text, including one in a plaintext envelope, or `HIDDEN`. */
export function opened(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !(SIGNATURE in value) || value[SIGNATURE] !== SECRET) return value;
  const { plaintext } = value as { readonly plaintext?: unknown };
  if (typeof plaintext !== "string") return HIDDEN;
  try {
    return JSON.parse(plaintext);
  } catch {
    return HIDDEN;
  }
}
