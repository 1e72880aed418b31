import { ApiError } from "../api-error";
import type { Call } from "./route";

/** Returns a body that is a JSON object, or throws 400. */
export function objectBody(body: unknown): Record<string, unknown> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return { ...body };
  throw new ApiError(400, "request body must be a JSON object");
}

/** Returns an optional object field of a body, or throws 400. */
export function objectField(body: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = body[name];
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return { ...value };
  throw new ApiError(400, `${name} must be an object`);
}

/** Returns an optional text field, or throws 400. */
export function textField(body: Record<string, unknown>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && value !== "") return value;
  throw new ApiError(400, `${name} must be a non-empty string`);
}

/** Returns a whole number of the query within its limits, or its default if it is omitted. Throws 400 otherwise. */
export function integerQuery({ query }: Call, name: string, limits: { min: number; max: number; default: number }) {
  const text = query.get(name);
  if (text === null) return limits.default;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= limits.min && value <= limits.max) return value;
  throw new ApiError(400, `${name} must be a whole number from ${limits.min} to ${limits.max}`);
}
