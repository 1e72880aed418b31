import type { ApiKeyRecord } from "../../../provider/api";
import type * as functions from "../../../provider/functions";
import { ask, outputForm } from "./data-source";

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
  return ask("getApiKeys", args);
}

/** `getApiKeys` for arguments that are outputs. Returns an output. */
export const getApiKeysOutput = outputForm(getApiKeys);

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
  return ask("getApiKey", args);
}

/** `getApiKey` for arguments that are outputs. Returns an output. */
export const getApiKeyOutput = outputForm(getApiKey);
