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

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
