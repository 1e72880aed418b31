import type { Account, ApiKeyRecord } from "../api";
import { checkId } from "../ids";
import { type CallArgs, checkOneOf, checkText } from "./args";
import { findOne } from "./find-one";

/** The arguments of `getApiKeys`. */
export interface GetApiKeysArgs extends CallArgs {
  /** Id of the organization whose keys to read. @default the account's own keys */
  readonly organizationId?: string | undefined;
}

/** All live API keys of the account, or of an organization in it, newest first, without their secrets. */
export async function getApiKeys(account: Account, args: GetApiKeysArgs = {}): Promise<ApiKeyRecord[]> {
  return [...(await account.keysOf(args.organizationId).list({ fresh: true, signal: args.signal }))];
}

/** The arguments of `getApiKey`: either `id` or `name`. */
export interface GetApiKeyArgs extends GetApiKeysArgs {
  /** The key's id: decimal text. */
  readonly id?: string | undefined;
  /** The key's exact name. Fails if several live keys have it. */
  readonly name?: string | undefined;
}

/** One live API key of the account or an organization, without its secret. Fails with `not_found` if there is none. */
export async function getApiKey(account: Account, args: GetApiKeyArgs): Promise<ApiKeyRecord> {
  const by = checkOneOf(args);
  const value = by === "id" ? checkId("apiKey", args.id, "id") : checkText(args.name, "name");
  const keys = await account.keysOf(args.organizationId).list({ fresh: true, signal: args.signal });
  const where = args.organizationId === undefined ? undefined : "the given organization";
  return findOne(keys, { kind: "API key", by, value, where });
}
