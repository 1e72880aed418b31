import type { Replay } from "../types";
import type { Verdict } from "./classify";

/** First upper bound of a delay, in milliseconds. */
export const BASE_MS = 250;
/** The same after "too many": short, because the limiter slows all requests down, and some are let through meanwhile. */
export const TOO_MANY_BASE_MS = 100;
/** The same after "locked" or "unavailable", which last. */
export const BUSY_BASE_MS = 1000;
/** Largest upper bound of a delay, in milliseconds; only the service's own wish may exceed it. */
export const CAP_MS = 20_000;

/** Attempts of one call in all. */
const MAX_ATTEMPTS = 3;
/** Attempts of one call in all, while every answer says that nothing was done: their pauses take a minute or more. */
const MAX_THROTTLED_ATTEMPTS = 14;

/** Full jitter: uniformly between 0 and the doubled, capped base. `attempt` counts from 1, `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number, base: number): number {
  return random * Math.min(CAP_MS, base * 2 ** (attempt - 1));
}

/** What is known when an attempt has failed. */
export interface RetryState {
  readonly verdict: Verdict;
  /** Status of the answer; undefined where there was none, or where it was cut and its status alone proves nothing. */
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
  const limit = isPatient(state) ? MAX_THROTTLED_ATTEMPTS : MAX_ATTEMPTS;
  if (state.attempt >= limit) return undefined;
  const own = backoffMs(state.attempt, state.random, baseAfter(state));
  const delay = Math.max(own, state.retryAfterMs ?? 0);
  return delay < state.remainingMs ? delay : undefined;
}

function mayRepeat({ verdict, status, replay }: RetryState): boolean {
  if (verdict === "throttled" || verdict === "not_sent") return true;
  // A complete answer of the wrong kind (2xx or a redirect) would come again.
  return verdict === "ambiguous" && replay === "safe" && (status === undefined || status === 408 || status >= 500);
}

function baseAfter({ verdict, status }: RetryState): number {
  if (verdict !== "throttled") return BASE_MS;
  return status === 429 ? TOO_MANY_BASE_MS : BUSY_BASE_MS;
}

/** "Too many" and "locked" come from a service at work; "unavailable" may be an outage, so a read is not worth the wait. */
function isPatient({ verdict, status, replay }: RetryState): boolean {
  return verdict === "throttled" && (replay === "once" || status === 429 || status === 423);
}
