import { formatDuration } from "../duration";
import { getOrCreate } from "../get-or-create";

const EVERY_MS = 60_000;

/** Maximum number of lines at a time. A stack can have hundreds of keys that wait. */
const MAX_LINES = 5;

export interface LongWait {
  text: string;
  /** Monotonic time of the first progress, in milliseconds. */
  readonly since: number;
  readonly say: (line: string) => void;
}

/**
 * Long waits in lines that stay, because a narrow terminal shows no progress in a resource's row: a line when a wait
 * has become long, one each minute, and one at its end. Resources that wait for the same share a line.
 */
export class LongWaits {
  readonly #waits = new Set<LongWait>();
  /** The waits that users have read about. */
  readonly #shown = new Set<LongWait>();
  #timer: NodeJS.Timeout | undefined;

  add(wait: LongWait): void {
    const same = [...this.#shown].some((other) => subjectOf(other) === subjectOf(wait));
    this.#waits.add(wait);
    if (!same && this.#shown.size < MAX_LINES) this.#show(wait, 0);
    this.#timer ??= setInterval(() => this.#report(), EVERY_MS).unref();
  }

  /** Reports the end of a wait if users have read about it. */
  end(wait: LongWait, outcome: "done" | "failed"): void {
    this.#waits.delete(wait);
    if (this.#shown.delete(wait)) wait.say(`${outcome} after ${elapsed(wait)}`);
    if (this.#waits.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #report(): void {
    const bySubject = new Map<string, LongWait[]>();
    // Those that users have read about come first.
    const waits = new Set([...this.#shown, ...this.#waits]);
    for (const wait of waits) getOrCreate(bySubject, subjectOf(wait), () => []).push(wait);
    for (const [wait, ...others] of [...bySubject.values()].slice(0, MAX_LINES)) {
      if (wait !== undefined) this.#show(wait, others.length);
    }
  }

  #show(wait: LongWait, others: number): void {
    this.#shown.add(wait);
    const more = others === 0 ? "" : `. ${others} other resource${others === 1 ? " waits" : "s wait"} for the same`;
    wait.say(`after ${elapsed(wait)}: ${subjectOf(wait)}${more}`);
  }
}

function elapsed({ since }: LongWait): string {
  return formatDuration(Math.round((performance.now() - since) / 1_000) * 1_000);
}

/** What is waited for, without the time that the progress of a poll contains: `waiting for start_compute (running)`. */
const subjectOf = ({ text }: LongWait): string => text.replace(/, \d{1,7} s\)/, ")").replace(/ \(\d{1,7} s\)/, "");
