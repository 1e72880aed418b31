/** Requests per second on one route; also how many may come at once. */
const perSecondDefault = 40;
/** Requests per minute of the account; also how many may come at once. */
const perMinute = 700;

/** Tokens that come back at a steady rate, up to as many as there were at first. */
class TokenBucket {
  private tokens: number;

  /**
   * @param size - How many tokens it holds; it is full at first.
   * @param refillMs - Milliseconds in which an empty bucket fills up.
   * @param filledAt - Moment of the clock's timeline.
   */
  constructor(
    private readonly size: number,
    private readonly refillMs: number,
    private filledAt: number,
  ) {
    this.tokens = size;
  }

  /** Whether there is a token at this moment. */
  hasToken(now: number): boolean {
    this.tokens = Math.min(this.size, this.tokens + ((now - this.filledAt) * this.size) / this.refillMs);
    this.filledAt = now;
    return this.tokens >= 1;
  }

  take(): void {
    this.tokens -= 1;
  }
}

/** The limits that the public service documents, as token buckets: one for each route, and one for the account. */
export class RateLimits {
  private readonly routes = new Map<string, TokenBucket>();
  private account: TokenBucket | undefined;

  /**
   * Whether a request is within the limits; only then it counts.
   * @param route - Name of its route.
   * @param now - Moment of the clock's timeline.
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
