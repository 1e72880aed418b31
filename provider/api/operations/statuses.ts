export type Phase = "pending" | "success" | "failure";

const PHASES: ReadonlyMap<string, Phase> = new Map([
  ["scheduling", "pending"],
  ["running", "pending"],
  ["cancelling", "pending"],
  ["finished", "success"],
  ["skipped", "success"],
  ["failed", "failure"],
  ["error", "failure"],
  ["cancelled", "failure"],
]);

/** What a status means for a wait. An unknown status counts as pending. */
export function phaseOf(status: string): Phase {
  return PHASES.get(status) ?? "pending";
}

export function isKnownStatus(status: string): boolean {
  return PHASES.has(status);
}
