import { onAbort } from "../abort";

/** Limits requests in flight, in order of arrival: at most `max`, and fewer if the service answers "too many". */
export class Concurrency {
  readonly #limit: AdaptiveLimit;
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(max: number) {
    this.#limit = new AdaptiveLimit(max, 1);
  }

  /** Maximum number of requests in flight now. */
  get allowed(): number {
    return Math.floor(this.#limit.value);
  }

  /** Resolves when a slot is free; rejects with the signal's reason. Every success needs one `release`. */
  async acquire(signal: AbortSignal): Promise<void> {
    if (this.#running < this.allowed) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        undo();
        resolve();
      };
      const undo = onAbort(signal, () => {
        this.#queue.splice(this.#queue.indexOf(enter), 1);
        reject(signal.reason);
      });
      this.#queue.push(enter);
    });
  }

  /** Frees the slot. */
  release(): void {
    this.#running--;
    this.#admit();
  }

  /** Records an answer other than "too many". */
  succeeded(): void {
    this.#limit.succeeded();
    this.#admit();
  }

  /** Records a "too many" for a request started at `startedAt`. Times are monotonic. */
  throttled(startedAt: number, now: number): void {
    this.#limit.throttled(startedAt, now);
  }

  #admit(): void {
    while (this.#running < this.allowed) {
      const enter = this.#queue.shift();
      if (enter === undefined) return;
      this.#running++;
      enter();
    }
  }
}

/** The factor by which "too many" lowers a limit. */
const DECREASE = 0.7;

/**
 * A limit that adapts to the service: "too many" lowers it by a factor, and each success raises it a little (additive
 * increase, multiplicative decrease). Processes that share a service converge to equal shares.
 */
export class AdaptiveLimit {
  #value: number;
  #loweredAt = Number.NEGATIVE_INFINITY;

  /**
   * @param max the initial and maximum limit
   * @param step how much the limit rises after as many successes as the limit allows
   */
  constructor(
    readonly max: number,
    private readonly step: number,
  ) {
    this.#value = max;
  }

  /** The current limit: at least 1, so that requests always continue. */
  get value(): number {
    return this.#value;
  }

  /** Records an answer other than "too many". */
  succeeded(): void {
    this.#value = Math.min(this.max, this.#value + this.step / this.#value);
  }

  /** Records a "too many" for a request started at `startedAt`. Concurrent ones count once. Times are monotonic. */
  throttled(startedAt: number, now: number): void {
    if (startedAt < this.#loweredAt) return;
    this.#loweredAt = now;
    this.#value = Math.max(1, this.#value * DECREASE);
  }
}
