import type { Account, ApiKeyRecord, Keys } from "../api";
import { checkId } from "../ids";
import { type CallArgs, checkOneOf, checkText } from "./args";
import { findOne } from "./find-one";

/** Which keys are looked at. */
export interface GetApiKeysArgs extends CallArgs {
  /** Id of an organization of the account, whose keys are meant. @default the account's own keys */
  readonly organizationId?: string | undefined;
}

/** All live API keys of the account, or of an organization in it, newest first, without their secrets. */
export async function getApiKeys(account: Account, args: GetApiKeysArgs = {}): Promise<ApiKeyRecord[]> {
  return [...(await keysIn(account, args).list({ fresh: true, signal: args.signal }))];
}

/** The keys that are looked at. */
export function keysIn(account: Account, { organizationId }: GetApiKeysArgs): Keys {
  return account.keysOf(
    organizationId === undefined ? undefined : checkId("organization", organizationId, "organizationId"),
  );
}

/** Which key is looked for: by `id` or by `name`. */
export interface GetApiKeyArgs extends GetApiKeysArgs {
  /** The key's id: decimal text. */
  readonly id?: string | undefined;
  /** The key's exact name; an error if several live keys bear it. */
  readonly name?: string | undefined;
}

/** One live API key of the account, or of an organization in it, without its secret; an error of kind `not_found` if there is none. */
export async function getApiKey(account: Account, args: GetApiKeyArgs): Promise<ApiKeyRecord> {
  const by = checkOneOf(args);
  const value = by === "id" ? checkId("apiKey", args.id, "id") : checkText(args.name, "name");
  const keys = await keysIn(account, args).list({ fresh: true, signal: args.signal });
  const { organizationId } = args;
  const where = organizationId === undefined ? undefined : `organization ${organizationId}`;
  return findOne(keys, { kind: "API key", by, value, where });
}
