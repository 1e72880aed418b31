/** After how many turns of the event loop the answer of a call has left this process. Under load, a time would prove nothing. */
const SENT_WITHIN_TURNS = 50;

/** The calls whose answers the engine waits for. */
export class OpenCalls {
  #count = 0;
  #isToEnd = false;

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#isToEnd) this.#endWithout(SENT_WITHIN_TURNS);
  }

  /** Ends this process when the engine has all answers. */
  endProcess(): void {
    this.#isToEnd = true;
    this.#endWithout(SENT_WITHIN_TURNS);
  }

  #endWithout(turns: number): void {
    if (this.#count > 0) return;
    if (turns === 0) process.exit(130);
    setImmediate(() => this.#endWithout(turns - 1));
  }
}

/**
 * Leaves the end of this process to the engine. A signal to all processes of a run makes the engine finish what is under
 * way. Without this process, it would record a creation as failed that the service carries out. With SIGINT, the engine
 * itself ends a provider that it does not need any more.
 */
export function leaveSignalsToEngine(calls: OpenCalls): void {
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  process.on("SIGINT", () => calls.endProcess());
}
