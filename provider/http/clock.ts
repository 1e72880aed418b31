// The default import is the module object itself, so a preload that replaces its `setTimeout` also applies here.
import timers from "node:timers/promises";
import { MAX_TIMER_MS } from "../duration";
import { withLinked } from "./abort-signals";

/** The provider's clock. Tests use their own. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970, for users and the service. */
  now(): number;
  /** Monotonic time in milliseconds, for intervals and deadlines. Changes of the wall clock do not affect it. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds. Rejects at once, without leaving a timer, when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // A separate signal, because adding a listener to a signal that thousands of sleeps share is slow.
  sleep: (ms, signal) =>
    withLinked([signal], (own) => timers.setTimeout(Math.min(ms, MAX_TIMER_MS), undefined, { signal: own })),
};
