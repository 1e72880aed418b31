import { onAbort } from "../abort-signals";

/** A number of slots, which are taken in order of arrival. */
export class Slots {
  #free: number;
  readonly #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when a slot is free; rejects with the signal's reason. Every success needs one `release`. */
  async acquire(signal: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
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
    const enter = this.#queue.shift();
    if (enter === undefined) this.#free++;
    else enter();
  }
}
