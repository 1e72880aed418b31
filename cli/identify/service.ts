import { Account, type ApiKeyRecord } from "../../provider/api";
import { readCaller } from "../../provider/api/keys/caller";
import { isAborted, isApiError, messageOf } from "../../provider/errors";
import { getOrCreate } from "../../provider/get-or-create";
import { keyIn } from "../../provider/key-index";
import { SETTINGS } from "../../provider/settings/settings";
import {
  type AccountFlags,
  accountNames,
  clientOf,
  credentialName,
  flagsFor,
  openAccount,
  settingsOf,
} from "../account";
import { UsageError } from "../usage-error";
import type { Holding } from "./holdings";

/** What the service says about a key. */
export interface KeyAnswer {
  /** The key, if it is live; `undefined` if the account does not list it. */
  readonly record: ApiKeyRecord | undefined;
  /** The service's time, in milliseconds. */
  readonly now: number;
}

/** Answers whether the account of a key lists it. Requests each list once. */
export class Lists {
  readonly #lists = new Map<string, Promise<{ readonly keys: readonly ApiKeyRecord[]; readonly now: number }>>();
  /** Why accounts could not be asked, once each. */
  readonly problems = new Set<string>();

  constructor(
    private readonly flags: AccountFlags,
    private readonly signal: AbortSignal,
  ) {}

  /** Returns `undefined` if nothing is configured for the account of the key, or if it could not be asked. */
  async find({ keyId, name, account, organizationId }: Holding): Promise<KeyAnswer | undefined> {
    const selected = this.flags.account ?? account;
    if (!isConfigured(flagsFor(selected, this.flags))) return undefined;
    const id = JSON.stringify([selected, organizationId]);
    const list = getOrCreate(this.#lists, id, () => this.#request(selected, organizationId));
    return this.#noting(`The keys of ${credentialName(selected)} could not be listed`, async () => {
      const { keys, now } = await list;
      const record = keyIn(keys, keyId);
      // The same id with another name is a key of another account.
      return { record: name === undefined || record?.name === name ? record : undefined, now };
    });
  }

  /**
   * Sends requests with a key that was found. It then counts as used. `undefined` if that failed, or if the address of
   * its account is not configured: no other service gets the key.
   * @param account - The name of its account, if it is known.
   */
  check(secret: string, account: string | undefined): Promise<Checked | undefined> {
    const flags = flagsFor(account ?? this.flags.account, this.flags);
    return this.#noting("A key could not be checked", async () => {
      return hasAddress(flags) ? tried(secret, flags, this.signal) : undefined;
    });
  }

  /** One account that cannot be asked must not hide what is known of the other keys. */
  async #noting<Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (isAborted(error) || error instanceof UsageError) throw error;
      this.problems.add(`${what}: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #request(account: string | undefined, organizationId: string | undefined) {
    const opened = openAccount(flagsFor(account, this.flags));
    const keys = await opened.keysOf(organizationId).list({ signal: this.signal });
    return { keys, now: opened.serviceNow() };
  }
}

/** Whether there is a credential for an account, and its address. */
export function isConfigured(flags: AccountFlags): boolean {
  return hasAddress(flags) && (flags.account !== undefined || Boolean(process.env[SETTINGS.apiKey.env]));
}

/** Whether there is an address for an account. That of a named one comes with its credential. */
function hasAddress({ account, baseUrl }: AccountFlags): boolean {
  if (account !== undefined) return accountNames(process.env).includes(account);
  return Boolean(baseUrl ?? process.env[SETTINGS.baseUrl.env]);
}

/** What the service said when a request was sent with a key: the id of the key, if the service tells. */
export type Checked = { readonly works: false } | { readonly works: true; readonly keyId: string | undefined };

/** Tries a key with the settings of its account, but without their credential. */
async function tried(secret: string, flags: AccountFlags, signal: AbortSignal): Promise<Checked> {
  const env = { ...process.env, [SETTINGS.apiKey.env]: secret };
  const settings = settingsOf(flags, env);
  // The settings of a named account have its credential.
  const own = Account.for({ ...settings, apiKey: secret, credentials: [] });
  if (!(await own.keys.authenticates(secret, { isNew: false, signal }))) return { works: false };
  try {
    return { works: true, keyId: (await readCaller(clientOf({ ...settings, apiKey: secret }), { signal }))?.keyId };
  } catch (error) {
    if (!isApiError(error)) throw error;
    return { works: true, keyId: undefined };
  }
}
