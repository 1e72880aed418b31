import { Account } from "../../provider/api";
import { isAborted, messageOf } from "../../provider/errors";
import { accountMark } from "../../provider/keys/account-fingerprint";
import { SETTINGS, type Settings } from "../../provider/settings/settings";
import { type AccountFlags, accountNames, settingsOf } from "../account";
import type { KeyList } from "./listed";

/** A list to request: the keys of an account, or of an organization in it. */
export type Wanted = Pick<KeyList, "account" | "organizationId">;

/** The lists of a report. */
export interface KeyLists {
  readonly lists: readonly KeyList[];
  /** The service's time after the first answer, in milliseconds. */
  readonly now: number;
}

/** The accounts of a report: the selected one, else all that the environment configures. */
export function accountsOf({ account }: AccountFlags, env: NodeJS.ProcessEnv = process.env): (string | undefined)[] {
  if (account !== undefined) return [account];
  const names = accountNames(env);
  // Without any account, the settings of the default one say what is missing.
  return names.length === 0 || env[SETTINGS.apiKey.env] ? [undefined, ...names] : names;
}

/** Requests the lists. Throws if none can be read. */
export async function requestLists(
  wanted: readonly Wanted[],
  { baseUrl }: AccountFlags,
  signal: AbortSignal,
): Promise<KeyLists> {
  const errors: unknown[] = [];
  const places = wanted.map(({ account, organizationId }) => {
    // All settings are checked before the first request.
    const settings = settingsOf({ ...(baseUrl && { baseUrl }), ...(account !== undefined && { account }) });
    return { settings, organizationId };
  });
  const answers = await Promise.all(
    places.map(async ({ settings, organizationId }) => {
      const account = Account.for(settings);
      const place = placeOf(settings, organizationId);
      try {
        const keys = await account.keysOf(organizationId).list({ signal });
        return { list: { ...place, keys }, account };
      } catch (error) {
        if (isAborted(error)) throw error;
        errors.push(error);
        return { list: { ...place, keys: undefined, problem: messageOf(error) }, account: undefined };
      }
    }),
  );
  const answered = answers.find(({ account }) => account !== undefined)?.account;
  if (answered === undefined) throw errors[0];
  return { lists: answers.map(({ list }) => list), now: answered.serviceNow() };
}

function placeOf({ account, baseUrl, apiKey }: Settings, organizationId: string | undefined) {
  const mark = accountMark({ baseUrl, apiKey, organizationId });
  return { account, organizationId, origin: new URL(baseUrl).origin, mark };
}
