import type { ApiKeyRecord } from "../../provider/api";
import { suffixIn, tagIn, tagOf } from "../../provider/keys/naming";
import {
  decideOrphan,
  type OrphanDecision,
  type OrphanFacts,
  proofOf,
  UNDER_WAY_MS,
} from "../../provider/keys/orphan-decision";
import { latestOf, type ReadState } from "./states";

/** The given state that a key's name is of. */
export interface Origin {
  readonly state: ReadState;
  /** The resource that requested the name; `undefined` if only the tag shows the stack. */
  readonly urn: string | undefined;
  readonly proof: OrphanFacts["proof"];
}

/** A resource of a state, or the pending creation of one. */
interface Requester {
  readonly state: ReadState;
  readonly urn: string;
  readonly creation?: string;
  readonly attempts?: number;
}

/** Finds the state that a key's name is of: by the suffix in it, else by the tag, which a stack of the same name shares. */
export function originsIn(states: readonly ReadState[]): (name: string) => Origin | undefined {
  // By their suffixes, and by the exact names of pending creations.
  const requesters = new Map<string | undefined, Requester>();
  const byTag = new Map<string, ReadState>();
  for (const state of latestOf(states)) {
    for (const { urn, suffix, attempts } of state.owners) requesters.set(suffix, { state, urn, attempts });
    for (const { urn, suffix, exactName } of state.pendingCreations) {
      for (const name of [suffix, exactName]) requesters.set(name, { state, urn, creation: suffix });
    }
    for (const { urn } of [...state.owners, ...state.pendingCreations]) byTag.set(tagOf(urn), state);
  }
  requesters.delete(undefined);
  return (name) => {
    const suffix = suffixIn(name);
    const found = requesters.get(suffix) ?? requesters.get(name);
    if (found !== undefined) return { state: found.state, urn: found.urn, proof: proofOf(name, found) };
    const state = suffix && byTag.get(tagIn(suffix));
    return state ? { state, urn: undefined, proof: "none" } : undefined;
  };
}

/**
 * What a run of its stack would do with a live key that no given state holds.
 * @param now - The service's time, in milliseconds.
 */
export function decideUnheld(
  { lastUsedAt, createdAt }: ApiKeyRecord,
  proof: OrphanFacts["proof"],
  now: number,
  isUpdatedSince: OrphanFacts["isUpdatedSince"] = "unknown",
): OrphanDecision {
  // Nothing but a pending creation shows that nobody else is about to save a young key.
  const isOld = proof === "pending creation" || now - Date.parse(createdAt) >= UNDER_WAY_MS;
  const isUnderWay = isOld ? "no" : "unknown";
  return decideOrphan({ isUsed: lastUsedAt !== null, isHeld: "no", isUnderWay, proof, isUpdatedSince });
}

/** How long a run takes at most, as a rule, to save a key that it creates, in milliseconds. */
const SAVED_WITHIN_MS = 15 * 60_000;

/** What a live key is that no given state holds; `undefined` for one that a run in progress may be creating. */
export function unheldFlag(
  key: ApiKeyRecord,
  origin: Origin | undefined,
  now: number,
): "orphan" | "unmanaged" | undefined {
  if (origin === undefined || decideUnheld(key, origin.proof, now).decision === "leave") return "unmanaged";
  return now - Date.parse(key.createdAt) >= SAVED_WITHIN_MS ? "orphan" : undefined;
}
