import type { Account, ApiKeyRecord } from "../api";
import type { CallArgs } from "./args";

/** All live API keys of the account, newest first, without their secrets. */
export async function getApiKeys(account: Account, args: CallArgs = {}): Promise<ApiKeyRecord[]> {
  return account.keys.list({ fresh: true, signal: args.signal });
}
