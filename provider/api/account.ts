import type { AccountSettings } from "../account-settings";
import { getOrCreate } from "../get-or-create";
import { type Clock, type HttpAnswer, HttpClient, type Retry, systemClock } from "../http";
import { conceal } from "../secrets";
import { toMessage } from "../text";
import { Keys } from "./keys/api-keys";
import { keyEndpointOf } from "./keys/key-endpoint";
import { Operations } from "./operations/operations";
import { Projects } from "./projects/projects";

export interface AccountOptions extends AccountSettings {
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** In [0, 1), for jitter. @default Math.random */
  readonly random?: () => number;
}

/**
 * One credential for one service. Its users in this process share connections, limits, the retry budget, reads and
 * waits.
 */
export class Account {
  static readonly #accounts = new Map<string, Account[]>();

  /** The account's own keys. */
  readonly keys: Keys;
  readonly projects: Projects;
  readonly operations: Operations;
  /** Called with non-fatal warnings. Can be set at any time. */
  onWarning: ((message: string) => void) | undefined;
  /** Called before each retry of a request. Can be set at any time. */
  onRetry: ((retry: Retry) => void) | undefined;
  readonly #options: AccountOptions;
  readonly #clock: Clock;
  readonly #http: HttpClient;
  readonly #keys = new Map<string | undefined, Keys>();
  readonly #warn = (message: string) => this.onWarning?.(toMessage(message));
  #skewMs: number | undefined;

  /**
   * Returns the account for these options: always the same one for the same options. Sends nothing.
   * Throws a `ConfigError` if the base URL or the key is invalid.
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
    const onAnswer = (answer: HttpAnswer) => this.#learnSkew(answer);
    const onRetry = (retry: Retry) => this.onRetry?.(retry);
    const http = new HttpClient({ ...options, clock, random, onAnswer, onRetry });
    for (const [, credential] of options.credentials ?? []) conceal(credential);
    this.#clock = clock;
    this.#http = http;
    this.keys = this.keysOf(undefined);
    this.projects = new Projects(http, this.#warn);
    this.operations = new Operations(http, {
      ...options,
      clock,
      random,
      warn: this.#warn,
      serviceNow: () => this.serviceNow(),
    });
  }

  /** The keys of an organization, including keys limited to its projects; by default, the account's own keys. */
  keysOf(organizationId: string | undefined): Keys {
    const open = () => new Keys(keyEndpointOf(organizationId), this.#http, this.#clock, this.#warn);
    return getOrCreate(this.#keys, organizationId, open);
  }

  /** The local wall clock, in milliseconds. */
  now(): number {
    return this.#clock.now();
  }

  /** How far the service's clock is ahead of the local one, in milliseconds; undefined before the first answer. */
  get skewMs(): number | undefined {
    return this.#skewMs;
  }

  /** The service's wall clock, in milliseconds; the local clock before the first answer. */
  serviceNow(): number {
    return this.#clock.now() + (this.#skewMs ?? 0);
  }

  /** Waits on the account's clock. Rejects when the signal fires or the account is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#http.sleep(ms, signal);
  }

  /** Ends every wait, sleep and read. Nothing is sent afterwards; see `HttpClient.abort` for what was already sent. */
  abort(reason: Error): void {
    this.#http.abort(reason);
  }

  #learnSkew({ date, sentAt }: HttpAnswer): void {
    if (date === undefined) return;
    // The header has whole seconds, of a moment between sending and now.
    const earliest = date - this.#clock.now();
    const latest = date + 1000 - sentAt;
    if (earliest <= 0 && latest >= 0) this.#skewMs = 0;
    else this.#skewMs = Math.round((earliest + latest) / 2);
  }
}
