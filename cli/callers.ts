import { Account, type ApiKeyRecord } from "../provider/api";
import { readCaller } from "../provider/api/keys/caller";
import { isAborted, isApiError } from "../provider/errors";
import { keyIn } from "../provider/key-index";
import { type AccountFlags, clientOf, configuredAccounts, credentialName, settingsOf } from "./account";

/** The service shows uses in whole seconds. This pause, in milliseconds, separates two uses. */
const NEXT_SECOND_MS = 2_100;

/** Maximum number of lists to compare. A key that is used all the time looks like the caller's in each of them. */
const MAX_LISTS = 3;

/** A configured account, and the key that it authenticates with. */
interface Caller {
  /** How messages name the account. */
  readonly name: string;
  readonly account: Account;
  /** The id of the key, if the service reports it. */
  readonly keyId: string | undefined;
}

/**
 * The keys that the configured accounts authenticate with. Revoking one could lock out every stack that uses it. Each
 * account is asked at its own address, because two addresses can lead to the same service.
 */
export class Callers {
  private constructor(
    private readonly callers: readonly Caller[],
    /** Names of accounts that could not be asked. */
    private readonly unknown: readonly string[],
    private readonly signal: AbortSignal,
  ) {}

  /** Asks the selected account and all other ones. Throws only if the selected one cannot be asked. */
  static async ask(flags: AccountFlags, signal: AbortSignal): Promise<Callers> {
    const others = configuredAccounts().filter((name) => name !== flags.account);
    const own = await askCaller(flags, signal);
    const unknown: string[] = [];
    const answers = await Promise.all(
      others.map(async (name) => {
        try {
          return await askCaller({ ...flags, account: name }, signal);
        } catch (error) {
          if (isAborted(error)) throw error;
          // A credential that the service rejects belongs to no live key.
          if (!isApiError(error) || error.status !== 401) unknown.push(credentialName(name));
          return undefined;
        }
      }),
    );
    return new Callers([own, ...answers.filter((answer) => answer !== undefined)], unknown, signal);
  }

  /** The ids of the keys that the service reports. */
  get ids(): ReadonlySet<string> {
    return new Set(this.callers.flatMap(({ keyId }) => keyId ?? []));
  }

  /** Which account authenticates with a key, or may do so; `undefined` if each is proven to use another key. */
  async accountOf(key: ApiKeyRecord): Promise<string | undefined> {
    for (const caller of this.callers) if (!(await usesOther(caller, key, this.signal))) return caller.name;
    return this.unknown[0];
  }
}

async function askCaller(flags: AccountFlags, signal: AbortSignal): Promise<Caller> {
  const settings = settingsOf(flags);
  const caller = await readCaller(clientOf(settings), { signal });
  return { name: credentialName(flags.account), account: Account.for(settings), keyId: caller?.keyId };
}

/** Whether an account is proven to authenticate with another key than this one. */
async function usesOther({ account, keyId }: Caller, key: ApiKeyRecord, signal: AbortSignal): Promise<boolean> {
  if (keyId !== undefined && keyId !== key.id) return true;
  let before = await listWith(account, signal);
  for (let lists = 1; ; lists++) {
    const seen = before && keyIn(before, key.id);
    if (before === undefined) return false;
    // A list contains the key that requests it. An id of another service can belong to another key.
    if (seen === undefined || seen.name !== key.name || seen.createdAt !== key.createdAt) return true;
    if (keyId === key.id || lists > MAX_LISTS) return false;
    if (seen.lastUsedAt === null) return true;
    await account.sleep(NEXT_SECOND_MS, signal);
    const after = await listWith(account, signal);
    // The second list shows a later use of the key that requested both.
    if (after !== undefined && keyIn(after, key.id)?.lastUsedAt === seen.lastUsedAt) return true;
    before = after;
  }
}

/** Lists an account's keys with its key, which shows this use at once. `undefined` if that is not possible. */
async function listWith({ keys }: Account, signal: AbortSignal): Promise<readonly ApiKeyRecord[] | undefined> {
  try {
    return await keys.list({ fresh: true, signal });
  } catch (error) {
    if (isAborted(error)) throw error;
    return undefined;
  }
}
