import { ApiError } from "../api-error";

/** The fields that a control call accepts, with their types. */
export type Fields = Record<string, "number" | "string" | "boolean">;

/**
 * Reads the body of a control call. Throws 400 for an unknown field or a wrong type. `null` is allowed where it means
 * "no end" (`runningMs`).
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

/** Returns a required field, or throws 400. */
export function need<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new ApiError(400, `${name} is missing`);
  return value;
}
