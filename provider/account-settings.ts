/** The rates that the public service documents: requests per second on one route, and per minute in total. */
export const DOCUMENTED_RATES = { perSecond: 40, perMinute: 700 } as const;

/** The settings of an account that its requests and waits use. */
export interface AccountSettings {
  /** Name of the account in `keyplane:accounts`. @default the account of `keyplane:apiKey` */
  readonly account?: string | undefined;
  /** Address of the control plane's API, e.g. `https://host/api/v2`: https, or http on this machine. */
  readonly baseUrl: string;
  /** The key that requests authenticate with: visible ASCII. Never printed. */
  readonly apiKey: string;
  /** Where `apiKey` is set, which the message of a 401 names. @default unknown */
  readonly apiKeyFrom?: "config" | "environment" | undefined;
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
  /** Maximum requests per second on one route. @default that of `DOCUMENTED_RATES`; see `requestsPerMinute` */
  readonly requestsPerSecond?: number | undefined;
  /**
   * Maximum requests per minute in total. If neither rate is given and the service is on this machine, both apply only
   * once it has answered most requests with "too many". @default that of `DOCUMENTED_RATES`
   */
  readonly requestsPerMinute?: number | undefined;
}
