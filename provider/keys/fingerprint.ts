import type { AccountSettings } from "../account-settings";
import { base32, sha256 } from "../base32";
import { KeyplaneError } from "../errors";
import { accountSetting } from "../text";
import type { KeyList } from "./key-list";
import type { Scope } from "./scope";

/** The account or organization of keys, according to the settings. */
type AccountScope = Pick<AccountSettings, "baseUrl" | "apiKey"> & Partial<Pick<Scope, "organizationId">>;

/**
 * What a state records of the account of its key: `<fingerprint of the account>.<fingerprint of the origin>`, which reveal
 * nothing. An account is identified by its credential, so another credential of the same account has another
 * fingerprint. An organization is identified by its id, whatever the credential.
 */
export function accountFingerprint({ baseUrl, apiKey, organizationId }: AccountScope): string {
  const { origin } = new URL(baseUrl);
  const owner = organizationId === undefined ? apiKey : `organization ${organizationId}`;
  return `${fingerprintOf(`${origin}\n${owner}`)}.${fingerprintOf(origin)}`;
}

/** 12 characters of base32. */
const fingerprintOf = (text: string): string => base32(sha256(text).subarray(0, 8));

/**
 * How the account of a recorded key relates to the one that the settings lead to. `elsewhere`: another address. `unsure`:
 * another credential at the same address, which can be of the same account.
 */
export function compareAccount(
  recorded: string | undefined,
  { fingerprint }: Pick<KeyList, "fingerprint">,
): "same" | "unsure" | "elsewhere" {
  if (recorded === fingerprint) return "same";
  return recorded?.split(".")[1] === fingerprint.split(".")[1] ? "unsure" : "elsewhere";
}

/** The refusal to take a key that a list lacks for gone: the list is of another account. */
export function wrongAccount(id: string, { scope: { account } }: Pick<KeyList, "scope">): KeyplaneError {
  const [baseUrl, apiKey] = [accountSetting("baseUrl", account), accountSetting("apiKey", account)];
  return new KeyplaneError(
    "KP-WRONG-ACCOUNT",
    `key ${id} is not in the account that ${baseUrl} and ${apiKey} lead to, and one of the two has changed since the key ` +
      "was last seen. Nothing was changed. Set them to the account that has the key, and run `pulumi up`. If that account " +
      "no longer exists, remove the resource and its uses from the program, run `pulumi up`, and then `pulumi state delete`",
  );
}
