import { AimdLimit } from "./aimd-limit";

/** Factor for the service's refill rate: requests may arrive closer together than they are sent. */
const SLACK = 0.99;
/** Share of a second's requests that may start at once. */
const AT_ONCE = 1 / 4;
/**
 * How much faster than the refill rate later requests start, while the service's bucket is not empty. Simulated with
 * round trips of 20 and 100 ms: with the whole bucket at once, 60 keys take 0.5 s instead of 1.1 s, but two processes
 * that begin together with 200 keys each get 40 and 43 refusals instead of 2 and 6. With a factor of 2, 60 keys take
 * 0.6 s, and the two get 3 and 14. They finish no earlier, and in the benchmark both miss the targets of `paced-two`.
 */
const REFILL_FACTOR = 1.16;
/** The factor by which "too many" lowers the rate. */
const DECREASE = 0.35;
/** How fast the rate rises again: in each second, by this share of the full rate times the seconds since then. */
const INCREASE = 1 / 130;
/** Pause after "too many", in milliseconds. Meanwhile the service's bucket refills a little. */
const REST_MS = 300;

/**
 * The pace of one route. The service limits the route with a token bucket, which allows a second's requests at once.
 * Starting them all at once would leave no time to notice another process that does the same. So a quarter of them
 * starts at once, and the others follow evenly, a little faster than the bucket refills. From about 200 requests on, all
 * together take no longer.
 *
 * "Too many" means that others use the account, too. The rate then falls, and rises again with the time without a
 * refusal: slowly at first, so that the processes keep their shares. Times are monotonic.
 */
export class Pace extends AimdLimit {
  readonly #service: TokenBucket;
  readonly #start: TokenBucket;
  #last = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number) {
    super(perSecond * REFILL_FACTOR, DECREASE, (seconds) => perSecond * INCREASE * seconds);
    this.#service = new TokenBucket(perSecond, perSecond * SLACK);
    this.#start = new TokenBucket(Math.max(1, perSecond * AT_ONCE), this.max);
  }

  /** The earliest time for the next start; never before `now`. */
  next(now: number): number {
    const { value, max, loweredAt } = this;
    const even = value < max ? this.#last + 1000 / value : this.#start.next(now);
    return Math.max(even, loweredAt + REST_MS, this.#service.next(now));
  }

  started(at: number): void {
    this.#last = at;
    this.#service.started(at);
    this.#start.started(at);
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
