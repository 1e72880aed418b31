/** How long a key stays live after the delivery of its successor, in milliseconds. */
export interface Overlap {
  /** Minimum time. */
  readonly grace: number;
  /** Time without use before it is revoked. */
  readonly quiet: number;
  /** Maximum time, even if it is used; never less than `grace`. */
  readonly maxOverlap: number;
  /** Whether its successor must have been used before it is revoked. */
  readonly requireUse: boolean;
}

/** A key that a rotation replaced, which consumers may still use. Times are in milliseconds since 1970. */
export interface PreviousFacts extends Overlap {
  /** When its successor replaced it and was ready, by this machine's clock. */
  readonly rotatedAt: number;
  /** When a whole run had delivered the successor; `no` if none has, `unknown` if the history cannot be read. */
  readonly deliveredAt: number | "no" | "unknown";
  readonly lastUsed: number | "never" | "unknown";
  readonly isSuccessorUsed: boolean;
  /** The deadline in its name; absent if it has none. */
  readonly deadline?: number | undefined;
  /** The earlier of this machine's and the service's time, so that a wrong clock revokes nothing too early. */
  readonly now: number;
}

/** `until`: when to ask again. */
export type RetirementDecision =
  | { readonly decision: "revoke"; readonly despite?: "use" | "no history" | "unused successor" }
  | {
      readonly decision: "keep";
      readonly why: "grace" | "not delivered" | "no history" | "in use" | "use unknown" | "unused successor";
      readonly until: number;
    };

/**
 * Decides about the previous key of a rotation: the grace counts from the delivery of its successor, and a key that is
 * used stays, and with `requireUse` one whose successor nobody uses yet, but no longer than `maxOverlap` after the
 * delivery. Nothing holds up the key's deadline.
 */
export function decideRetirement(facts: PreviousFacts): RetirementDecision {
  const { rotatedAt, deliveredAt, grace, quiet, maxOverlap, lastUsed, now } = facts;
  const { deadline = Number.POSITIVE_INFINITY } = facts;
  if (now >= deadline) return { decision: "revoke" };
  if (deliveredAt === "no") return { decision: "keep", why: "not delivered", until: now + grace };
  if (deliveredAt === "unknown") {
    const end = rotatedAt + maxOverlap;
    if (now >= end) return { decision: "revoke", despite: "no history" };
    return { decision: "keep", why: "no history", until: Math.min(now + grace, end) };
  }
  if (now < deliveredAt + grace) return { decision: "keep", why: "grace", until: deliveredAt + grace };
  const end = deliveredAt + maxOverlap;
  const keepUntil = (why: "in use" | "use unknown" | "unused successor", until: number) =>
    ({ decision: "keep", why, until: Math.min(until, end) }) as const;
  if (lastUsed === "unknown") return now < end ? keepUntil("use unknown", now + quiet) : { decision: "revoke" };
  if (lastUsed !== "never" && now < lastUsed + quiet) {
    return now < end ? keepUntil("in use", lastUsed + quiet) : { decision: "revoke", despite: "use" };
  }
  if (facts.requireUse && !facts.isSuccessorUsed) {
    return now < end ? keepUntil("unused successor", now + quiet) : { decision: "revoke", despite: "unused successor" };
  }
  return { decision: "revoke" };
}
