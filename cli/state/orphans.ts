import type { ApiKeyRecord } from "../../provider/api";
import { attemptIn, suffixIn, tagIn, tagOf } from "../../provider/keys/naming";
import { decideOrphan, type OrphanDecision, type OrphanFacts } from "../../provider/keys/orphan-decision";
import { latestOf, type ReadState } from "./states";

/** A key of this age or more, in minutes, is in the state of its run, unless the run was interrupted. */
export const YOUNG_MINUTES = 15;

/** The given state that a key's name is of. */
export interface Origin {
  readonly state: ReadState;
  /** The resource that requested the name; `undefined` if only the tag shows the stack. */
  readonly urn: string | undefined;
  readonly proof: OrphanFacts["proof"];
}

/** Finds the state that a key's name is of: by the suffix in it, else by the tag, which a stack of the same name shares. */
export function originsIn(states: readonly ReadState[]): (name: string) => Origin | undefined {
  const bySuffix = new Map<
    string | undefined,
    { readonly state: ReadState; readonly urn: string; readonly attempts: number }
  >();
  const byTag = new Map<string, ReadState>();
  const byName = new Map<string, Origin>();
  for (const state of latestOf(states)) {
    for (const { urn, suffix, attempts } of state.owners) bySuffix.set(suffix, { state, urn, attempts });
    // Its creation is pending, so each of its names was requested by an interrupted run.
    for (const { urn, suffix, exactName } of state.pendingCreations) {
      bySuffix.set(suffix, { state, urn, attempts: 0 });
      if (exactName !== undefined) byName.set(exactName, { state, urn, proof: "exact name" });
    }
    for (const { urn } of [...state.owners, ...state.pendingCreations]) byTag.set(tagOf(urn), state);
  }
  return (name) => {
    const suffix = suffixIn(name);
    if (suffix === undefined) return byName.get(name);
    const owner = bySuffix.get(suffix);
    if (owner === undefined) {
      const state = byTag.get(tagIn(suffix));
      return state && { state, urn: undefined, proof: "none" };
    }
    const { state, urn, attempts } = owner;
    const proof = attempts === 0 ? "pending creation" : attemptIn(name) > attempts ? "next attempt" : "none";
    return { state, urn, proof };
  };
}

/** What a run of its stack would do with a live key that no given state holds. */
export function decideUnheld(
  { lastUsedAt }: ApiKeyRecord,
  proof: OrphanFacts["proof"],
  isUpdatedSince: OrphanFacts["isUpdatedSince"] = "unknown",
): OrphanDecision {
  return decideOrphan({ isUsed: lastUsedAt !== null, isHeld: "no", isUnderWay: "no", proof, isUpdatedSince });
}

/** Whether a run in progress may be about to save a key that no given state has. */
export function mayBeUnsaved({ createdAt }: ApiKeyRecord, now: number): boolean {
  return !(now - Date.parse(createdAt) >= YOUNG_MINUTES * 60_000);
}

/** What a live key is that no given state holds; `undefined` for one that a run in progress may be creating. */
export function unheldFlag(
  key: ApiKeyRecord,
  origin: Origin | undefined,
  now: number,
): "orphan" | "unmanaged" | undefined {
  if (origin === undefined || decideUnheld(key, origin.proof).decision === "leave") return "unmanaged";
  return mayBeUnsaved(key, now) ? undefined : "orphan";
}
