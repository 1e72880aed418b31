import type { ApiKeyRecord } from "../../provider/api";
import { suffixIn } from "../../provider/keys/naming";
import type { OrphanFacts } from "../../provider/keys/orphan-decision";
import type { Plan, Reason } from "../revoke/carry-out";
import { decideUnheld, type Origin } from "../state/orphans";

export interface SweepTerms {
  /** Ids of keys that a state of any stack holds. */
  readonly held: ReadonlySet<string>;
  /** Finds the resource of a given state whose name a key has. */
  readonly originOf: (name: string) => Origin | undefined;
  /** Whether a run that has ended since may have handed out a key; `unknown` without the history of its stack. */
  readonly isUpdatedSince: (key: ApiKeyRecord, origin: Origin) => OrphanFacts["isUpdatedSince"];
  /** The beginning of the names of the other keys to revoke. */
  readonly prefix: string | undefined;
  /** Ids of the keys that configured accounts authenticate with, or may do so. */
  readonly credentials: ReadonlySet<string>;
  /** The service's time, in milliseconds; `undefined` if no answer has shown it. */
  readonly now: number | undefined;
}

export interface SweepPlan extends Plan {
  /** Number of listed keys that a state holds. */
  readonly held: number;
}

/** Finds the keys with generated names that no given state holds, and decides which of them to revoke. */
export function planSweep(keys: readonly ApiKeyRecord[], terms: SweepTerms): SweepPlan {
  const mayBeOrphan = ({ name }: ApiKeyRecord) => suffixIn(name) !== undefined || terms.originOf(name) !== undefined;
  const open = keys.filter((key) => mayBeOrphan(key) && !terms.held.has(key.id));
  const decided = open.map((key) => ({ key, decision: decide(key, terms) }));
  return {
    revoke: decided.flatMap(({ key, decision }) => (decision === "revoke" ? [key] : [])),
    keep: decided.flatMap(({ key, decision }) =>
      decision === "revoke" || decision === "other" ? [] : [{ ...key, reason: decision }],
    ),
    held: keys.filter(({ id }) => terms.held.has(id)).length,
  };
}

/** `other`: it is in use, or not among the keys that the user has selected by their names. */
function decide(key: ApiKeyRecord, terms: SweepTerms): "revoke" | "other" | Reason {
  const { originOf, isUpdatedSince, prefix, credentials, now } = terms;
  const origin = originOf(key.name);
  const proof = origin?.proof ?? "none";
  const isSelected = key.lastUsedAt === null && (prefix === undefined || key.name.startsWith(prefix));
  if (proof === "none" && !isSelected) return "other";
  if (now === undefined) return "time unknown";
  if (credentials.has(key.id)) return "credential";
  const decided = decideUnheld(key, proof, now, origin && isUpdatedSince(key, origin));
  if (decided.decision !== "report") return decided.decision === "revoke" ? "revoke" : "other";
  return decided.why === "no proof" && prefix !== undefined ? "revoke" : decided.why;
}
