import { ApiError } from "../api-error";

/** The fields a control call may carry, each with the type it must have. */
export type Fields = Record<string, "number" | "string" | "boolean">;

/**
 * Reads the body of a control call, or refuses it with 400: a field that is not known, or of another type.
 * `null` is allowed where a field says "no end" (`runningMs`).
 */
export function readFields<T>(body: unknown, fields: Fields): Partial<T> {
  if (body === undefined) return {};
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new ApiError(400, "body must be an object");
  for (const [name, value] of Object.entries(body)) {
    const type = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (type === undefined)
      throw new ApiError(400, `${name} is not known; known are ${Object.keys(fields).join(", ")}`);
    const open = value === null && name === "runningMs";
    if (!open && typeof value !== type) throw new ApiError(400, `${name} must be a ${type}`);
  }
  return body as Partial<T>;
}

/** A field that must be there, or 400. */
export function need<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new ApiError(400, `${name} is missing`);
  return value;
}
