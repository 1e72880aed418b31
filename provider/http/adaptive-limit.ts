/** What is left of a limit after the service has said "too many". */
const DECREASE = 0.7;

/**
 * A limit that follows what the service bears: "too many" lowers it by a share, each success raises it a little
 * (additive increase, multiplicative decrease). All who share a service so come to equal parts of what it bears.
 */
export class AdaptiveLimit {
  #value: number;
  #loweredAt = Number.NEGATIVE_INFINITY;

  /**
   * @param max the limit at first, and the highest it can be
   * @param step by how much as many successes as the limit allows raise it
   */
  constructor(
    readonly max: number,
    private readonly step: number,
  ) {
    this.#value = max;
  }

  /** The limit now: at least 1, so that something always goes on. */
  get value(): number {
    return this.#value;
  }

  /** Notes an answer other than "too many". */
  succeeded(): void {
    this.#value = Math.min(this.max, this.#value + this.step / this.#value);
  }

  /** Notes a "too many" for a request started at `startedAt`; one volley of them counts once. Times are monotonic. */
  throttled(startedAt: number, now: number): void {
    if (startedAt < this.#loweredAt) return;
    this.#loweredAt = now;
    this.#value = Math.max(1, this.#value * DECREASE);
  }
}
