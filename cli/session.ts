import { AbortedError } from "../provider/errors";
import { EXIT, type ExitCode } from "./exit-code";

/** One run of the command line: how it is to end, and whether a person has ended it. */
export class Session {
  /** What the process exits with. */
  exitCode: ExitCode = EXIT.ok;
  #interrupt: AbortController | undefined;

  /** Whether Ctrl+C was pressed. */
  get interrupted(): boolean {
    return this.#interrupt?.signal.aborted ?? false;
  }

  /** Fires at Ctrl+C, so that a command can end cleanly; pressed again, it ends the process at once. */
  get signal(): AbortSignal {
    if (this.#interrupt === undefined) {
      const interrupt = new AbortController();
      this.#interrupt = interrupt;
      process.once("SIGINT", () => interrupt.abort(new AbortedError("interrupted")));
    }
    return this.#interrupt.signal;
  }
}
