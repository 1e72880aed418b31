export type Use = "never" | "used" | "unknown";

/** A live key with this stack's tag that no resource of the run has. */
export interface UnknownKey {
  readonly kind: "unknown";
  readonly use: Use;
  /** Whether a resource in the stack's state has it; `unknown` without a state that proves to be the stack's own. */
  readonly held: "yes" | "no" | "unknown";
  /**
   * Where the request for its name is on record: a lost request in the outputs of a resource, an interrupted creation in
   * the state, or a run of the stack. The secret of the first two was lost, or never saved.
   */
  readonly requestedBy: "lost request" | "interrupted creation" | "run" | "unknown";
  /** Whether a run that succeeded had it; `unknown` if no record reaches back to its creation. */
  readonly delivered: "yes" | "no" | "unknown";
  /** Whether the account lacks a current key of the state: another history may have gone on from this state. */
  readonly otherHistory: boolean;
}

/** How long a key stays live after the delivery of its successor, in milliseconds. */
export interface Overlap {
  /** Minimum time. */
  readonly grace: number;
  /** Time without use before it is revoked. */
  readonly quiet: number;
  /** Maximum time, even if it is used; never less than `grace`. */
  readonly maxOverlap: number;
}

/**
 * When a key that a rotation replaced may be revoked. Times are in milliseconds since 1970.
 * @param lastUsed - Its last known use; `NaN` if none is known.
 */
export function endOfOverlap(deliveredAt: number, lastUsed: number, { grace, quiet, maxOverlap }: Overlap): number {
  const quietEnd = Number.isNaN(lastUsed) ? 0 : lastUsed + quiet;
  return Math.min(Math.max(deliveredAt + grace, quietEnd), deliveredAt + maxOverlap);
}

/** A key that a rotation replaced, which consumers may still use. Times are in milliseconds since 1970. */
export interface PreviousKey extends Overlap {
  readonly kind: "previous";
  /** When the first run that delivered the successor to the whole stack ended; absent if no such run is known. */
  readonly deliveredAt: number | undefined;
  /** `gone`: lists lack it, and its secret, if it is known, does not work. Lists can be wrong. */
  readonly lastUsed: number | "never" | "unknown" | "gone";
  /** The earlier of this machine's and the service's time, so that a wrong clock revokes nothing too early. */
  readonly now: number;
}

/** The key of a replaced resource, in a command that deletes it even if a consumer failed or was left out. */
export interface ReplacedKey {
  readonly kind: "replaced";
  /** Names of consumers that were not updated since the successor was made; `unknown` without the stack's state. */
  readonly waiting: readonly string[] | "unknown";
}

/** A live key of an owner whose keys `keyplane sweep` looks through. */
export interface SweptKey {
  readonly kind: "swept";
  readonly held: boolean;
  readonly isCredential: boolean;
  readonly use: Use;
  /** Whether the account lacks a current key of a given state: another history may have gone on from this state. */
  readonly otherHistory: boolean;
  /** Whether it was used so recently that somebody still uses it. */
  readonly inUse: boolean;
  /** Whether an answer has shown the service's time, so that ages are known. */
  readonly isTimeKnown: boolean;
  /** Whether it was created after the newest given state of its owner was saved. */
  readonly afterState: boolean;
  /** Whether a run that is in progress may still save it. */
  readonly isYoung: boolean;
  readonly includeUsed: boolean;
  readonly includeYoung: boolean;
}

/** A key that the user of `keyplane revoke` names. */
interface NamedKey {
  readonly kind: "named";
  /** The account that authenticates with it, or may do so; absent if all are proven to use other keys. */
  readonly credentialOf: string | undefined;
}

/** A live key with a deadline in its name. Times are in milliseconds since 1970. */
export interface LeasedKey {
  readonly kind: "leased";
  /** Whether a configured account authenticates with it, or may do so. */
  readonly isCredential: boolean;
  readonly deadline: number;
  /** The service's time; `unknown` if no answer has shown it. */
  readonly now: number | "unknown";
}

/** What is known about a key. What is not known is never a proof. */
export type KeyFacts = UnknownKey | PreviousKey | ReplacedKey | SweptKey | NamedKey | LeasedKey;

