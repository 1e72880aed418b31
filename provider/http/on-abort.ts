import { setMaxListeners } from "node:events";

/**
 * Calls back once, when the signal fires. The result undoes it, and must be called, or the signal keeps the callback
 * alive. Node's warning of a leak is switched off for the signal: hundreds of calls may rightly follow one.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  setMaxListeners(0, signal);
  signal.addEventListener("abort", callback, { once: true });
  return () => signal.removeEventListener("abort", callback);
}
