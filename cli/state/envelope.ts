const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** Stands for a value that a state holds encrypted. */
export const HIDDEN = Symbol("hidden");

/** A value of a state: in clear, also out of an envelope that is open, else `HIDDEN`. */
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
