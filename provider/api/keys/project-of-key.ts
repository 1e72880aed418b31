/** What a record says of the project that its key is limited to: `null` for none, `undefined` if it says nothing. */
export type SaidProject = string | null | undefined;

/**
 * Compares the project that a key was asked to be limited to with what a record says. Without a project, a record that
 * says nothing is as asked: an account's own keys have no such field.
 */
export function compareProject(asked: string | undefined, said: SaidProject): "same" | "other" | "unsaid" {
  if (said === undefined) return asked === undefined ? "same" : "unsaid";
  return (said ?? undefined) === asked ? "same" : "other";
}

/** How a key is limited, as the end of a sentence about it. */
export function describeProjectScope(said: SaidProject): string {
  return said == null ? "is not limited to a project" : `is limited to project ${said}`;
}

/** In what a key differs from the one that was asked for, as the end of a sentence about it; otherwise `undefined`. */
export function otherProject(asked: string | undefined, said: SaidProject): string | undefined {
  if (compareProject(asked, said) !== "other") return undefined;
  return `${describeProjectScope(said)}, but ${asked === undefined ? "no projectId" : `projectId ${asked}`} was asked for`;
}
