/**
 * A limit with additive increase and multiplicative decrease (AIMD): "too many" lowers it by a factor, and each success raises
 * it a little. Processes that share a service converge to equal shares. Times are monotonic.
 */
export class AimdLimit {
  #value: number;
  protected loweredAt = Number.NEGATIVE_INFINITY;

  /**
   * @param max the initial and maximum limit
   * @param decrease the factor by which "too many" lowers the limit
   * @param step how much the limit rises after as many successes as the limit allows, so many seconds after it was lowered
   */
  constructor(
    readonly max: number,
    private readonly decrease: number,
    private readonly step: (seconds: number) => number,
  ) {
    this.#value = max;
  }

  /** The current limit: at least 1, so that requests always continue. */
  get value(): number {
    return this.#value;
  }

  /** Records an answer other than "too many". */
  succeeded(now: number): void {
    if (this.#value === this.max) return;
    const step = this.step((now - this.loweredAt) / 1000);
    this.#value = Math.min(this.max, this.#value + step / this.#value);
  }

  /** Records a "too many" for a request started at `startedAt`. Concurrent ones count once. */
  throttled(startedAt: number, now: number): void {
    if (startedAt < this.loweredAt) return;
    this.loweredAt = now;
    this.#value = Math.max(1, this.#value * this.decrease);
  }
}
