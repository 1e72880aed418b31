// The default import is the module object itself: what replaces `setTimeout` on it (a preload) is used here, too.
import timers from "node:timers/promises";
import { MAX_TIMER_MS } from "../duration";
import { linkSignals } from "./abort";

/** Time as the provider sees it; tests drive their own. */
export interface Clock {
  /** Wall clock in milliseconds since 1970, for what people and the service see. */
  now(): number;
  /** Milliseconds that only ever grow, for intervals and deadlines; jumps of the wall clock do not touch it. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds; rejects at once, leaving no timer, when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    // A signal of its own: one that thousands of sleepers share would look through all of them for each that comes.
    const link = linkSignals(signal);
    try {
      await timers.setTimeout(Math.min(ms, MAX_TIMER_MS), undefined, { signal: link.signal });
    } finally {
      link.dispose();
    }
  },
};
