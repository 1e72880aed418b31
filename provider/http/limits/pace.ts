/** Factor for the service's refill rate: requests may arrive closer together than they are sent. */
const SLACK = 0.99;
/**
 * The share of a second's requests that starts at once, and how much faster than the service's bucket refills the others
 * follow, as long as it is not empty. Starting all at once would leave no time to notice another process that does the
 * same: two that begin together with 200 keys each would get 40 refusals instead of 3.
 */
const AT_ONCE = 1 / 4;
const FASTER = 1.16;
/** Pause after "too many", in milliseconds. Meanwhile the service's bucket refills a little. */
const REST_MS = 300;
/**
 * The share of its rate that a route keeps after "too many", and the time in which a rate of nothing would rise to the
 * whole one, in milliseconds. With half of the rate, two processes with 200 keys each get 5 refusals instead of 3.
 */
const KEPT = 1 / 3;
const RISE_MS = 40_000;

/**
 * The pace of one route. The service limits the route with a token bucket, which allows a second's requests at once.
 * "Too many" means that others use the account, too: it cuts the rate to a third, which then rises again. Times are monotonic.
 */
export class Pace {
  readonly #buckets: readonly TokenBucket[];
  readonly #perSecond: number;
  /** The share of the whole rate after the last "too many", and its time. */
  #share = 1;
  #cutAt = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number) {
    this.#perSecond = perSecond * FASTER;
    this.#buckets = [
      new TokenBucket(perSecond, perSecond * SLACK),
      new TokenBucket(Math.max(1, perSecond * AT_ONCE), this.#perSecond),
    ];
  }

  /** The earliest time for the next start; never before `now`. */
  next(now: number): number {
    const share = this.#shareAt(now);
    const even = share < 1 ? this.#last + 1000 / (this.#perSecond * share) : now;
    return Math.max(even, this.#cutAt + REST_MS, ...this.#buckets.map((each) => each.next(now)));
  }

  started(at: number): void {
    this.#last = at;
    for (const each of this.#buckets) each.started(at);
  }

  /** Records a "too many" for a request started at `startedAt`. Concurrent ones count once. */
  tooMany(startedAt: number, now: number): void {
    if (startedAt < this.#cutAt) return;
    this.#share = this.#shareAt(now) * KEPT;
    this.#cutAt = now;
  }

  #shareAt(now: number): number {
    return Math.min(1, this.#share + (now - this.#cutAt) / RISE_MS);
  }
}

/** A token bucket that refills at a steady rate. Each start takes one token. Times are monotonic. */
export class TokenBucket {
  /** Time at which the bucket is full again. */
  #fullAt = Number.NEGATIVE_INFINITY;

  /**
   * @param size maximum number of tokens, and so of requests that can start at once
   * @param perSecond number of tokens added per second
   */
  constructor(
    private readonly size: number,
    private readonly perSecond: number,
  ) {}

  /** The earliest time for the next start; never before `now`. */
  next(now: number): number {
    return Math.max(now, this.#fullAt - (this.size - 1) * this.#intervalMs);
  }

  started(at: number): void {
    this.#fullAt = Math.max(this.#fullAt, at) + this.#intervalMs;
  }

  get #intervalMs(): number {
    return 1000 / this.perSecond;
  }
}
