/** By how much the service's bucket is taken to fill more slowly: requests may come closer than they are sent. */
const SLACK = 0.99;
/** Share of a second's requests that may start at once. */
const AT_ONCE = 1 / 4;
/** How much faster than the service's bucket fills the requests after those start, while it is not empty. */
const HASTE = 1.16;
/** What is left of the rate after the service has said "too many". */
const DECREASE = 0.35;
/** How fast the rate rises again: by this share of the full rate, times the seconds since then, in each second. */
const INCREASE = 1 / 130;
/** How long nothing starts after "too many", in milliseconds. Meanwhile the service's bucket fills a little. */
const REST_MS = 300;

/**
 * The pace of one route. The service has a token bucket for it, which allows a second's requests at once. To start them
 * all at once would leave no time to notice another process that does the same. So a quarter of them starts at once, and
 * the others follow evenly, a little faster than the bucket fills: the whole takes no longer.
 *
 * "Too many" says that others use the account, too. The rate falls, and rises again with the time without a refusal:
 * slowly at first, so that the processes keep the shares that they have found. Times are monotonic.
 */
export class Pace {
  readonly #service: TokenBucket;
  readonly #start: TokenBucket;
  readonly #max: number;
  #rate: number;
  #last = Number.NEGATIVE_INFINITY;
  #loweredAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly perSecond: number) {
    this.#max = perSecond * HASTE;
    this.#rate = this.#max;
    this.#service = new TokenBucket(perSecond, perSecond * SLACK);
    this.#start = new TokenBucket(Math.max(1, perSecond * AT_ONCE), this.#max);
  }

  /** The earliest time for the next start; never before `now`. */
  next(now: number): number {
    const even = this.#rate < this.#max ? this.#last + 1000 / this.#rate : this.#start.next(now);
    return Math.max(even, this.#loweredAt + REST_MS, this.#service.next(now));
  }

  /** Notes a start. */
  started(at: number): void {
    this.#last = at;
    this.#service.started(at);
    this.#start.started(at);
  }

  /** Notes an answer that was no "too many". */
  succeeded(now: number): void {
    if (this.#rate === this.#max) return;
    const seconds = (now - this.#loweredAt) / 1000;
    this.#rate = Math.min(this.#max, this.#rate + (this.perSecond * INCREASE * seconds) / this.#rate);
  }

  /** Notes a "too many" for a request started at `startedAt`; a volley of them counts once. */
  throttled(startedAt: number, now: number): void {
    if (startedAt < this.#loweredAt) return;
    this.#loweredAt = now;
    this.#rate = Math.max(1, this.#rate * DECREASE);
  }
}

/** Tokens that come back at a steady rate, up to a number of them. Each start takes one. Times are monotonic. */
export class TokenBucket {
  /** When the bucket is full again. */
  #fullAt = Number.NEGATIVE_INFINITY;

  /**
   * @param size most tokens: so many can start at once
   * @param perSecond how many tokens come back in a second
   */
  constructor(
    private readonly size: number,
    private readonly perSecond: number,
  ) {}

  /** The earliest time for the next start; never before `now`. */
  next(now: number): number {
    return Math.max(now, this.#fullAt - (this.size - 1) * this.#intervalMs);
  }

  /** Notes a start. */
  started(at: number): void {
    this.#fullAt = Math.max(this.#fullAt, at) + this.#intervalMs;
  }

  get #intervalMs(): number {
    return 1000 / this.perSecond;
  }
}
