import { createHash } from "node:crypto";
import { base32 } from "../base32";

/** The account or organization of keys, according to the settings. */
export interface AccountScope {
  /** The control plane's base URL. */
  readonly baseUrl: string;
  /** The credential of the account. */
  readonly apiKey: string;
  /** The organization of the keys; absent for the account's own keys. */
  readonly organizationId?: string | undefined;
}

/**
 * Short text that distinguishes accounts without revealing anything about them: 12 characters of base32. An account is
 * identified by its credential, so another credential of the same account has another fingerprint. An organization is
 * identified by its id, whatever the credential.
 */
export function accountFingerprint({ baseUrl, apiKey, organizationId }: AccountScope): string {
  const { origin } = new URL(baseUrl);
  const owner = organizationId === undefined ? apiKey : `organization ${organizationId}`;
  return base32(createHash("sha256").update(`${origin}\n${owner}`).digest().subarray(0, 8));
}
