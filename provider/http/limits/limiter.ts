import { type AccountSettings, DOCUMENTED_RATES } from "../../account-settings";
import type { BaseUrl } from "../../base-url";
import { getOrCreate } from "../../get-or-create";
import type { Clock } from "../clock";
import { Pace } from "./pace";
import { Slots } from "./slots";

/** Added to the service's minute, in milliseconds: requests may arrive closer together than they are sent. */
const SLACK_MS = 10;
/** Approximate number of answers over which the share of "too many" is measured. */
const RECENT = 16;

/** The settings of an account that limit its requests, and whether its service is on this machine. */
export type Limits = Pick<AccountSettings, "concurrency" | "requestsPerSecond" | "requestsPerMinute"> &
  Pick<BaseUrl, "loopback">;

interface Route {
  /** One slot: the request that has it starts next. */
  readonly line: Slots;
  readonly pace: Pace;
}

/** Keeps an account within the service's limits. All requests of the account use the same limiter. */
export class Limiter {
  readonly #inFlight: Slots;
  readonly #routes = new Map<string, Route>();
  readonly #total: RateWindow;
  readonly #perSecond: number;
  /**
   * Whether the service is known to limit rates. If not, rates apply only once the service has answered most recent
   * requests with "too many".
   */
  #ratesApply: boolean;
  /** Share of "too many" among the recent answers. */
  #refused = 0;

  constructor(
    { concurrency, requestsPerSecond, requestsPerMinute, loopback }: Limits,
    private readonly clock: Clock,
  ) {
    this.#inFlight = new Slots(concurrency);
    this.#perSecond = requestsPerSecond ?? DOCUMENTED_RATES.perSecond;
    this.#total = new RateWindow(requestsPerMinute ?? DOCUMENTED_RATES.perMinute, 60_000 + SLACK_MS);
    this.#ratesApply = !loopback || requestsPerSecond !== undefined || requestsPerMinute !== undefined;
  }

  /**
   * Resolves when the request may start; rejects when the signal fires. Every success needs one `release`.
   * @param perSecond maximum requests of this route per second, if lower than usual; the same in each call
   */
  async acquire(route: string, signal: AbortSignal, perSecond?: number): Promise<void> {
    const { line, pace } = this.#route(route, perSecond);
    await line.acquire(signal);
    try {
      await this.#turn(pace, signal);
      await this.#inFlight.acquire(signal);
    } finally {
      line.release();
    }
  }

  /** Frees the slot of a request started at `startedAt` (monotonic), and slows its route down if it got "too many". */
  release(route: string, startedAt: number, { tooMany }: { readonly tooMany: boolean }): void {
    this.#refused += ((tooMany ? 1 : 0) - this.#refused) / RECENT;
    if (tooMany && this.#ratesApply) this.#route(route).pace.tooMany(startedAt, this.clock.monotonic());
    this.#ratesApply ||= this.#refused > 0.5;
    this.#inFlight.release();
  }

  /** Waits until the next request of a route may start, if rates apply, and records its start. */
  async #turn(pace: Pace, signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = this.clock.monotonic();
      const at = this.#ratesApply ? Math.max(pace.next(now), this.#total.next(now)) : now;
      if (at <= now) {
        pace.started(now);
        this.#total.started(now);
        return;
      }
      await this.clock.sleep(at - now, signal);
    }
  }

  #route(name: string, perSecond = this.#perSecond): Route {
    return getOrCreate(this.#routes, name, () => ({
      line: new Slots(1),
      pace: new Pace(Math.min(perSecond, this.#perSecond)),
    }));
  }
}

/** Allows at most `limit` starts within any `windowMs` milliseconds. Times are monotonic. */
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

  started(at: number): void {
    this.#starts[this.#oldest] = at;
    this.#oldest = (this.#oldest + 1) % this.limit;
  }
}
