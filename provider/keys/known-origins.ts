import { KeyplaneError } from "../errors";
import { getOrCreate } from "../get-or-create";
import type { Settings } from "../settings/settings";
import { accountSetting } from "../text";
import { accountIn, originIn } from "./account-fingerprint";
import { markIn, ownerIdIn } from "./identity";

export type Confirmed = Pick<Settings, "confirmedAccounts">;

/** The refusal of an address that the state does not record. */
export class NewAddressError extends KeyplaneError {
  constructor(
    /** What is wrong, without what to do. */
    readonly what: string,
    remedy: string,
  ) {
    super("KP-WRONG-ACCOUNT", `${what}. ${remedy}`);
  }
}

export interface AccountHere<Of extends Confirmed = Settings> {
  readonly mark: string;
  readonly settings: Of;
}

/** The origins that a stack's state records, as far as this process has seen them. */
export class KnownOrigins {
  /** Fingerprints of origins by owner, by the name of the account. */
  readonly #recorded = new Map<string | undefined, Map<string, Set<string>>>();

  /** Records the origin of an identity in the state. An older identity has none, and takes the first one that it meets. */
  note(account: string | undefined, identity: unknown): void {
    const origin = originIn(markIn(identity));
    if (origin === undefined) return;
    const owners = getOrCreate(this.#recorded, account, () => new Map<string, Set<string>>());
    getOrCreate(owners, ownerIdIn(identity), () => new Set<string>()).add(origin);
  }

  /**
   * Why the credential of an account must not be sent; `undefined` if it may be. The state must record the origin of the
   * settings for each owner, or the user must have confirmed it. That a new owner records it proves nothing about another.
   * @param account - The name of the account.
   * @param place - Its settings and its mark, which are read only if the state records an origin.
   */
  refusal(account: string | undefined, place: () => AccountHere): NewAddressError | undefined {
    const owners = [...(this.#recorded.get(account)?.values() ?? [])];
    if (owners.length === 0) return undefined;
    const { mark, settings } = place();
    const here = String(originIn(mark));
    if (owners.every((origins) => origins.has(here)) || isOriginConfirmed(mark, settings)) return undefined;
    const [baseUrl, apiKey] = [accountSetting("baseUrl", account), accountSetting("apiKey", account)];
    return new NewAddressError(
      `${baseUrl} now leads to ${new URL(settings.baseUrl).origin}, but this stack recorded another address`,
      `Requests to the new one are refused, because they would contain ${apiKey}. Correct the address. Then run \`pulumi up\`, because ` +
        "`refresh` and `destroy` use the configuration of the last `up`. If the service has moved to the new address, run " +
        `the command once with KEYPLANE_CONFIRM_ACCOUNT=${here}`,
    );
  }
}

/** Whether the user has confirmed that the credential may be sent to an origin. To confirm an account confirms its origin. */
export function isOriginConfirmed(mark: string, { confirmedAccounts = [] }: Confirmed): boolean {
  return [accountIn(mark), originIn(mark)].some((each) => each !== undefined && confirmedAccounts.includes(each));
}

/** Whether the user has confirmed that an account has the stack's keys. */
export function isAccountConfirmed(mark: string, { confirmedAccounts = [] }: Confirmed): boolean {
  return confirmedAccounts.includes(String(accountIn(mark)));
}
