import { createHash, timingSafeEqual } from "node:crypto";
import { keyDigest } from "./key-digest";
import { accountSetting } from "./text";

/** The settings of an account that its requests and waits use. */
export interface AccountSettings {
  /** Name of the account in `keyplane:accounts`. @default the account of `keyplane:apiKey` */
  readonly account?: string | undefined;
  /** Address of the control plane's API, e.g. `https://host/api/v2`: https, or http on this machine. */
  readonly baseUrl: string;
  /** The key that requests authenticate with: visible ASCII. Never printed. */
  readonly apiKey: string;
  /**
   * Every configured credential of any account, with the name of its setting. Their keys must not be revoked. Never
   * printed. @default only `apiKey`
   */
  readonly credentials?: readonly (readonly [setting: string, apiKey: string])[] | undefined;
  /** Maximum time without data from the service within one request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Time between two polls of an operation, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Maximum time to wait for operations, in milliseconds. */
  readonly operationTimeoutMs: number;
  /** Maximum number of requests in flight. */
  readonly concurrency: number;
  /** Maximum requests per second on one route. @default 40; see `requestsPerMinute` */
  readonly requestsPerSecond?: number | undefined;
  /**
   * Maximum requests per minute in total. If neither rate is given and the service is on this machine, both apply only
   * once it has answered most requests with "too many". @default 700
   */
  readonly requestsPerMinute?: number | undefined;
}

/**
 * Name of the setting that has a key's secret, for messages; `undefined` if keyplane does not authenticate with the key.
 * A sealed key is recognized by the public digest of its secret.
 */
export function settingOf(
  { account, apiKey, credentials = [] }: Pick<AccountSettings, "account" | "apiKey" | "credentials">,
  { key, digest }: { readonly key?: string | undefined; readonly digest?: string | undefined },
): string | undefined {
  const own = [[accountSetting("apiKey", account), apiKey] as const, ...credentials];
  const isSame = (credential: string) =>
    key === undefined ? digest !== undefined && keyDigest(credential) === digest : isSameText(credential, key);
  return own.find(([, credential]) => isSame(credential))?.[0];
}

/** Compares two secrets. The time that it takes says nothing about them. */
function isSameText(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}
