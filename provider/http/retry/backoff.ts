import type { JudgedAttempt } from "../failure";
import { isBusyButWorking, isInconclusive, isThrottled } from "../statuses";
import type { Replay } from "../types";

/** Initial upper bound of a delay, in milliseconds. */
const BASE_MS = 250;
/** The same after "too many": short, because the limiter slows down all requests, and some succeed meanwhile. */
const TOO_MANY_BASE_MS = 100;
/** The same after "locked" or "unavailable", which last longer. */
const BUSY_BASE_MS = 1000;
/** Maximum upper bound of a delay, in milliseconds. Only the service's `Retry-After` may exceed it. */
export const CAP_MS = 20_000;

const MAX_ATTEMPTS = 3;
/** Maximum attempts of one call while every answer says that nothing was done. Their pauses take a minute or more. */
const MAX_THROTTLED_ATTEMPTS = 14;

/** Full jitter: uniformly between 0 and the doubled, capped base. `attempt` counts from 1, `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number, base: number): number {
  return random * Math.min(CAP_MS, base * 2 ** (attempt - 1));
}

/** What is known after a failed attempt. */
export interface RetryState extends Pick<JudgedAttempt, "verdict" | "remainingMs" | "retryAfterMs"> {
  /** Status of the answer; undefined if there was none, or if it was truncated and so proves nothing. */
  readonly status: number | undefined;
  readonly replay: Replay;
  /** Attempts made so far, including this one. */
  readonly attempt: number;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * Milliseconds to wait before the next attempt, or undefined if there must be none: the request might be applied twice,
 * a retry would not help, the attempts are used up, or the delay would not end before the deadline. Pure.
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
  // A retry would get the same complete answer of the wrong kind (2xx or a redirect).
  return verdict === "ambiguous" && replay === "safe" && (status === undefined || isInconclusive(status));
}

function baseAfter({ verdict, status }: RetryState): number {
  if (verdict !== "throttled") return BASE_MS;
  return isThrottled(status) ? TOO_MANY_BASE_MS : BUSY_BASE_MS;
}

/** "Too many" and "locked" come from a working service. "Unavailable" may be an outage, so a request waits less. */
function isPatient({ verdict, status }: RetryState): boolean {
  return verdict === "throttled" && isBusyButWorking(status);
}
