import type { ApiKeyRecord } from "../../provider/api";
import { tagsIn } from "../../provider/keys/names";
import { ageOf } from "../keys/inventory";

/** Why a key that no state holds is not revoked. */
export type Reason = "signs" | "in use" | "used" | "young";

/** The criteria of a sweep. */
export interface SweepTerms {
  /** Tags of the owners to sweep. */
  readonly tags: ReadonlySet<string>;
  /** Ids of keys that a state of any stack holds. */
  readonly held: ReadonlySet<string>;
  /** Ids of the keys that the configured accounts authenticate with, as far as the service reports them. */
  readonly ownKeyIds: ReadonlySet<string>;
  readonly includeUsed: boolean;
  readonly includeYoung: boolean;
  /** The service's time, in milliseconds. */
  readonly now: number;
}

/** The plan of a sweep. */
export interface SweepPlan {
  readonly revoke: readonly ApiKeyRecord[];
  readonly keep: readonly { readonly key: ApiKeyRecord; readonly reason: Reason }[];
  /** Number of the owners' keys that a state holds. */
  readonly held: number;
}

/** Age in milliseconds below which a run in progress may still save the key in its state. */
export const YOUNG_MS = 15 * 60_000;

/**
 * Time in milliseconds. A key used this recently is in use. If the service does not report the caller's key, it may
 * also be the key that this command authenticates with.
 */
export const IN_USE_MS = 5 * 60_000;

/** Finds the owners' keys that are in no state, and decides which of them to revoke. */
export function planSweep(keys: readonly ApiKeyRecord[], terms: SweepTerms): SweepPlan {
  const tagged = keys.filter(({ name }) => tagsIn(name).some((tag) => terms.tags.has(tag)));
  const loose = tagged.filter(({ id }) => !terms.held.has(id));
  const judged = loose.map((key) => ({ key, reason: reasonToKeep(key, terms) }));
  return {
    revoke: judged.filter(({ reason }) => reason === undefined).map(({ key }) => key),
    keep: judged.flatMap(({ key, reason }) => (reason === undefined ? [] : [{ key, reason }])),
    held: tagged.length - loose.length,
  };
}

function reasonToKeep(key: ApiKeyRecord, terms: SweepTerms): Reason | undefined {
  const { ownKeyIds, includeUsed, includeYoung, now } = terms;
  if (ownKeyIds.has(key.id)) return "signs";
  if (key.lastUsedAt !== null) {
    if (ageOf(key.lastUsedAt, now) < IN_USE_MS) return "in use";
    if (!includeUsed) return "used";
  }
  return ageOf(key.createdAt, now) < YOUNG_MS && !includeYoung ? "young" : undefined;
}

/** Why a key is not revoked, and what to do about it. */
export const REASONS: Readonly<Record<Reason, string>> = {
  signs: "in KEYPLANE_API_KEY or KEYPLANE_ACCOUNTS",
  "in use": "used in the last 5 minutes",
  used: "was used (see --include-used)",
  young: "younger than 15 min (see --include-young)",
};