/** Why an unknown key is reported. */
export type UnknownReason = "used" | "no state" | "other history" | "unexplained";

export type Reason =
  | UnknownReason
  | "held"
  | "delivered"
  | "credential"
  | "not delivered"
  | "grace"
  | "in use"
  | "use unknown"
  | "gone"
  | "consumers wait"
  | "consumers unknown"
  | "after state"
  | "young"
  | "time unknown"
  | "lease";

/** What happens to a key. `keep`: it stays live, as it should. `report`: it stays live, and the user is told. */
export type Fate<Reported extends Reason = Reason> =
  | { readonly fate: "revoke"; readonly despiteUse?: true }
  | { readonly fate: "keep"; readonly why: Reason; readonly until?: number }
  | { readonly fate: "report"; readonly why: Reported; readonly until?: number };

const REVOKE: Fate<never> = { fate: "revoke" };
const keep = (why: Reason, until?: number): Fate<never> =>
  until === undefined ? { fate: "keep", why } : { fate: "keep", why, until };
const report = <Why extends Reason>(why: Why): Fate<Why> => ({ fate: "report", why });

/**
 * Decides the fate of a key. A revocation cannot be undone, so each needs a proof that nobody needs the key, except that of
 * a key that the user names, or whose end the user has set: `maxOverlap`, or a deadline.
 */
export function fateOf(facts: UnknownKey): Fate<UnknownReason>;
export function fateOf(facts: KeyFacts): Fate;
export function fateOf(facts: KeyFacts): Fate {
  switch (facts.kind) {
    case "unknown":
      return fateOfUnknown(facts);
    case "previous":
      return fateOfPrevious(facts);
    case "replaced":
      if (facts.waiting === "unknown") return report("consumers unknown");
      return facts.waiting.length === 0 ? REVOKE : report("consumers wait");
    case "swept":
      return fateOfSwept(facts);
    case "named":
      return facts.credentialOf === undefined ? REVOKE : report("credential");
    case "leased":
      if (facts.now === "unknown") return report("time unknown");
      if (facts.now < facts.deadline) return keep("lease", facts.deadline);
      return facts.isCredential ? report("credential") : REVOKE;
  }
}

function fateOfUnknown({ use, held, requestedBy, delivered, otherHistory }: UnknownKey): Fate<UnknownReason> {
  if (held === "yes") return keep("held");
  if (delivered === "yes") return keep("delivered");
  if (use !== "never") return report("used");
  // Nobody else knows the random name of a lost request, and its secret was lost with the answer.
  if (requestedBy === "lost request") return REVOKE;
  if (held === "unknown") return report("no state");
  if (otherHistory) return report("other history");
  const isLeftBehind = requestedBy === "interrupted creation" || (requestedBy === "run" && delivered === "no");
  return isLeftBehind ? REVOKE : report("unexplained");
}

function fateOfPrevious(facts: PreviousKey): Fate {
  const { deliveredAt, grace, quiet, maxOverlap, lastUsed, now } = facts;
  if (lastUsed === "gone") return report("gone");
  if (deliveredAt === undefined || Number.isNaN(deliveredAt)) return report("not delivered");
  if (now < deliveredAt + grace) return keep("grace", deliveredAt + grace);
  const end = deliveredAt + maxOverlap;
  if (lastUsed === "unknown") return now < end ? report("use unknown") : REVOKE;
  if (lastUsed === "never" || lastUsed + quiet <= now) return REVOKE;
  return now < end ? { fate: "report", why: "in use", until: end } : { fate: "revoke", despiteUse: true };
}

function fateOfSwept(facts: SweptKey): Fate {
  if (facts.held) return keep("held");
  if (facts.isCredential) return keep("credential");
  if (facts.otherHistory) return keep("other history");
  if (!facts.isTimeKnown) return keep("time unknown");
  if (facts.inUse) return keep("in use");
  if (facts.use !== "never" && !facts.includeUsed) return keep("used");
  if (facts.afterState) return keep("after state");
  return facts.isYoung && !facts.includeYoung ? keep("young") : REVOKE;
}
