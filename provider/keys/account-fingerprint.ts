import { createHash } from "node:crypto";
import { base32 } from "../base32";

/** Where keys live, as far as the settings tell. */
export interface AccountScope {
  /** The control plane's base address. */
  readonly baseUrl: string;
  /** The credential that leads to the account. */
  readonly apiKey: string;
  /** The organization whose keys they are; absent for the keys of the account itself. */
  readonly organizationId?: string | undefined;
}

/**
 * Short text that tells accounts apart without revealing anything about them: 12 characters of base32. An account is
 * known by its credential, so another credential of the same account has another fingerprint. An organization is known
 * by its id, whoever asks.
 */
export function accountFingerprint({ baseUrl, apiKey, organizationId }: AccountScope): string {
  const { origin } = new URL(baseUrl);
  const owner = organizationId === undefined ? apiKey : `organization ${organizationId}`;
  return base32(createHash("sha256").update(`${origin}\n${owner}`).digest().subarray(0, 8));
}
