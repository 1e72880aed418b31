import { AdaptiveLimit } from "./adaptive-limit";
import { onAbort } from "./on-abort";

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
