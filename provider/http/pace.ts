import { AdaptiveLimit } from "./adaptive-limit";
import { RateWindow } from "./rate-window";

/**
 * The pace of one route: at most `perSecond` starts within any second, as fast as they come. When the service says "too
 * many" all the same, because others use the account too, starts are spread evenly, at a rate that follows what it bears.
 */
export class Pace {
  readonly #window: RateWindow;
  readonly #rate: AdaptiveLimit;
  #last = Number.NEGATIVE_INFINITY;

  /** @param windowMs how long a second is: a little more than the service's own */
  constructor(perSecond: number, windowMs: number) {
    this.#window = new RateWindow(perSecond, windowMs);
    // After "too many", the full rate is back in a few seconds.
    this.#rate = new AdaptiveLimit(perSecond, perSecond / 5);
  }

  /** The earliest time for the next start; never before `now`. Times are monotonic. */
  next(now: number): number {
    const { value, max } = this.#rate;
    const spread = value < max ? this.#last + 1000 / value : now;
    return Math.max(spread, this.#window.next(now));
  }

  /** Notes a start. */
  started(at: number): void {
    this.#last = at;
    this.#window.started(at);
  }

  /** Notes an answer that was no "too many". */
  succeeded(): void {
    this.#rate.succeeded();
  }

  /** Notes a "too many" for a request started at `startedAt`. */
  throttled(startedAt: number, now: number): void {
    this.#rate.throttled(startedAt, now);
  }
}
