import { AbortedError } from "../provider/errors";

/** Exit codes of `keyplane`. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** `identify` found keys, and knows each of them. */
  found: 3,
  /** `identify` found a key of which it does not know whose it is. */
  unknown: 4,
  interrupted: 130,
} as const;

export const EXIT_CODES = `
Exit codes: 0 success, 1 a problem was found or something failed,
2 wrong usage or settings, 3 and 4 see identify, 130 ended by Ctrl+C.
`;

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
