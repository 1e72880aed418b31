import type { Account, ApiKeyRecord, Keys } from "../api";
import { checkId } from "../ids";
import type { CallArgs } from "./args";

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
