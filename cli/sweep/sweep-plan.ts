import type { ApiKeyRecord } from "../../provider/api";
import { fateOf } from "../../provider/keys/fate";
import { tagsIn } from "../../provider/keys/names";
import { ageOf } from "../keys/inventory";
import type { Plan } from "../revoke/carry-out";
import type { SweptOwners } from "./sweep-owners";

export interface SweepTerms {
  readonly owners: SweptOwners;
  /** Ids of keys that a state of any stack holds. */
  readonly held: ReadonlySet<string>;
  /** Ids of the keys that configured accounts authenticate with, or may do so. */
  readonly credentials: ReadonlySet<string>;
  readonly includeUsed: boolean;
  readonly includeYoung: boolean;
  /** The service's time, in milliseconds. */
  readonly now: number;
  /** How far it is ahead of this machine's time. States have the time of a machine. */
  readonly skewMs: number;
}

export interface SweepPlan extends Plan {
  /** Number of the owners' keys that a state holds. */
  readonly held: number;
}

/** Age in milliseconds below which a run in progress may still save the key in its state. */
const YOUNG_MS = 15 * 60_000;

/** Time in milliseconds. A key used this recently is in use. */
const IN_USE_MS = 5 * 60_000;

/** Finds the owners' keys that are in no state, and decides which of them to revoke. */
export function planSweep(keys: readonly ApiKeyRecord[], terms: SweepTerms): SweepPlan {
  const tagged = keys.flatMap((key) => {
    const tag = tagsIn(key.name).find((each) => terms.owners.has(each));
    return tag === undefined ? [] : [{ key, fate: fateOfKey(key, terms.owners.get(tag), terms) }];
  });
  const kept = tagged.flatMap(({ key, fate }) => (fate.fate === "revoke" ? [] : [{ ...key, reason: fate.why }]));
  return {
    revoke: tagged.flatMap(({ key, fate }) => (fate.fate === "revoke" ? [key] : [])),
    keep: kept.filter(({ reason }) => reason !== "held"),
    held: kept.filter(({ reason }) => reason === "held").length,
  };
}

function fateOfKey(key: ApiKeyRecord, savedAt: number | undefined, terms: SweepTerms) {
  const { held, credentials, includeUsed, includeYoung, now, skewMs } = terms;
  const created = Date.parse(key.createdAt);
  return fateOf({
    kind: "swept",
    held: held.has(key.id),
    isCredential: credentials.has(key.id),
    use: key.lastUsedAt === null ? "never" : "used",
    inUse: key.lastUsedAt !== null && ageOf(key.lastUsedAt, now) < IN_USE_MS,
    afterState: savedAt !== undefined && created >= Math.floor((savedAt + skewMs) / 1_000) * 1_000,
    isYoung: ageOf(key.createdAt, now) < YOUNG_MS,
    includeUsed,
    includeYoung,
  });
}
