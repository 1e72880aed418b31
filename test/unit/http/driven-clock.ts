import { type Clock, onAbort } from "../../../provider/http";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/**
 * A clock that moves only on `advance` or, in mode `auto`, jumps to the next due sleeper as soon as the process has
 * nothing else to do.
 */
export class DrivenClock implements Clock {
  /** All requested delays, in order. */
  readonly sleeps: number[] = [];
  #sleepers: Sleeper[] = [];
  #time = 1_000;

  constructor(
    readonly auto = true,
    private readonly start = Date.parse("2026-01-01T00:00:00Z"),
  ) {}

  now(): number {
    return this.start + this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  /** The number of current sleepers. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = {
        at: this.#time + ms,
        wake: () => {
          undo?.();
          resolve();
        },
      };
      const abort = () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        reject(signal?.reason);
      };
      const undo = signal && onAbort(signal, abort);
      this.#sleepers.push(sleeper);
      if (this.auto) setImmediate(() => this.#jump());
    });
  }

  /** Advances the time and wakes the sleepers that become due. */
  advance(ms: number): void {
    this.#time += ms;
    this.#wakeDue();
  }

  #jump(): void {
    const next = Math.min(...this.#sleepers.map((each) => each.at));
    if (!Number.isFinite(next)) return;
    this.#time = Math.max(this.#time, next);
    this.#wakeDue();
  }

  #wakeDue(): void {
    const due = this.#sleepers.filter((each) => each.at <= this.#time);
    this.#sleepers = this.#sleepers.filter((each) => each.at > this.#time);
    for (const each of due) each.wake();
  }
}
