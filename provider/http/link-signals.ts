import { onAbort } from "./on-abort";

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
