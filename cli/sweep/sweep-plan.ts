import type { ApiKeyRecord } from "../../provider/api";
import { keyIn } from "../../provider/key-index";
import { fateOf } from "../../provider/keys/fate";
import { ownerTag, tagsIn } from "../../provider/keys/names";
import type { KeyInState } from "../../provider/stack/stack-state";
import { ageOf } from "../keys/inventory";
import { IN_USE_MINUTES, type Plan, YOUNG_MINUTES } from "../revoke/carry-out";
import type { SweptOwners } from "./sweep-owners";

export interface SweepTerms {
  readonly owners: SweptOwners;
  /** Ids of keys that a state of any stack holds. */
  readonly held: ReadonlySet<string>;
  /** The current keys of given states that are in the same list. */
  readonly current: readonly KeyInState[];
  /** Ids of the keys that configured accounts authenticate with, or may do so. */
  readonly credentials: ReadonlySet<string>;
  readonly includeUsed: boolean;
  readonly includeYoung: boolean;
  /** The service's time, in milliseconds. */
  readonly now: number;
  /** How far it is ahead of this machine's time; `undefined` if no answer has shown it. */
  readonly skewMs: number | undefined;
}

export interface SweepPlan extends Plan {
  /** Number of the owners' keys that a state holds. */
  readonly held: number;
}

/** Finds the owners' keys that are in no state, and decides which of them to revoke. */
export function planSweep(keys: readonly ApiKeyRecord[], terms: SweepTerms): SweepPlan {
  const missing = terms.current.filter(({ id }) => keyIn(keys, id) === undefined);
  const tagged = keys.flatMap((key) => {
    const tag = tagsIn(key.name).find((each) => terms.owners.has(each));
    return tag === undefined ? [] : [{ key, fate: fateOfKey(key, tag, missing, terms) }];
  });
  const kept = tagged.flatMap(({ key, fate }) => (fate.fate === "revoke" ? [] : [{ ...key, reason: fate.why }]));
  return {
    revoke: tagged.flatMap(({ key, fate }) => (fate.fate === "revoke" ? [key] : [])),
    keep: kept.filter(({ reason }) => reason !== "held"),
    held: kept.filter(({ reason }) => reason === "held").length,
  };
}

function fateOfKey(key: ApiKeyRecord, tag: string, missing: SweepTerms["current"], terms: SweepTerms) {
  const { owners, held, credentials, includeUsed, includeYoung, now, skewMs = 0 } = terms;
  const created = Date.parse(key.createdAt);
  const savedAt = owners.get(tag);
  // Another machine may have saved the state, by a right clock.
  const isBefore = savedAt === undefined || created < Math.floor((savedAt + Math.min(0, skewMs)) / 1_000) * 1_000;
  return fateOf({
    kind: "swept",
    held: held.has(key.id),
    isCredential: credentials.has(key.id),
    use: key.lastUsedAt === null ? "never" : "used",
    inUse: key.lastUsedAt !== null && ageOf(key.lastUsedAt, now) < IN_USE_MINUTES * 60_000,
    otherHistory: missing.some(({ ownerId }) => ownerTag(ownerId) === tag),
    isTimeKnown: terms.skewMs !== undefined,
    afterState: !isBefore,
    isYoung: ageOf(key.createdAt, now) < YOUNG_MINUTES * 60_000,
    includeUsed,
    includeYoung,
  });
}
