import type { Account } from "../api/account";
import type { ApiKeyRecord } from "../api/records";

/** How long ago, in milliseconds, a list can show the use by its own request. */
export const NOW_MS = 5_000;

/**
 * The keys that an account's own list shows as used last, if that is now: then the service shows uses at once, and one of
 * them has requested the list. None if it shows uses late: then what it shows proves nothing about the uses since.
 */
export function usedNow(keys: readonly ApiKeyRecord[], account: Account): readonly ApiKeyRecord[] {
  const useOf = ({ lastUsedAt }: ApiKeyRecord) => Date.parse(lastUsedAt ?? "") || 0;
  const latest = keys.reduce((last, key) => Math.max(last, useOf(key)), account.serviceNow() - NOW_MS);
  return keys.filter((key) => useOf(key) === latest);
}
