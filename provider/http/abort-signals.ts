import { AbortedError } from "../errors";

const followers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when the signal fires. The returned function removes the callback. It must be called, or the signal
 * keeps the callback in memory. The signal gets only one listener, because it searches all its listeners when one is
 * added or removed: with thousands of requests, that would take quadratic time.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const present = followers.get(signal) ?? follow(signal);
  // A separate function for each call, so that a callback passed twice is called twice.
  const follower = () => callback();
  present.add(follower);
  return () => present.delete(follower);
}

// A function of its own: inside `onAbort`, `fire` would keep the first callback, and the secrets it refers to, for good.
function follow(signal: AbortSignal): Set<() => void> {
  const present = new Set<() => void>();
  followers.set(signal, present);
  const fire = () => {
    for (const each of present) each();
  };
  signal.addEventListener("abort", fire, { once: true });
  return present;
}

/** The reason of a signal, to append to a message; empty if there is none. */
export function formatReason({ reason }: AbortSignal): string {
  return reason instanceof Error && reason.name !== "AbortError" ? `: ${reason.message}` : "";
}

/** Calls a function with a signal that fires as soon as one of the given signals fires, with its reason. */
export async function withLinked<T>(
  sources: readonly (AbortSignal | undefined)[],
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const undo: (() => void)[] = [];
  for (const source of sources) {
    if (source === undefined) continue;
    if (source.aborted) {
      controller.abort(source.reason);
      break;
    }
    undo.push(onAbort(source, () => controller.abort(source.reason)));
  }
  try {
    return await call(controller.signal);
  } finally {
    // Otherwise the other signals would keep this one in memory.
    for (const each of undo) each();
  }
}

/** The promise's outcome, or an `AbortedError` as soon as the signal fires. The promise itself continues. */
export async function raceSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw cancelled();
  let undo = () => {};
  const aborted = new Promise<never>((_, reject) => {
    undo = onAbort(signal, () => reject(cancelled()));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    undo();
  }
}

const cancelled = () => new AbortedError("the caller aborted the call. Call again to continue");
