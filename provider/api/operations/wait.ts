import { MAX_TIMER_MS } from "../../duration";
import { AbortedError, KeyplaneError, type PendingOperation, TimeoutError } from "../../errors";
import { type Clock, formatReason, onAbort, withLinked } from "../../http";
import { cleanText } from "../../text";
import type { Operation, WaitProgress } from "../records";
import type { ProjectPoller, Seen, Wanted } from "./project-poller";
import { pendingText, progressText, troubleText } from "./row-text";
import { isKnownStatus } from "./statuses";

/** Number of polls at which an operation counts as unknown: a new one may not be visible everywhere yet. */
const MAX_MISSES = 4;

/** What a wait is for. */
export interface Goal extends Wanted {
  pending(): readonly PendingOperation[];
  /** Takes what a poll has found. Returns the operations if the wait is over. Throws if one has failed. */
  see(found: ReadonlyMap<string, Operation>): Operation[] | undefined;
}

export interface WaitTerms {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly pollIntervalMs: number;
  /** The wait ends when one of them fires. */
  readonly signals: readonly (AbortSignal | undefined)[];
  readonly onProgress: ((progress: WaitProgress) => void) | undefined;
  readonly warn: (message: string) => void;
}

/** Polls until the goal is reached: at once, and then once per interval. Ends at the deadline, or if a signal fires. */
export function waitFor(goal: Goal, poller: ProjectPoller, terms: WaitTerms): Promise<Operation[]> {
  return withLinked(terms.signals, async (signal) => {
    poller.add(goal);
    try {
      return await new Wait(goal, poller, terms, signal).outcome();
    } finally {
      poller.remove(goal);
    }
  });
}

/** One caller's wait: its deadline, its signal and its progress. */
class Wait {
  readonly #startedAt: number;
  #polls = 0;
  #errors = 0;
  /** Why the last poll failed, as the end of a message; empty if it succeeded. */
  #trouble = "";
  /** Number of polls that did not find an operation, by its id. */
  readonly #misses = new Map<string, number>();
  readonly #unknown = new Set<string>();

  constructor(
    private readonly goal: Goal,
    private readonly poller: ProjectPoller,
    private readonly terms: WaitTerms,
    private readonly signal: AbortSignal,
  ) {
    this.#startedAt = terms.clock.monotonic();
  }

  async outcome(): Promise<Operation[]> {
    const { goal, poller, terms } = this;
    for (let seen: Seen | undefined; ; ) {
      await this.#sleepUntil(poller.nextAt(goal, terms.pollIntervalMs, seen));
      const poll = poller.poll(goal, seen?.poll);
      const result = await this.#inTime(poll.result);
      seen = { poll, result };
      const { found, missing, failure, isFinal } = result;
      if (isFinal) throw failure;
      this.#polls++;
      if (failure !== undefined) this.#errors++;
      this.#trouble = failure === undefined ? "" : `; last poll: ${troubleText(failure)}`;
      // A scan counts only as a whole.
      const ended = failure === undefined || !goal.scans ? goal.see(found) : undefined;
      if (ended !== undefined) return ended;
      this.#countMisses(found, missing);
      this.#report();
    }
  }

  get #elapsedMs(): number {
    return this.terms.clock.monotonic() - this.#startedAt;
  }

  async #sleepUntil(at: number): Promise<void> {
    const { clock, timeoutMs } = this.terms;
    for (;;) {
      if (this.signal.aborted) throw this.#aborted();
      if (this.#elapsedMs >= timeoutMs) throw this.#timedOut();
      const ms = Math.min(at, this.#startedAt + timeoutMs) - clock.monotonic();
      if (ms <= 0) return;
      await clock.sleep(ms, this.signal).catch((error) => {
        if (!this.signal.aborted) throw error;
      });
    }
  }

  /** A poll in flight takes real time, and must not delay the end of a wait. */
  async #inTime<T>(poll: Promise<T>): Promise<T> {
    const ends: (() => void)[] = [];
    const over = new Promise<never>((_, reject) => {
      const left = Math.min(MAX_TIMER_MS, Math.ceil(this.terms.timeoutMs - this.#elapsedMs));
      const timer = setTimeout(() => reject(this.#timedOut()), left);
      ends.push(
        () => clearTimeout(timer),
        onAbort(this.signal, () => reject(this.#aborted())),
      );
    });
    try {
      return await Promise.race([poll, over]);
    } finally {
      for (const each of ends) each();
    }
  }

  #aborted(): AbortedError {
    const what = progressText(this.goal.pending(), this.#elapsedMs);
    return new AbortedError(`aborted while ${what}${formatReason(this.signal)}. Run the command again to keep waiting`);
  }

  #timedOut(): TimeoutError {
    const pending = this.goal.pending();
    const message =
      `timed out after ${Math.round(this.#elapsedMs / 1000)} s waiting for ${pendingText(pending) || "operations"} of ` +
      `project ${pending[0]?.projectId ?? this.poller.projectId}${this.#trouble}. Run the command again to keep waiting, or raise operationTimeout`;
    return new TimeoutError(message, {}, pending, this.#elapsedMs, this.#polls);
  }

  #countMisses(found: ReadonlyMap<string, Operation>, missing: ReadonlySet<string>): void {
    for (const id of this.goal.ids()) {
      if (found.has(id)) this.#misses.delete(id);
      if (!missing.has(id)) continue;
      const misses = (this.#misses.get(id) ?? 0) + 1;
      this.#misses.set(id, misses);
      if (misses < MAX_MISSES) continue;
      const reason = `operation ${id} was not found. It may be too old, or belong to another project. Check its id`;
      throw new KeyplaneError("KP-NOT-FOUND", reason);
    }
  }

  /** Reports the progress, and warns once about each status that this version does not know. */
  #report(): void {
    const pending = this.goal.pending();
    for (const { action, status } of pending) {
      if (status === "" || isKnownStatus(status) || this.#unknown.has(status)) continue;
      this.#unknown.add(status);
      const says = `${cleanText(action, 60)} has the status "${cleanText(status, 40)}", which this version does not know`;
      this.terms.warn(`${says}. keyplane keeps waiting`);
    }
    const elapsedMs = this.#elapsedMs;
    const text = progressText(pending, elapsedMs) + this.#trouble;
    this.terms.onProgress?.({ text, pending, elapsedMs, polls: this.#polls, errors: this.#errors });
  }
}
