const CAPACITY = 500;
const COST = 14;
/** After "unavailable", which says that nothing was done, but is also what an outage looks like. */
const UNAVAILABLE_COST = 10;
/** After "too many" or "locked", which only a service at work says. */
const THROTTLED_COST = 5;

/**
 * Tokens that all calls of an account share for their repeats: in a total outage the service gets few more requests
 * than there are calls, instead of every call's attempts. A repeat that leads to a success gives its tokens back.
 */
export class RetryBudget {
  #tokens = CAPACITY;

  /** Takes what a repeat after this status, or after no answer, costs; undefined if there is not enough left. */
  take(status: number | undefined): number | undefined {
    const cost = costAfter(status);
    if (this.#tokens < cost) return undefined;
    this.#tokens -= cost;
    return cost;
  }

  /** Notes a success, with the tokens its last repeat has taken (0 if there was none). */
  success(taken: number): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + Math.max(1, taken));
  }
}

function costAfter(status: number | undefined): number {
  if (status === 423 || status === 429) return THROTTLED_COST;
  return status === 503 ? UNAVAILABLE_COST : COST;
}
