import { onAbort } from "../abort-signals";
import { AimdLimit } from "./aimd-limit";

/** The factor by which "too many" lowers the limit. */
const DECREASE = 0.7;

/** Limits requests in flight, in order of arrival: at most `max`, and fewer if the service answers "too many". */
export class Concurrency extends AimdLimit {
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(max: number) {
    super(max, DECREASE, () => 1);
  }

  /** Maximum number of requests in flight now. */
  get allowed(): number {
    return Math.floor(this.value);
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

  release(): void {
    this.#running--;
    this.#admit();
  }

  override succeeded(now: number): void {
    super.succeeded(now);
    this.#admit();
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
