/** Factor for the refill rate of the service's bucket: requests may arrive closer together than they are sent. */
const SLACK = 0.99;
/** The share of its rate that a route keeps after "too many", and the time in which a rate of nothing would rise to the whole one. */
const KEPT = 1 / 2;
const RISE_MS = 30_000;

/**
 * The pace of one route. The service limits the route with a token bucket, which allows a second's requests at once. "Too
 * many" means that others use the account, too: it halves the rate, which then rises again. Times are monotonic.
 */
export class Pace {
  readonly #bucket: TokenBucket;
  /** The share of the whole rate after the last "too many", and its time. */
  #share = 1;
  #cutAt = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(private readonly perSecond: number) {
    this.#bucket = new TokenBucket(perSecond);
  }

  /** The earliest time for the next start; never before `now`. */
  next(now: number): number {
    const share = this.#shareAt(now);
    const even = share < 1 ? this.#last + 1000 / (this.perSecond * share) : now;
    return Math.max(even, this.#bucket.next(now));
  }

  started(at: number): void {
    this.#last = at;
    this.#bucket.started(at);
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

/** A token bucket of a second's requests, which refills at a steady rate. Each start takes one token. Times are monotonic. */
class TokenBucket {
  /** Time at which the bucket is full again. */
  #fullAt = Number.NEGATIVE_INFINITY;

  /** @param perSecond number of tokens added per second, and of requests that can start at once */
  constructor(private readonly perSecond: number) {}

  /** The earliest time for the next start; never before `now`. */
  next(now: number): number {
    return Math.max(now, this.#fullAt - (this.perSecond - 1) * this.#intervalMs);
  }

  started(at: number): void {
    this.#fullAt = Math.max(this.#fullAt, at) + this.#intervalMs;
  }

  get #intervalMs(): number {
    return 1000 / (this.perSecond * SLACK);
  }
}
