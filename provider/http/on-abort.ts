const followers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once, when the signal fires. The result undoes it, and must be called, or the signal keeps the callback
 * alive. The signal itself gets one listener, however many follow: it looks through all of its listeners for each that
 * comes or goes, so thousands of requests under one signal would cost their square.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const present = followers.get(signal) ?? follow(signal);
  // A callback of its own for each call, so that one given twice is called twice.
  const follower = () => callback();
  present.add(follower);
  return () => present.delete(follower);
}

function follow(signal: AbortSignal): Set<() => void> {
  const present = new Set<() => void>();
  followers.set(signal, present);
  signal.addEventListener(
    "abort",
    () => {
      for (const each of present) each();
    },
    { once: true },
  );
  return present;
}

/** Why a signal has fired, to be put behind a message; empty where nobody gave a reason. */
export function sayReason({ reason }: AbortSignal): string {
  return reason instanceof Error && reason.name !== "AbortError" ? `: ${reason.message}` : "";
}
