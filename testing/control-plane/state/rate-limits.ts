/** Requests per second on one route. Also the burst size. */
const perSecondDefault = 40;
/** Requests per minute of the account. Also the burst size. */
const perMinute = 700;

/** A token bucket that starts full and refills at a steady rate. */
class TokenBucket {
  private tokens: number;

  /**
   * @param size - Number of tokens that it holds. It starts full.
   * @param refillMs - Milliseconds in which an empty bucket fills up.
   * @param filledAt - Time on the clock's timeline.
   */
  constructor(
    private readonly size: number,
    private readonly refillMs: number,
    private filledAt: number,
  ) {
    this.tokens = size;
  }

  /** Whether a token is available now. */
  hasToken(now: number): boolean {
    this.tokens = Math.min(this.size, this.tokens + ((now - this.filledAt) * this.size) / this.refillMs);
    this.filledAt = now;
    return this.tokens >= 1;
  }

  take(): void {
    this.tokens -= 1;
  }
}

/** The rate limits that the public service documents, as token buckets: one for each route, and one for the account. */
export class RateLimits {
  private readonly routes = new Map<string, TokenBucket>();
  private account: TokenBucket | undefined;

  /**
   * Whether a request is within the limits. Only admitted requests count.
   * @param route - Name of its route.
   * @param now - Time on the clock's timeline.
   * @param perSecond - Requests per second on this route. @default 40
   */
  admits(route: string, now: number, perSecond = perSecondDefault): boolean {
    this.account ??= new TokenBucket(perMinute, 60_000, now);
    const bucket = this.routes.get(route) ?? new TokenBucket(perSecond, 1000, now);
    this.routes.set(route, bucket);
    const buckets = [bucket, this.account];
    if (!buckets.every((each) => each.hasToken(now))) return false;
    for (const each of buckets) each.take();
    return true;
  }
}
