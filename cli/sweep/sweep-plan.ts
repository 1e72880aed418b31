import type { ApiKeyRecord } from "../../provider/api";
import type { LeftoverFacts } from "../../provider/keys/leftover-fate";
import { markIn } from "../../provider/keys/naming";
import type { Plan, Reason } from "../revoke/carry-out";
import { fateOfUnheld, mayBeUnsaved, type Origin } from "../state/left-behind";

export interface SweepTerms {
  /** Ids of keys that a state of any stack holds. */
  readonly held: ReadonlySet<string>;
  /** Finds the resource of a given state whose name a key has. */
  readonly originOf: (name: string) => Origin | undefined;
  /** Whether a run that succeeded may have handed out a key; `unknown` without the history of its stack. */
  readonly isCovered: (key: ApiKeyRecord, origin: Origin) => LeftoverFacts["isCovered"];
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
  const open = keys.filter(({ id, name }) => markIn(name) !== undefined && !terms.held.has(id));
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
  const { originOf, isCovered, prefix, credentials, now } = terms;
  const origin = originOf(key.name);
  const by = origin?.by ?? "nothing";
  const isSelected = key.lastUsedAt === null && (prefix === undefined || key.name.startsWith(prefix));
  if (by === "nothing" && !isSelected) return "other";
  if (now === undefined) return "time unknown";
  // Nothing but a note shows that nobody else is about to save a young key.
  if (by !== "note" && mayBeUnsaved(key, now)) return "young";
  if (credentials.has(key.id)) return "credential";
  const fate = fateOfUnheld(key, { by }, origin && isCovered(key, origin));
  if (fate.fate !== "tell") return fate.fate === "revoke" ? "revoke" : "other";
  return fate.why === "no note" && prefix !== undefined ? "revoke" : fate.why;
}
