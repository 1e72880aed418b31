import { AbortedError } from "../errors";
import { onAbort } from "../http";

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
