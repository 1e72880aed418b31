import { AbortedError, KeyplaneError, type PendingOperation, TimeoutError } from "../../errors";
import { type Clock, formatReason, onAbort } from "../../http";
import { cleanText } from "../../text";
import type { Operation, WaitProgress } from "../records";
import type { PollResult, ProjectPoller, Watcher } from "./project-poller";
import { pendingText, progressText, troubleText } from "./row-text";
import { isKnownStatus } from "./statuses";

/** Number of polls at which an operation counts as unknown: a new one may not be visible everywhere yet. */
const MAX_MISSES = 4;

export interface WaitTerms {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly pollIntervalMs: number;
  /** The wait ends when one of them fires. */
  readonly signals: readonly AbortSignal[];
  readonly onProgress: ((progress: WaitProgress) => void) | undefined;
  readonly warn: (message: string) => void;
}

/** One caller's wait: its deadline, its signals, its progress and its end. A subclass defines what it waits for. */
export abstract class Wait {
  /** Monotonic time at which the wait times out. */
  readonly deadline: number;
  readonly intervalMs: number;
  readonly #ended: Promise<Operation[]>;
  readonly #startedAt: number;
  readonly #cleanup: (() => void)[] = [];
  readonly #unknown = new Set<string>();
  #resolve: (value: Operation[]) => void = () => {};
  #reject: (error: Error) => void = () => {};
  /** Number of polls that did not find an operation, by its id. */
  protected readonly misses = new Map<string, number>();
  #polls = 0;
  #errors = 0;
  #over = false;
  /** Why the last poll failed, as the end of a message; empty if it succeeded. */
  #trouble = "";

  constructor(protected readonly terms: WaitTerms) {
    this.#startedAt = terms.clock.monotonic();
    this.deadline = this.#startedAt + terms.timeoutMs;
    this.intervalMs = terms.pollIntervalMs;
    this.#ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The project of the operations; if there are several, the first one with an operation that has not ended. */
  abstract readonly projectId: string;

  protected abstract pending(): PendingOperation[];

  protected get elapsedMs(): number {
    return this.terms.clock.monotonic() - this.#startedAt;
  }

  fail(error: Error): void {
    this.#end();
    this.#reject(error);
  }

  expire(): void {
    const pending = this.pending();
    const seconds = Math.round(this.elapsedMs / 1000);
    const message =
      `timed out after ${seconds} s waiting for ${pendingText(pending) || "operations"} of project ${this.projectId}` +
      `${this.#trouble}. Run the command again to keep waiting, or raise operationTimeout`;
    this.fail(new TimeoutError(message, {}, pending, this.elapsedMs, this.#polls));
  }

  /** Records a poll without an answer. */
  missed(reason: unknown): void {
    this.#trouble = `; last poll: ${troubleText(reason)}`;
    this.#polls++;
    this.#errors++;
    this.#report();
  }

  /** Evaluates the result of a poll. */
  protected polled({ incomplete }: PollResult, evaluate: () => void): void {
    this.#trouble = "";
    this.#polls++;
    if (incomplete) this.#errors++;
    this.#guarded(evaluate);
    if (this.pending().length > 0) this.#report();
  }

  /** Starts the watchers, and removes them when the wait ends. */
  protected start(
    watchers: readonly { readonly poller: ProjectPoller; readonly watcher: Watcher }[],
  ): Promise<Operation[]> {
    const { signals } = this.terms;
    const fired = signals.find((signal) => signal.aborted);
    if (fired !== undefined) {
      this.#abort(fired);
      return this.#ended;
    }
    for (const signal of signals) this.#cleanup.push(onAbort(signal, () => this.#abort(signal)));
    for (const { poller, watcher } of watchers) {
      this.#cleanup.push(() => poller.remove(watcher));
      poller.add(watcher);
    }
    return this.#ended;
  }

  protected succeed(value: Operation[]): void {
    this.#end();
    this.#resolve(value);
  }

  /** Records that a poll did not find an operation. Throws if that was once too often. */
  protected miss(id: string, message: string): void {
    const misses = (this.misses.get(id) ?? 0) + 1;
    this.misses.set(id, misses);
    if (misses >= MAX_MISSES) throw new KeyplaneError("KP-NOT-FOUND", message);
  }

  /** Warns once about a status that this version does not know. */
  protected warnIfUnknown({ status, action }: Operation): void {
    if (isKnownStatus(status) || this.#unknown.has(status)) return;
    this.#unknown.add(status);
    this.terms.warn(
      `${cleanText(action, 60)} has the status "${cleanText(status, 40)}", which this version does not know. keyplane keeps waiting`,
    );
  }

  #abort(signal: AbortSignal): void {
    const what = progressText(this.pending(), this.elapsedMs);
    this.fail(new AbortedError(`aborted while ${what}${formatReason(signal)}. Run the command again to keep waiting`));
  }

  #end(): void {
    this.#over = true;
    for (const each of this.#cleanup.splice(0)) each();
  }

  #report(): void {
    if (this.#over) return;
    const pending = this.pending();
    const { elapsedMs } = this;
    const text = progressText(pending, elapsedMs) + this.#trouble;
    const progress = { text, pending, elapsedMs, polls: this.#polls, errors: this.#errors };
    this.#guarded(() => this.terms.onProgress?.(progress));
  }

  /** An error in a caller's callback ends only this wait. */
  #guarded(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
