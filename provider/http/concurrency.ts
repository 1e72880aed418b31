import { onAbort } from "./on-abort";

/**
 * Requests in flight, at most `max`. The service's "too many" halves what is allowed, every success adds a little
 * (additive increase, multiplicative decrease), so that many callers settle at what the service bears.
 */
export class Concurrency {
  #allowed: number;
  #running = 0;
  #reducedAt = Number.NEGATIVE_INFINITY;
  readonly #queue: (() => void)[] = [];

  constructor(private readonly max: number) {
    this.#allowed = max;
  }

  /** How many requests may be in flight now. */
  get allowed(): number {
    return Math.floor(this.#allowed);
  }

  /** Resolves when a place is free; rejects with the signal's reason. Every success needs one `leave`. */
  async enter(signal: AbortSignal): Promise<void> {
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
  leave(): void {
    this.#running--;
    this.#admit();
  }

  /** Notes an answer that was no "too many". */
  succeeded(): void {
    this.#allowed = Math.min(this.max, this.#allowed + 1 / this.#allowed);
    this.#admit();
  }

  /** Notes a "too many" for a request started at `startedAt`; one volley of them counts once. Times are monotonic. */
  throttled(startedAt: number, now: number): void {
    if (startedAt < this.#reducedAt) return;
    this.#reducedAt = now;
    this.#allowed = Math.max(1, this.#allowed / 2);
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
