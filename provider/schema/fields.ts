import type { ErrorCode } from "../errors";

/** Represents a value that a preview does not know yet. */
export const UNKNOWN: unique symbol = Symbol("unknown");

/** Checks a value of a field. Returns what is wrong with it, as the end of a sentence. A `Value` passes. */
export interface FieldType<Value = unknown> {
  (value: unknown): string | undefined;
  readonly valid?: Value;
}

/** A field's rules as data, which a generic `check` and `diff` apply. */
export interface FieldRule {
  readonly type: FieldType;
  readonly required?: boolean;
  /** The default value. */
  readonly fallback?: unknown;
  /** The effect of a changed value. `ignore`: recorded at the next update, but does not cause one. */
  readonly change: "replace" | "update" | "ignore";
  /** Removing it only updates: without triggers, nothing is triggered. */
  readonly removalUpdates?: boolean;
  /** Whether the SDK sets it, so that it is not a user's input. */
  readonly internal?: true;
  /** Whether every value is refused with a reason, so that no message offers it. */
  readonly refused?: true;
  /** Whether two values mean the same although they differ. */
  readonly same?: (before: unknown, after: unknown) => boolean;
  /** The code of the error for an invalid value. @default "KP-INPUT" */
  readonly code?: ErrorCode;
}

type ValueOf<Rule extends FieldRule> = Rule["type"] extends FieldType<infer Value> ? Value : never;

/** The checked inputs of a resource with these fields. */
export type InputsOf<Of extends Readonly<Record<string, FieldRule>>> = {
  readonly [Name in keyof Of]?: ValueOf<Of[Name]> | undefined;
} & { readonly [Name in keyof Of as Of[Name] extends { required: true } ? Name : never]: ValueOf<Of[Name]> };

/** Inputs of which a preview does not know all yet. */
export type Planned<Inputs> = { readonly [Name in keyof Inputs]: Inputs[Name] | typeof UNKNOWN };

/** Whether a value is or contains something that a preview does not know yet. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasUnknown);
}
