/** How a status counts for those who wait. */
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

/** How the status counts: only what is known to have ended has ended. */
export function standingOf(status: string): Standing {
  return STANDINGS.get(status) ?? "pending";
}

/** Whether this version knows the status. */
export function isKnownStatus(status: string): boolean {
  return STANDINGS.has(status);
}
