import { attemptIn, suffixIn } from "./naming";

/** Maximum time, in milliseconds, for which another process may have a key under way that no state has. */
export const UNDER_WAY_MS = 3_600_000;

/** What is known about a live key that this process has neither made nor revoked, nor was shown. */
export interface OrphanFacts {
  readonly isUsed: boolean;
  /** Whether a resource in the state has it; `unknown` without the state, or if ids in it are encrypted. */
  readonly isHeld: "yes" | "no" | "unknown";
  /** Whether another process may be about to save it. */
  readonly isUnderWay: "yes" | "no" | "unknown";
  /**
   * What shows that an interrupted run of this stack requested its name: a pending creation in the stack's own state, or the
   * suffix of a resource there, of a later attempt than the resource has made. An exact name of a pending creation can
   * be somebody else's, so it is no proof.
   */
  readonly proof: "pending creation" | "next attempt" | "exact name" | "none";
  /** Whether an update has ended since it was made, and may have handed it out. Matters only for `next attempt`. */
  readonly isUpdatedSince: "yes" | "no" | "unknown";
}

/** Why a key is reported. */
export type Why = "no state" | "used" | "under way" | "updated since" | "no history" | "exact name" | "no proof";

/** The reasons in words, each as a part of a sentence. */
export const REASONS: Readonly<Record<Why, string>> = {
  "no state": "the state of the stack could not be read",
  used: "an interrupted run created it, but somebody used it",
  "under way": "an interrupted run of another provider may have created it",
  "updated since": "an interrupted rotation may have created it, but a run that ended later may have handed it out",
  "no history": "an interrupted rotation may have created it, but the history of the stack does not show that",
  "exact name": "an interrupted creation requested its name, but somebody else can have taken it",
  "no proof": "nothing in the state shows who created it",
};

/** `leave`: somebody has the key. `report`: it stays live, and the user reads why. */
export type OrphanDecision =
  | { readonly decision: "revoke" | "leave" }
  | { readonly decision: "report"; readonly why: Why };

/**
 * Decides about a key that may be an orphan. The engine saves a key before it goes on, so a key whose creation is still
 * pending was never handed out. Unknown is never a proof.
 */
export function decideOrphan({ isUsed, isHeld, isUnderWay, proof, isUpdatedSince }: OrphanFacts): OrphanDecision {
  if (isHeld === "yes" || isUnderWay === "yes") return { decision: "leave" };
  // Somebody has a key that is used: it was moved, kept or handed on.
  if (isUsed && proof === "none") return { decision: "leave" };
  if (isHeld === "unknown") return { decision: "report", why: "no state" };
  if (proof === "exact name") return { decision: "report", why: proof };
  if (isUsed) return { decision: "report", why: "used" };
  if (isUnderWay === "unknown") return { decision: "report", why: "under way" };
  if (proof === "none") return { decision: "report", why: "no proof" };
  if (proof === "pending creation" || isUpdatedSince === "no") return { decision: "revoke" };
  return { decision: "report", why: isUpdatedSince === "yes" ? "updated since" : "no history" };
}

/**
 * What shows that an interrupted run requested a name.
 * @param creation - The suffix of a pending creation that has the name's suffix, or requests the name itself.
 * @param attempts - How many names the resource with the name's suffix has requested, if there is one.
 */
export function proofOf(
  name: string,
  { creation, attempts }: { readonly creation?: string | undefined; readonly attempts?: number | undefined },
): OrphanFacts["proof"] {
  if (creation !== undefined) return creation === suffixIn(name) ? "pending creation" : "exact name";
  return attempts !== undefined && attemptIn(name) > attempts ? "next attempt" : "none";
}
