import { Account, type ApiKeyRecord } from "../../provider/api";
import { accountFingerprint } from "../../provider/keys/fingerprint";
import type { Scope } from "../../provider/keys/scope";
import { configuredAccounts, settingsOf } from "../account";
import { Callers } from "../callers";
import type { ReadState } from "../state/states";
import { joinKeys, type ReadList, unheldFlagOf } from "./join";

/** Opens the list of an account or organization that the environment configures. Sends nothing. */
export function openList({ account: name, organizationId }: Scope) {
  const settings = settingsOf({ account: name });
  const account = Account.for(settings);
  const fingerprint = accountFingerprint({ ...settings, organizationId });
  const origin = new URL(settings.baseUrl).origin;
  const scope = { account: settings.account, organizationId, origin, fingerprint };
  return { account, keys: account.keysOf(organizationId), scope };
}

/** The keys in no given state that configured accounts authenticate with. Asks only if there are keys in no state. */
export async function credentialsIn(
  lists: readonly ReadList[],
  states: readonly ReadState[],
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<{ readonly credentials: ReadonlySet<ApiKeyRecord>; readonly callers: Callers | undefined }> {
  const credentials = new Set<ApiKeyRecord>();
  if (states.length === 0) return { credentials, callers: undefined };
  const unmanaged = joinKeys(lists, states).flatMap((key) =>
    unheldFlagOf(key, now) === "unmanaged" && key.record !== undefined ? [key.record] : [],
  );
  if (unmanaged.length === 0) return { credentials, callers: undefined };
  // One that did not answer for its list would be waited for again.
  const unread = lists.filter(({ keys }) => keys === undefined).map(({ account }) => account);
  const callers = await Callers.askEach(
    configuredAccounts().filter((name) => !unread.includes(name)),
    signal,
  );
  for (const record of unmanaged) {
    // An account that lists no key, or that could not be asked, says nothing.
    if ((await callers.accountOf(record))?.suspects !== undefined) credentials.add(record);
  }
  return { credentials, callers };
}
