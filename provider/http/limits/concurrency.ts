import { onAbort } from "../abort";

/** Requests in flight, in the order of asking: at most `max`, and fewer where the service says "too many". */
export class Concurrency {
  readonly #limit: AdaptiveLimit;
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(max: number) {
    this.#limit = new AdaptiveLimit(max, 1);
  }

  /** How many requests may be in flight now. */
  get allowed(): number {
    return Math.floor(this.#limit.value);
  }

  /** Resolves when a place is free; rejects with the signal's reason. Every success needs one `release`. */
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

  /** Frees the place. */
  release(): void {
    this.#running--;
    this.#admit();
  }

  /** Notes an answer that was no "too many". */
  succeeded(): void {
    this.#limit.succeeded();
    this.#admit();
  }

  /** Notes a "too many" for a request started at `startedAt`. Times are monotonic. */
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
