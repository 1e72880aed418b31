import { AbortedError } from "../provider/errors";
import { EXIT, type ExitCode } from "./exit-code";

/** One run of the command line: its exit code, and whether it was interrupted. */
export class Session {
  /** The exit code of the process. */
  exitCode: ExitCode = EXIT.ok;
  #interrupt: AbortController | undefined;

  /** Whether Ctrl+C was pressed. */
  get interrupted(): boolean {
    return this.#interrupt?.signal.aborted ?? false;
  }

  /** Aborted by Ctrl+C, so that a command can end cleanly. A second Ctrl+C ends the process immediately. */
  get signal(): AbortSignal {
    if (this.#interrupt === undefined) {
      const interrupt = new AbortController();
      this.#interrupt = interrupt;
      process.once("SIGINT", () => interrupt.abort(new AbortedError("interrupted")));
    }
    return this.#interrupt.signal;
  }
}
