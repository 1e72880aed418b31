import type { Account, ApiKeyRecord } from "../api";
import { checkId } from "../ids";
import { checkOneOf, checkText } from "./args";
import { findOne } from "./find-one";
import { type GetApiKeysArgs, keysIn } from "./get-api-keys";

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
