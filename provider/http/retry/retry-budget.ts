import { isBusy, isBusyButWorking } from "../statuses";

const CAPACITY = 500;
const COST = 14;
/** Cost after "unavailable", which says that nothing was done, but may also be an outage. */
const UNAVAILABLE_COST = 10;
/** Cost after "too many" or "locked", which only a working service answers. */
const THROTTLED_COST = 5;

/**
 * Tokens for retries, which all calls of an account share. In a total outage, the service gets only a few requests more
 * than there are calls. A successful retry returns its tokens.
 */
export class RetryBudget {
  #tokens = CAPACITY;

  /** Takes the cost of a retry after this status, or after no answer. Returns undefined if too few tokens are left. */
  take(status: number | undefined): number | undefined {
    const cost = costAfter(status);
    if (this.#tokens < cost) return undefined;
    this.#tokens -= cost;
    return cost;
  }

  /** Records a success, with the tokens that its last retry took (0 if there was none). */
  success(taken: number): void {
    this.#tokens = Math.min(CAPACITY, this.#tokens + Math.max(1, taken));
  }
}

function costAfter(status: number | undefined): number {
  if (!isBusy(status)) return COST;
  return isBusyButWorking(status) ? THROTTLED_COST : UNAVAILABLE_COST;
}
