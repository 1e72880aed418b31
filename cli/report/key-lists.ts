import { Account } from "../../provider/api";
import { isAborted, messageOf } from "../../provider/errors";
import { accountFingerprint } from "../../provider/keys/account";
import type { Scope } from "../../provider/keys/scope";
import { type AccountFlags, configuredAccounts, flagsFor, settingsOf } from "../account";
import type { ReadList } from "./place-keys";

/** The accounts of a report: the selected one, else all that the environment configures. */
export function accountsOf({ account, baseUrl }: AccountFlags): readonly (string | undefined)[] {
  if (account !== undefined) return [account];
  const accounts = configuredAccounts();
  // Without the account that an address is for, or any account, the settings of the default one say what is missing.
  return accounts.length === 0 || (baseUrl && accounts[0] !== undefined) ? [undefined] : accounts;
}

/** Requests the lists. Throws if none can be read. `now` is the service's time after the first answer, in milliseconds. */
export async function requestLists(wanted: readonly Scope[], flags: AccountFlags, signal: AbortSignal) {
  const errors: unknown[] = [];
  const answered: Account[] = [];
  // All settings are checked before the first request.
  const all = wanted.map((scope) => ({ scope, settings: settingsOf(flagsFor(scope.account, flags)) }));
  const lists = await Promise.all(
    all.map(async ({ scope: { organizationId }, settings }): Promise<ReadList> => {
      const account = Account.for(settings);
      const { baseUrl, apiKey } = settings;
      const mark = accountFingerprint({ baseUrl, apiKey, organizationId });
      const place = { account: settings.account, organizationId, origin: new URL(baseUrl).origin, mark };
      try {
        const keys = await account.keysOf(organizationId).list({ signal });
        answered.push(account);
        return { ...place, keys };
      } catch (error) {
        if (isAborted(error)) throw error;
        errors.push(error);
        return { ...place, keys: undefined, problem: messageOf(error) };
      }
    }),
  );
  if (answered[0] === undefined) throw errors[0];
  return { lists, now: answered[0].serviceNow() };
}
