/** What came of one check. */
export interface Finding {
  /** What was looked at, e.g. `base-url`. */
  readonly check: string;
  /** `warn` is no hindrance, or one only to some; `fail` keeps programs from working. */
  readonly verdict: "ok" | "warn" | "fail";
  /** What was found. */
  readonly says: string;
  /** What to do about it; absent where all is well. */
  readonly remedy?: string;
}

/** Nothing to do. */
export const ok = (check: string, says: string): Finding => ({ check, verdict: "ok", says });

/** A problem that does not stop programs from working. */
export const warn = (check: string, says: string, remedy: string): Finding => ({
  check,
  verdict: "warn",
  says,
  remedy,
});

/** A problem that stops programs from working. */
export const fail = (check: string, says: string, remedy: string): Finding => ({
  check,
  verdict: "fail",
  says,
  remedy,
});
