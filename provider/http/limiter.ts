import type { Clock } from "./clock";
import { Concurrency } from "./concurrency";
import { RateWindow } from "./rate-window";

/** Requests per second and route, where the caller knows no other limit. */
const PER_ROUTE = 40;
/** Requests per minute in all. */
const PER_MINUTE = 700;

/** Keeps an account within the service's known limits; all requests of the account pass through one. */
export class Limiter {
  readonly #concurrency: Concurrency;
  readonly #routes = new Map<string, RateWindow>();
  readonly #total: RateWindow | undefined;

  /** @param rates whether the limits per second and minute apply; the one in flight always does */
  constructor(
    concurrency: number,
    rates: boolean,
    private readonly clock: Clock,
  ) {
    this.#concurrency = new Concurrency(concurrency);
    this.#total = rates ? new RateWindow(PER_MINUTE, 60_000) : undefined;
  }

  /**
   * Resolves when the request may go; rejects when the signal fires. Every success needs one `leave`.
   * @param perSecond most requests of this route per second; the same in each call
   */
  async enter(route: string, signal: AbortSignal, perSecond = PER_ROUTE): Promise<void> {
    if (this.#total !== undefined) {
      const now = this.clock.monotonic();
      const start = Math.max(this.#window(route, perSecond).reserve(now), this.#total.reserve(now));
      if (start > now) await this.clock.sleep(start - now, signal);
    }
    await this.#concurrency.enter(signal);
  }

  /** Frees the place of a request started at `startedAt` (monotonic). */
  leave(startedAt: number, tooMany: boolean): void {
    if (tooMany) this.#concurrency.throttled(startedAt, this.clock.monotonic());
    else this.#concurrency.succeeded();
    this.#concurrency.leave();
  }

  #window(route: string, perSecond: number): RateWindow {
    let window = this.#routes.get(route);
    if (window === undefined) {
      window = new RateWindow(perSecond, 1000);
      this.#routes.set(route, window);
    }
    return window;
  }
}
