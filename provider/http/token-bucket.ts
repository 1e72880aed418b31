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
