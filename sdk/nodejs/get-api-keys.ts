import type { ApiKeyRecord } from "../../provider/api";
import type * as functions from "../../provider/functions";
import { askForList, outputForm } from "./data-source";

/**
 * All live API keys of the account, or of an organization in it, newest first, without their secrets.
 *
 * @example
 * ```ts
 * import { getApiKeys } from "keyplane";
 *
 * export const unused = getApiKeys().then((keys) => keys.filter((key) => key.lastUsedAt === null).map((key) => key.name));
 * ```
 */
export async function getApiKeys(args: functions.GetApiKeysArgs = {}): Promise<ApiKeyRecord[]> {
  return askForList("getApiKeys", args, ({ account, functions }) => functions.getApiKeys(account, args));
}

/** `getApiKeys` for arguments that are outputs. Returns an output. */
export const getApiKeysOutput = outputForm(getApiKeys);
