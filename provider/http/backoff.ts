import type { Verdict } from "./classify";
import type { Replay } from "./types";

/** First upper bound of a delay, in milliseconds. */
export const BASE_MS = 250;
/** The same after an answer that asks to come again. */
export const THROTTLED_BASE_MS = 1000;
/** Largest upper bound of a delay, in milliseconds; only the service's own wish may exceed it. */
export const CAP_MS = 20_000;

/** Attempts of one call in all. */
const MAX_ATTEMPTS = 3;
/** Attempts of a request that may be sent only once, while every answer says that nothing was done. */
const MAX_THROTTLED_ATTEMPTS = 10;

/** Full jitter: uniformly between 0 and the doubled, capped base. `attempt` counts from 1, `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number, base: number): number {
  return random * Math.min(CAP_MS, base * 2 ** (attempt - 1));
}

/** What is known when an attempt has failed. */
export interface RetryState {
  readonly verdict: Verdict;
  /** Status of the complete answer; undefined where there was none, or it was cut. */
  readonly status: number | undefined;
  readonly replay: Replay;
  /** Attempts made so far, this one included. */
  readonly attempt: number;
  /** Time left of the call, in milliseconds. */
  readonly remainingMs: number;
  /** The service's own wish, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * Milliseconds to wait before the next attempt, or undefined when there must be none: the request might be applied
 * twice, a repeat would not help, the attempts are used up, or the delay would not end before the deadline. Pure.
 */
export function nextDelay(state: RetryState): number | undefined {
  if (!mayRepeat(state)) return undefined;
  const throttled = state.verdict === "throttled";
  const limit = throttled && state.replay === "once" ? MAX_THROTTLED_ATTEMPTS : MAX_ATTEMPTS;
  if (state.attempt >= limit) return undefined;
  const own = backoffMs(state.attempt, state.random, throttled ? THROTTLED_BASE_MS : BASE_MS);
  const delay = Math.max(own, state.retryAfterMs ?? 0);
  return delay < state.remainingMs ? delay : undefined;
}

function mayRepeat({ verdict, status, replay }: RetryState): boolean {
  if (verdict === "throttled" || verdict === "not_sent") return true;
  // A complete answer of the wrong kind (2xx or a redirect) would come again.
  return verdict === "ambiguous" && replay === "safe" && (status === undefined || status === 408 || status >= 500);
}
