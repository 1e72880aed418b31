import { isKeyplaneError } from "../errors";
import { textOf } from "../members";
import type { CheckCall, Failure } from "../schema/check";
import { type FieldRule, type FieldType, hasUnknown, UNKNOWN } from "../schema/fields";
import { ACCOUNT_NAME } from "../settings/accounts";
import { types } from "./field-types";
import { shownResource } from "./naming";

/** Where keys are: one of the service's lists. */
export interface Scope {
  /** Name of the account in `keyplane:accounts`; absent for the account of `keyplane:apiKey`. */
  readonly account: string | undefined;
  /** The organization of the keys; absent for the account's own keys. */
  readonly organizationId: string | undefined;
}

const accountName: FieldType<string> = (value) =>
  typeof value === "string" && ACCOUNT_NAME.pattern.test(value)
    ? undefined
    : `must be the name of an account in keyplane:accounts: ${ACCOUNT_NAME.form}`;

export const accountField = {
  account: { type: accountName, change: "replace" },
} as const satisfies Record<string, FieldRule>;

/** The fields of a scope. A key cannot move: a new one is created in the other scope, and the old one is revoked. */
export const scopeFields = {
  ...accountField,
  organizationId: { type: types.organizationId, change: "replace" },
} as const satisfies Record<string, FieldRule>;

type ScopeInputs = Readonly<Partial<Record<keyof Scope, unknown>>>;

const DEFAULT: Scope = { account: undefined, organizationId: undefined };
const DEFAULT_KEY = keyOf(DEFAULT);

export function scopeOf({ account, organizationId }: ScopeInputs): Scope {
  if (account === undefined && organizationId === undefined) return DEFAULT;
  return { account: textOf(account), organizationId: textOf(organizationId) };
}

export function scopeKey(scope: Scope): string {
  // A fast path: each of thousands of calls needs it several times, nearly always for the default scope.
  return scope === DEFAULT ? DEFAULT_KEY : keyOf(scope);
}

function keyOf({ account, organizationId }: Scope): string {
  return JSON.stringify([account ?? null, organizationId ?? null]);
}

/** Whether two resources, or a resource and its new inputs, are in the same scope. */
export function sameScope(one: ScopeInputs, other: ScopeInputs): boolean {
  return scopeKey(scopeOf(one)) === scopeKey(scopeOf(other));
}

/**
 * The URN of another resource of this run that claims the same in the same scope; `undefined` if there is none, or if a
 * preview does not know the scope yet.
 */
export function claimInScope(
  what: string,
  { account, organizationId }: ScopeInputs,
  check: CheckCall,
): string | undefined {
  if (hasUnknown([account, organizationId])) return undefined;
  return check.claim(`${what} ${scopeKey(scopeOf({ account, organizationId }))}`);
}

/** The command that shows a key of a scope and, with `--yes`, revokes it. */
export function revokeCommand(keyId: string, scope: Scope): string {
  return scopedCommand(["revoke", keyId], scope);
}

/** A command of keyplane in a scope. */
export function scopedCommand(words: readonly string[], { account, organizationId }: Scope): string {
  const options = Object.entries({ account, organization: organizationId }).flatMap(([name, value]) =>
    value !== undefined && isWord(value) ? [`--${name} ${value}`] : [],
  );
  return ["npx keyplane", ...words, ...options].join(" ");
}

/** The command that removes a resource from the state and leaves its keys as they are. */
export function forgetCommand(urn: string): string {
  return isWord(urn)
    ? `\`pulumi state delete '${urn}'\``
    : `\`pulumi state delete\` with the URN of ${shownResource(urn)}`;
}

/** Whether a text of a state is one word in a shell, so that a command that is copied does nothing else. */
export const isWord = (text: string): boolean => /^[\w:$/.@-]+$/.test(text) && !text.startsWith("-");

/** What is wrong with the settings of a resource's account, if it is known. Makes no request. */
export function accountFailures({ account }: ScopeInputs, check: CheckCall): readonly Failure[] {
  if (account === UNKNOWN) return [];
  try {
    check.settings(textOf(account));
    return [];
  } catch (error) {
    if (!isKeyplaneError(error)) throw error;
    return [{ property: account === undefined ? "" : "account", reason: error.message, code: error.code }];
  }
}
