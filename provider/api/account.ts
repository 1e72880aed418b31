import { createHash, timingSafeEqual } from "node:crypto";
import { accountSetting } from "../errors";
import { type Clock, type HttpAnswer, HttpClient, type Retry, systemClock } from "../http";
import { conceal, redact } from "../secrets";
import { Keys } from "./keys/api-keys";
import { type KeyList, keyListOf } from "./keys/key-list";
import { Operations } from "./operations/operations";
import { Projects } from "./projects/projects";

/** What an account needs to be talked to. */
export interface AccountOptions {
  /** Name of the account in `keyplane:accounts`. @default the account of `keyplane:apiKey` */
  readonly account?: string | undefined;
  /** Address of the control plane's API, e.g. `https://host/api/v2`: https, or http on this machine. */
  readonly baseUrl: string;
  /** The key that requests authenticate with. */
  readonly apiKey: string;
  /** Credentials whose keys must not be revoked, each with the name of its setting. @default `apiKey` alone */
  readonly credentials?: readonly (readonly [setting: string, apiKey: string])[] | undefined;
  /** Longest silence of the service within one request, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Time between two looks at an operation, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Longest wait for operations, in milliseconds. */
  readonly operationTimeoutMs: number;
  /** Most requests in flight. */
  readonly concurrency: number;
  /** Most requests per second on one route. @default what the service documents, where it is not on this machine */
  readonly requestsPerSecond?: number | undefined;
  /** Most requests per minute in all. @default what the service documents, where it is not on this machine */
  readonly requestsPerMinute?: number | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** In [0, 1), for jitter. @default Math.random */
  readonly random?: () => number;
}

/**
 * One credential at one service, with all that its users in this process share: connections, limits, the budget of
 * repeats, reads and waits.
 */
export class Account {
  static readonly #accounts = new Map<string, Account[]>();

  /** The account's own keys. */
  readonly keys: Keys;
  readonly projects: Projects;
  readonly operations: Operations;
  /** Called with non-fatal warnings; may be set at any time. */
  onWarning: ((message: string) => void) | undefined;
  /** Told each time a request is to be sent again; may be set at any time. */
  onRetry: ((retry: Retry) => void) | undefined;
  readonly #options: AccountOptions;
  readonly #clock: Clock;
  readonly #http: HttpClient;
  readonly #keys = new Map<string | undefined, Keys>();
  readonly #keysIn: (list: KeyList) => Keys;
  /** Digests of the credentials whose keys must not be revoked, each with the name of its setting. */
  readonly #ownCredentials: readonly { readonly setting: string; readonly digest: Buffer }[];
  #skewMs: number | undefined;

  /**
   * The account of these options, made at the first call and the same ever after. Sends nothing.
   * Throws a `ConfigError` if the base URL or the key cannot be used.
   */
  static for(options: AccountOptions): Account {
    const { clock, random, ...plain } = options;
    const same = Account.#accounts.get(JSON.stringify(plain)) ?? [];
    let account = same.find((each) => each.#options.clock === clock && each.#options.random === random);
    if (account === undefined) {
      account = new Account(options);
      Account.#accounts.set(JSON.stringify(plain), [...same, account]);
    }
    return account;
  }

  private constructor(options: AccountOptions) {
    this.#options = options;
    const clock = options.clock ?? systemClock;
    const random = options.random ?? Math.random;
    const http = new HttpClient({ ...options, clock, random, onRetry: (retry) => this.onRetry?.(retry) });
    const { apiKey, credentials = [] } = options;
    for (const [, credential] of credentials) conceal(credential);
    const own = [[this.setting("apiKey"), apiKey] as const, ...credentials];
    this.#ownCredentials = own.map(([setting, credential]) => ({ setting, digest: digestOf(credential) }));
    const onAnswer = (answer: HttpAnswer) => this.#learnSkew(answer);
    const warn = (message: string) => this.onWarning?.(redact(message));
    this.#clock = clock;
    this.#http = http;
    this.#keysIn = (list) => new Keys(list, http, clock, onAnswer, warn);
    this.keys = this.keysOf(undefined);
    this.projects = new Projects(http, onAnswer, warn);
    this.operations = new Operations(http, {
      ...options,
      clock,
      random,
      onAnswer: onAnswer,
      warn,
      serviceNow: () => this.serviceNow(),
    });
  }

  /** The keys of an organization, with those limited to its projects; the account's own where none is named. */
  keysOf(organizationId: string | undefined): Keys {
    let keys = this.#keys.get(organizationId);
    if (keys === undefined) {
      keys = this.#keysIn(keyListOf(organizationId));
      this.#keys.set(organizationId, keys);
    }
    return keys;
  }

  /** The setting that leads to this account, as messages name it. */
  setting(member: "baseUrl" | "apiKey"): string {
    return accountSetting(member, this.#options.account);
  }

  /** The local wall clock, in milliseconds. */
  now(): number {
    return this.#clock.now();
  }

  /** How far the service's clock is ahead of the local one, in milliseconds; undefined before the first answer. */
  get skewMs(): number | undefined {
    return this.#skewMs;
  }

  /** The service's wall clock as far as it is known, in milliseconds. */
  serviceNow(): number {
    return this.#clock.now() + (this.#skewMs ?? 0);
  }

  /** Waits, on the account's clock; ends with the signal or with the account. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#http.sleep(ms, signal);
  }

  /** The setting that holds this secret as a credential of keyplane itself, as messages name it. */
  settingOf(secret: string): string | undefined {
    const wanted = digestOf(secret);
    return this.#ownCredentials.find(({ digest }) => timingSafeEqual(wanted, digest))?.setting;
  }

  /** Ends every wait, sleep and read; nothing is sent afterwards. A change that was sent is finished. */
  abort(reason: Error): void {
    this.#http.abort(reason);
  }

  #learnSkew({ date, sentAt }: HttpAnswer): void {
    if (date === undefined) return;
    // The header shows whole seconds, of a moment between sending and now.
    const earliest = date - this.#clock.now();
    const latest = date + 1000 - sentAt;
    if (earliest <= 0 && latest >= 0) this.#skewMs = 0;
    else this.#skewMs = Math.round((earliest + latest) / 2);
  }
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
