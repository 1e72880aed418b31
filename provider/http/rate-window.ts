/** At most `limit` starts within any `windowMs` milliseconds, handed out in the order of asking. */
export class RateWindow {
  readonly #starts: number[] = [];
  #next = 0;

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
  ) {}

  /** Takes the next free start and returns it as time on the same monotonic clock; never before `now`. */
  reserve(now: number): number {
    const oldest = this.#starts[this.#next];
    const start = oldest === undefined ? now : Math.max(now, oldest + this.windowMs);
    this.#starts[this.#next] = start;
    this.#next = (this.#next + 1) % this.limit;
    return start;
  }
}
