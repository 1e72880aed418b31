/** How `keyplane` ends, for scripts. */
export const EXIT = {
  ok: 0,
  /** A problem was found, or something could not be done. */
  failed: 1,
  /** The command line or a setting cannot be used; nothing was asked of the service. */
  usage: 2,
  /** Ended by Ctrl+C, as shells tell it. */
  interrupted: 130,
} as const;

/** One of the codes above. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
