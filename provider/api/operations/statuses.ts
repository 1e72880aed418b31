/** What a status means for a wait. */
export type Standing = "pending" | "success" | "failure";

const STANDINGS: ReadonlyMap<string, Standing> = new Map([
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
export function standingOf(status: string): Standing {
  return STANDINGS.get(status) ?? "pending";
}

/** Whether this version knows the status. */
export function isKnownStatus(status: string): boolean {
  return STANDINGS.has(status);
}
