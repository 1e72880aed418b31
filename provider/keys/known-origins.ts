import { accountSetting, KeyplaneError } from "../errors";
import { getOrCreate } from "../get-or-create";
import type { Settings } from "../settings/settings";
import { accountIn, originIn } from "./account-fingerprint";
import { markIn, ownerIdIn } from "./identity";

/** What the user has confirmed. */
type Confirmed = Pick<Settings, "confirmedAccounts">;

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
   * @param mark - The mark of the account of the settings.
   */
  refusal(settings: Settings, mark: string): KeyplaneError | undefined {
    const here = String(originIn(mark));
    const owners = [...(this.#recorded.get(settings.account)?.values() ?? [])];
    if (owners.every((origins) => origins.has(here)) || isOriginConfirmed(mark, settings)) return undefined;
    const [baseUrl, apiKey] = [accountSetting("baseUrl", settings.account), accountSetting("apiKey", settings.account)];
    return new KeyplaneError(
      "KP-WRONG-ACCOUNT",
      `${baseUrl} now leads to ${new URL(settings.baseUrl).origin}, which has never had this stack's keys. Nothing was sent ` +
        `there, because the first request would contain ${apiKey}. Correct the address, and run \`pulumi up\`: \`refresh\` ` +
        "and `destroy` use the configuration of the last `up`. If the service of the stack's keys has moved there, confirm " +
        `it: run the command once with KEYPLANE_CONFIRM_ACCOUNT=${here}`,
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
