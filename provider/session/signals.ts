/** Maximum time until the answer of a call has left this process, in milliseconds. */
const SENT_WITHIN_MS = 10;

/** Counts the calls whose answers the engine waits for. */
export class CallCount {
  #open = 0;
  #endedAt = Number.NEGATIVE_INFINITY;

  begin(): void {
    this.#open++;
  }

  end(): void {
    this.#open--;
    this.#endedAt = performance.now();
  }

  /** Whether the engine has the answers of all calls. */
  get areAnswered(): boolean {
    return this.#open === 0 && performance.now() - this.#endedAt >= SENT_WITHIN_MS;
  }
}

/**
 * Leaves the end of this process to the engine. A signal to all processes of a run makes the engine finish what is under
 * way. Without this process, it would record a creation as failed that the service carries out. With SIGINT, the engine
 * itself ends a provider that it does not need any more.
 */
export function leaveSignalsToEngine(calls: CallCount): void {
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  const end = () => {
    if (calls.areAnswered) process.exit(130);
    setTimeout(end, SENT_WITHIN_MS);
  };
  process.on("SIGINT", end);
}
