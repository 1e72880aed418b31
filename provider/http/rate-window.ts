/** At most `limit` starts within any `windowMs` milliseconds. Times are monotonic. */
export class RateWindow {
  readonly #starts: number[] = [];
  #oldest = 0;

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  /** The earliest time for the next start; never before `now`. */
  next(now: number): number {
    const oldest = this.#starts[this.#oldest];
    return oldest === undefined ? now : Math.max(now, oldest + this.windowMs);
  }

  /** Notes a start. */
  started(at: number): void {
    this.#starts[this.#oldest] = at;
    this.#oldest = (this.#oldest + 1) % this.limit;
  }
}
