import { AbortedError } from "../errors";

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
export function formatReason({ reason }: AbortSignal): string {
  return reason instanceof Error && reason.name !== "AbortError" ? `: ${reason.message}` : "";
}

/** A signal that follows others. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts this signal alone. */
  abort(reason: unknown): void;
  /** Stops following; must be called, or the others keep it alive. */
  dispose(): void;
}

/** Makes a signal that fires as soon as one of the given ones does, with its reason. */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
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
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    dispose: () => {
      for (const each of undo) each();
    },
  };
}

/** The promise's outcome, or an `AbortedError` as soon as the signal fires; the promise itself goes on. */
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

const cancelled = () => new AbortedError("aborted by the caller. Call it again to continue");
