import type { Members } from "../members";
import { UNKNOWN } from "./field-types";

/** Inputs or outputs that nobody has checked or read yet. Plain JSON values. */
export type Properties = Members;

/** The texts that callers of a resource type read, whatever the type. */
const INPUT_TEXTS = [
  ...(["account", "organizationId", "resourceUrn", "revokeNow", "retirement", "rotateAfter", "maxAge"] as const),
  // The identity of the owner.
  "owner",
] as const;

const OUTPUT_TEXTS = [
  ...(["keyId", "createdAt"] as const),
  // The identity in the outputs of an owner.
  "identity",
  // The account's mark in those of version 0.1, which are not whole without it.
  "credential",
] as const;

/** The secrets of keys. A sealed key has `null`. */
const SECRETS = ["key", "previousKey"] as const;

const OUTPUT_LISTS = ["compromised", "retired"] as const;

const TEXTS = [...INPUT_TEXTS, ...OUTPUT_TEXTS, ...SECRETS];

/** Checked inputs of a resource of any type, as its callers see them: each type alone knows the others of its own. */
export type Given = { readonly [Name in (typeof INPUT_TEXTS)[number]]?: string | undefined } & {
  readonly adopt?: unknown;
  readonly rotationWindow?: unknown;
};

/** Outputs of a resource of any type, also of former versions, as its callers see them. */
export type Outputs = Given & { readonly [Name in (typeof OUTPUT_TEXTS)[number]]?: string | undefined } & {
  readonly [Name in (typeof SECRETS)[number]]?: string | null | undefined;
} & { readonly [Name in (typeof OUTPUT_LISTS)[number]]?: readonly string[] } & {
  readonly imported?: unknown;
  readonly adopted?: unknown;
};

/** A resource as a verb has left it. */
export interface Made<State = Outputs> {
  readonly id: string;
  readonly outputs: State;
}

/**
 * Reads what the engine passes: checked inputs, or the outputs in a state, which anybody can edit. A member with the
 * wrong form is left out. One that a preview does not know yet stays.
 * @param added - Texts that only one front end has.
 */
export function readOutputs<Added extends string = never>(
  values: Properties,
  added: readonly Added[] = [],
): Outputs & { readonly [Name in Added]?: string } {
  const isText = (value: unknown) => value == null || value === UNKNOWN || typeof value === "string";
  const wrong = new Set<string>([
    ...[...TEXTS, ...added].filter((name) => !isText(values[name])),
    ...OUTPUT_LISTS.filter((name) => values[name] !== undefined && !Array.isArray(values[name])),
  ]);
  // Each of thousands of calls reads them, and nearly all are right.
  const right =
    wrong.size === 0 ? values : Object.fromEntries(Object.entries(values).filter(([name]) => !wrong.has(name)));
  return right as Outputs & { readonly [Name in Added]?: string };
}
