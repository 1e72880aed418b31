/** How long a key stays live after the delivery of its successor, in milliseconds. */
export interface Overlap {
  /** Minimum time. */
  readonly grace: number;
  /** Time without use before it is revoked. */
  readonly quiet: number;
  /** Maximum time, even if it is used; never less than `grace`. */
  readonly maxOverlap: number;
}

/** A key that a rotation replaced, which consumers may still use. Times are in milliseconds since 1970. */
export interface PreviousFacts extends Overlap {
  /** When its successor replaced it and was ready, by this machine's clock. */
  readonly rotatedAt: number;
  /** When a whole run had delivered the successor; `no` if none has, `unknown` if the history cannot be read. */
  readonly deliveredAt: number | "no" | "unknown";
  readonly lastUsed: number | "never" | "unknown";
  /** The deadline in its name; absent if it has none. */
  readonly deadline?: number | undefined;
  /** The earlier of this machine's and the service's time, so that a wrong clock revokes nothing too early. */
  readonly now: number;
}

/** `until`: when to ask again. */
export type PreviousFate =
  | { readonly fate: "revoke"; readonly despite?: "use" | "no history" }
  | {
      readonly fate: "keep";
      readonly why: "grace" | "not delivered" | "no history" | "in use" | "use unknown";
      readonly until: number;
    };

/**
 * Decides about the previous key of a rotation: the grace counts from the delivery of its successor, and a key that is
 * used stays. The user has set the two ends that nothing holds up: the key's deadline, and `maxOverlap`.
 */
export function fateOf(facts: PreviousFacts): PreviousFate {
  const { rotatedAt, deliveredAt, grace, quiet, maxOverlap, lastUsed, deadline, now } = facts;
  if (deadline !== undefined && now >= deadline) return { fate: "revoke" };
  if (deliveredAt === "no") return { fate: "keep", why: "not delivered", until: now + grace };
  if (deliveredAt === "unknown") {
    const end = rotatedAt + maxOverlap;
    if (now >= end) return { fate: "revoke", despite: "no history" };
    return { fate: "keep", why: "no history", until: Math.min(now + grace, end) };
  }
  if (now < deliveredAt + grace) return { fate: "keep", why: "grace", until: deliveredAt + grace };
  const end = deliveredAt + maxOverlap;
  if (lastUsed === "never") return { fate: "revoke" };
  if (lastUsed === "unknown") {
    return now < end ? { fate: "keep", why: "use unknown", until: Math.min(now + quiet, end) } : { fate: "revoke" };
  }
  if (lastUsed + quiet <= now) return { fate: "revoke" };
  if (now < end) return { fate: "keep", why: "in use", until: Math.min(lastUsed + quiet, end) };
  return { fate: "revoke", despite: "use" };
}
