/** The result of one check. */
export interface Finding {
  /** Name of the check, such as `base-url`. */
  readonly check: string;
  /** `fail` prevents programs from working. `warn` does not, or only in some cases. */
  readonly verdict: "ok" | "warn" | "fail";
  readonly says: string;
  /** What to do about it. Absent if there is nothing to do. */
  readonly remedy?: string;
}

export const ok = (check: string, says: string): Finding => ({ check, verdict: "ok", says });

type Problem = (check: string, says: string, remedy: string) => Finding;

export const warn: Problem = (check, says, remedy) => ({ check, verdict: "warn", says, remedy });

export const fail: Problem = (check, says, remedy) => ({ check, verdict: "fail", says, remedy });
