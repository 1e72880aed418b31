const CAPACITY = 500;
const COST = 14;
const THROTTLED_COST = 5;

/**
 * Tokens that all calls of an account share for their repeats: in a total outage the service gets few more requests
 * than there are calls, instead of every call's attempts. A repeat that leads to a success gives its tokens back.
 */
export class RetryBudget {
  #tokens = CAPACITY;

  /** Takes what a repeat costs; undefined if there is not enough left. */
  take(throttled: boolean): number | undefined {
    const cost = throttled ? THROTTLED_COST : COST;
    if (this.#tokens < cost) return undefined;
    this.#tokens -= cost;
    return cost;
  }

  /** Notes a success, with the tokens its last repeat has taken (0 if there was none). */
  success(taken: number): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + Math.max(1, taken));
  }
}
