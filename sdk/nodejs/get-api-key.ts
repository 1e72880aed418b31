import type { ApiKeyRecord } from "../../provider/api";
import type * as functions from "../../provider/functions";
import { askForOne, outputForm } from "./data-source";

/**
 * One live API key, by `id` or by `name`, without its secret. Fails if no key is found, or if several have the name.
 *
 * @example
 * ```ts
 * import { ApiKey, getApiKeyOutput } from "keyplane";
 *
 * const ci = new ApiKey("ci");
 * export const lastUsed = getApiKeyOutput({ id: ci.keyId }).lastUsedAt;
 * ```
 */
export async function getApiKey(args: functions.GetApiKeyArgs): Promise<ApiKeyRecord> {
  return askForOne("getApiKey", args, ({ account, functions }) => functions.getApiKey(account, args));
}

/** `getApiKey` for arguments that are outputs. Returns an output. */
export const getApiKeyOutput = outputForm(getApiKey);
