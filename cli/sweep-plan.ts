import type { ApiKeyRecord } from "../provider/api";
import { tagOf } from "../provider/keys/names";
import { ageOf } from "./inventory";

/** Why a key that no state holds is left alone. */
export type Reason = "signs" | "in use" | "used" | "young";

/** By what a sweep decides. */
export interface SweepTerms {
  /** Tags of the owners whose keys are looked for. */
  readonly tags: ReadonlySet<string>;
  /** Ids of keys that a state holds, of whatever stack. */
  readonly held: ReadonlySet<string>;
  /** Ids of the keys that the configured accounts authenticate with, as far as the service tells. */
  readonly ownKeyIds: ReadonlySet<string>;
  readonly includeUsed: boolean;
  readonly includeYoung: boolean;
  /** The service's time, in milliseconds. */
  readonly now: number;
}

/** What a sweep is to do with a list of keys. */
export interface SweepPlan {
  readonly revoke: readonly ApiKeyRecord[];
  readonly keep: readonly { readonly key: ApiKeyRecord; readonly reason: Reason }[];
  /** How many of the owners' keys a state holds. */
  readonly held: number;
}

/** A run that is under way may still save the state that holds a key as young as this, in milliseconds. */
export const YOUNG_MS = 15 * 60_000;

/**
 * A key used as lately as this, in milliseconds, has somebody who needs it now. It may also be the very key that the
 * command authenticates with, where the service does not tell which one that is.
 */
export const IN_USE_MS = 5 * 60_000;

/** Judges which of the keys are the owners' and in no state, and which of those may go. */
export function planSweep(keys: readonly ApiKeyRecord[], terms: SweepTerms): SweepPlan {
  const tagged = keys.filter(({ name }) => terms.tags.has(tagOf(name) ?? ""));
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

/** Why a key is left alone, and what to do about it, for people. */
export const REASONS: Readonly<Record<Reason, string>> = {
  signs: "in KEYPLANE_API_KEY or KEYPLANE_ACCOUNTS",
  "in use": "used within 5 minutes: somebody needs it",
  used: "was used: --include-used",
  young: "younger than 15 min: --include-young",
};
