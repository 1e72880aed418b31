import type { Note } from "../stack/state";

/** What is known about a live key with a generated name that this process did not make and was not shown. */
export interface LeftoverFacts {
  readonly isUsed: boolean;
  /**
   * What shows that an interrupted run requested it: a note of its creation in the stack's own state, or the mark of a
   * resource with a higher number than the state has. `nothing`: only the tag of a resource that gets a key now.
   */
  readonly by: "note" | "next number" | "nothing";
  /** Whose process has begun it; see `Note`. */
  readonly provider: Note["provider"];
  /** Whether a resource in the state has it; `unknown` without the state, or if ids in it are encrypted. */
  readonly isHeld: "yes" | "no" | "unknown";
  /** Whether it is older than this process. Only this process creates the next number of a resource that it updates. */
  readonly isOlder: boolean;
  /** Whether a run that succeeded was under way at its creation, and may have handed it out. Matters only for `next number`. */
  readonly isCovered: "yes" | "no" | "unknown";
}

/** Why a key stays live. */
export type Why = "used" | "no state" | "no history" | "covered" | "no note" | "other version";

/** What happens to the key. `leave`: it is not left behind. `tell`: it stays live, and the user is told why. */
export type LeftoverFate = { readonly fate: "revoke" | "leave" } | { readonly fate: "tell"; readonly why: Why };

/**
 * Decides about a key that may be left behind. The engine saves a key before it goes on, so a key whose note is still
 * there was never handed out. Unknown is never a proof.
 */
export function leftoverFate(facts: LeftoverFacts): LeftoverFate {
  const { isUsed, by, provider, isHeld, isOlder, isCovered } = facts;
  // A later run settles what is too young for a note. It does not know a next number any more, which the state then has.
  const isTooYoung = !isOlder && by !== "next number";
  if (isHeld === "yes" || isTooYoung || provider === "other") return { fate: "leave" };
  if (by === "nothing")
    return isUsed ? { fate: "leave" } : { fate: "tell", why: isHeld === "no" ? "no note" : "no state" };
  if (isUsed) return { fate: "tell", why: "used" };
  if (isHeld === "unknown") return { fate: "tell", why: "no state" };
  if (provider === "other version") return { fate: "tell", why: "other version" };
  if (by === "note" || isCovered === "no") return { fate: "revoke" };
  return { fate: "tell", why: isCovered === "yes" ? "covered" : "no history" };
}
