import { Account, type ApiKeyRecord } from "../provider/api";
import { readCaller } from "../provider/api/keys/caller";
import { isAborted, isApiError, messageOf } from "../provider/errors";
import { keyIn } from "../provider/key-index";
import { NEXT_SECOND_MS } from "../provider/keys/existing-key";
import { NOW_MS } from "../provider/keys/uses";
import { type AccountFlags, clientOf, configuredAccounts, credentialName, settingsOf } from "./account";
import { printInfo } from "./output";

/** Maximum number of lists to compare. A key that is used all the time looks like the caller's in each of them. */
const MAX_LISTS = 4;

/** A configured account, and the keys one of which it authenticates with. */
interface CallingAccount {
  /** How messages name the account. */
  readonly name: string;
  /** `undefined` if it could not be asked. */
  readonly account: Account | undefined;
  /** Live keys, as a list of the account has shown them; `undefined` if it can be any key. */
  suspects: readonly ApiKeyRecord[] | undefined;
  /** That it could not be asked, why, and what to do; `undefined` if it was. */
  unasked: string | undefined;
}

/**
 * The keys that the configured accounts authenticate with. Revoking one could lock out every stack that uses it. Each
 * account is asked at its own address, because two addresses can lead to the same service.
 */
export class Callers {
  private constructor(
    private readonly callers: readonly CallingAccount[],
    private readonly signal: AbortSignal,
  ) {}

  /** Asks the selected account and all other ones. Throws only if the selected one cannot be asked. */
  static async ask(flags: AccountFlags, signal: AbortSignal): Promise<Callers> {
    const others = configuredAccounts().filter((name) => name !== flags.account);
    const own = await askCaller(flags, signal);
    return new Callers([own, ...(await askEach(others, signal))], signal);
  }

  /** Asks these accounts. */
  static async askEach(accounts: readonly (string | undefined)[], signal: AbortSignal): Promise<Callers> {
    return new Callers(await askEach(accounts, signal), signal);
  }

  /** Which account authenticates with a key, or may do so; `undefined` if each is proven to use another key. */
  async accountOf(key: ApiKeyRecord): Promise<Omit<CallingAccount, "account"> | undefined> {
    // An account that lists the key says more than one that may use any key.
    const callers = this.callers.toSorted((one, other) => Number(!one.suspects) - Number(!other.suspects));
    for (const caller of callers) if (await mayUse(caller, key, this.signal)) return caller;
    return undefined;
  }

  /** Tells which accounts could not be asked, and why. Returns the lines. */
  warnOfUnasked(): readonly string[] {
    const lines = this.callers.flatMap((caller) => caller.unasked ?? []);
    for (const line of lines) printInfo(line);
    return lines;
  }
}

const unasked = (name: string, error: unknown) => `${name} could not be asked which key it uses: ${messageOf(error)}`;

/** Asks accounts. One that cannot be asked says why. */
async function askEach(accounts: readonly (string | undefined)[], signal: AbortSignal): Promise<CallingAccount[]> {
  const answers = accounts.map(async (account): Promise<CallingAccount | undefined> => {
    try {
      return await askCaller({ account }, signal);
    } catch (error) {
      if (isAborted(error)) throw error;
      // A credential that the service rejects belongs to no live key.
      if (isApiError(error) && error.status === 401) return undefined;
      const name = credentialName(account);
      const remedy = "Repair it or, if it uses another key, leave it out of the environment for this command";
      return { name, account: undefined, suspects: undefined, unasked: `${unasked(name, error)}. ${remedy}` };
    }
  });
  return (await Promise.all(answers)).filter((answer) => answer !== undefined);
}

async function askCaller(flags: AccountFlags, signal: AbortSignal): Promise<CallingAccount> {
  const settings = settingsOf(flags);
  const account = Account.for(settings);
  const caller: CallingAccount = {
    name: credentialName(flags.account),
    account,
    suspects: undefined,
    unasked: undefined,
  };
  const answer = await readCaller(clientOf(settings), { signal });
  const list = await listWith(caller, { signal });
  const own = list?.find(({ id }) => id === answer?.keyId);
  // What the service answers can be the id of something else. The key itself has just been used.
  const isUsed = account.skewMs !== undefined && Date.parse(own?.lastUsedAt ?? "") > account.serviceNow() - NOW_MS;
  caller.suspects = someOf(own && isUsed ? [own] : list?.filter(({ lastUsedAt }) => lastUsedAt !== null));
  return caller;
}

/** A list contains the key that requests it, and shows this use. One without such a key proves nothing. */
const someOf = (suspects: CallingAccount["suspects"]) => (suspects?.length ? suspects : undefined);

/** Whether nothing proves that an account authenticates with another key than this one. */
async function mayUse(caller: CallingAccount, key: ApiKeyRecord, signal: AbortSignal): Promise<boolean> {
  // An id of another service can belong to another key.
  const isIt = ({ id, name, createdAt }: ApiKeyRecord) =>
    id === key.id && name === key.name && createdAt === key.createdAt;
  for (let lists = 1; lists < MAX_LISTS; lists++) {
    const before = caller.suspects;
    if (before === undefined || before.length === 1 || !before.some(isIt)) break;
    await caller.account?.sleep(NEXT_SECOND_MS, signal);
    const after = await listWith(caller, { fresh: true, signal });
    // The later list shows a later use of the key that requested both.
    const isUsed = ({ id, lastUsedAt }: ApiKeyRecord) =>
      lastUsedAt !== (keyIn(before, id) ?? { lastUsedAt }).lastUsedAt;
    if (after !== undefined) caller.suspects = someOf(after.filter(isUsed));
  }
  return caller.suspects?.some(isIt) ?? true;
}

/** Lists an account's keys with its key, which shows this use at once. `undefined` if that is not possible. */
async function listWith(
  caller: CallingAccount,
  options: { readonly fresh?: true; readonly signal: AbortSignal },
): Promise<readonly ApiKeyRecord[] | undefined> {
  try {
    return await caller.account?.keys.list(options);
  } catch (error) {
    if (isAborted(error)) throw error;
    caller.unasked = unasked(caller.name, error);
    return undefined;
  }
}
