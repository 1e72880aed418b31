import { type Account, type ApiKeyRecord, checkKeyId } from "../api";
import { type CallArgs, checkOneOf, checkText } from "./args";
import { findOne } from "./find-one";

/** Which key is looked for: by `id` or by `name`. */
export interface GetApiKeyArgs extends CallArgs {
  /** The key's id: decimal text. */
  readonly id?: string | undefined;
  /** The key's exact name; an error if several live keys bear it. */
  readonly name?: string | undefined;
}

/** One live API key of the account, without its secret; an error of kind `not_found` if there is none. */
export async function getApiKey(account: Account, args: GetApiKeyArgs): Promise<ApiKeyRecord> {
  const by = checkOneOf(args);
  const value = by === "id" ? checkKeyId(checkText(args.id, "id")) : checkText(args.name, "name");
  return findOne("API key", await account.keys.list({ fresh: true, signal: args.signal }), by, value);
}
