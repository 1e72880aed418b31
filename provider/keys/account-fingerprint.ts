import type { AccountSettings } from "../account-settings";
import { base32, sha256 } from "../base32";
import type { Scope } from "./scope";

/** The account or organization of keys, according to the settings. */
type AccountScope = Pick<AccountSettings, "baseUrl" | "apiKey"> & Partial<Pick<Scope, "organizationId">>;

/** What a state records of an account: `<account's fingerprint>.<origin's fingerprint>`. Older states lack the origin. */
export function accountMark(scope: AccountScope): string {
  return `${accountFingerprint(scope)}.${originFingerprint(scope.baseUrl)}`;
}

export function accountIn(mark: string | undefined): string | undefined {
  return mark?.split(".")[0];
}

/** The origin's fingerprint in a mark; `undefined` if none is recorded. */
export function originIn(mark: string | undefined): string | undefined {
  return mark?.split(".")[1];
}

/**
 * Short text that distinguishes accounts without revealing anything about them: 12 characters of base32. An account is
 * identified by its credential, so another credential of the same account has another fingerprint. An organization is
 * identified by its id, whatever the credential.
 */
export function accountFingerprint({ baseUrl, apiKey, organizationId }: AccountScope): string {
  const { origin } = new URL(baseUrl);
  const owner = organizationId === undefined ? apiKey : `organization ${organizationId}`;
  return fingerprintOf(`${origin}\n${owner}`);
}

/** The same for the origin of an address: its scheme, host and port. It is where a credential is sent to. */
export function originFingerprint(baseUrl: string): string {
  return fingerprintOf(new URL(baseUrl).origin);
}

const fingerprintOf = (text: string): string => base32(sha256(text).subarray(0, 8));
