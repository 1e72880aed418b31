import { AbortedError } from "../provider/errors";

/** Exit codes of `keyplane`. */
export const EXIT = {
  ok: 0,
  /** A problem was found, or an action failed. */
  failed: 1,
  /** The command line or a setting is not valid. No request was sent. */
  usage: 2,
  /** `identify` found keys, and knows each of them. */
  found: 3,
  /** `identify` found a key that no given state has. */
  unknown: 4,
  /** Interrupted by Ctrl+C, following the convention of shells. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** One run of the command line: its exit code, and whether it was interrupted. */
export class CommandRun {
  exitCode: ExitCode = EXIT.ok;
  #interrupt: AbortController | undefined;

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
