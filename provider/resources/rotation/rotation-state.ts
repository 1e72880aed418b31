import { endOfOverlap } from "../../keys/fate";
import type { RecordedKey } from "../../keys/find-key";
import { digestOfTriggers, type KeyState } from "../../keys/key-state";
import type { MadeBy } from "../../keys/names";
import type { HeldName, HistoryMark } from "../../schema/witness";
import type { Recipients, SealedTexts } from "../../seal/recipients";
import { type PlannedRotation, periodsOf, type RotationInputs } from "./rotation-fields";

/** A key with its secret, or with its sealed secret, as stored in a state. */
export interface HeldKey extends Pick<RecordedKey, "id" | "digest"> {
  readonly name: string;
  /** The secret; absent if the key is sealed. */
  readonly key: string | undefined;
  readonly sealedKey?: SealedTexts | undefined;
}

/** The state of a rotating key, stored in the outputs. */
export interface RotationState extends KeyState<RotationInputs> {
  /** The key for consumers to use; absent if none could be created yet. */
  readonly current: HeldKey | undefined;
  readonly sealedTo: Recipients | undefined;
  /** The `maxAge` of the current key, whose deadline is in its name; absent if it has none. */
  readonly leasedFor: string | undefined;
  /** Whether the current key was missing from the account while the previous one was live. */
  readonly currentGone: boolean;
  readonly previous: HeldKey | undefined;
  /** ISO 8601 time at which the current key replaced the previous one and was ready. */
  readonly rotatedAt: string | undefined;
  /** ISO 8601 time by which a complete run had given the current key to the whole stack, once that is known. */
  readonly deliveredAt: string | undefined;
  /** What the history of the stack showed when the current key replaced the previous one, if no ledger delivers it. */
  readonly historyMark: HistoryMark | undefined;
  /** ISO 8601 time of the last known use of the previous key. */
  readonly previousUsedAt: string | undefined;
  /** Ids of keys that `revokeNow` names. They are revoked when everything in the stack has their successor. */
  readonly compromised: readonly string[];
  /** Ids of previous keys whose grace is over. The ledger revokes them. Their secrets are no longer stored. */
  readonly retired: readonly string[];
  /** The adopted key, and the tag of the owner that adopted it, because its name does not show the owner. */
  readonly adopted: { readonly id: string; readonly name?: string; readonly by: string } | undefined;
}

/**
 * The state with the program's triggers recorded. Triggers that require a rotation are queued; others are in force at
 * once. Setting the first triggers, or removing all, requires no rotation.
 */
export function withTriggers(state: RotationState, wanted: unknown = state.inputs.rotationTriggers): RotationState {
  // Without a key, there is no digest, and the next key is created with the triggers of the program.
  const digest = digestOfTriggers(wanted, digestKeyOf(state), state.triggers, state.queuedTriggers);
  const asksToRotate = state.triggers !== undefined && digest !== undefined && digest !== state.triggers;
  return asksToRotate
    ? { ...state, queuedTriggers: digest }
    : { ...state, triggers: digest, queuedTriggers: undefined };
}

/** The secret for digests beside the current key; `undefined` without a key. */
export function digestKeyOf({ current, digestKey }: Pick<RotationState, "current" | "digestKey">): string | undefined {
  return current && (current.key ?? digestKey);
}

/** Whether a key is live that the current one replaced. */
export function hasPredecessor({ previous, retired }: RotationState): boolean {
  return previous !== undefined || retired.length > 0;
}

/** A key of the state, with what shows who created it. */
export function madeBy({ adopted }: RotationState, { id, name }: HeldName): MadeBy {
  return { name, maker: adopted?.id === id ? adopted.by : undefined };
}

/** When the previous key may be revoked at the earliest, in milliseconds since 1970; `undefined` without one. */
export function retireTime(state: RotationState, inputs: PlannedRotation): number | undefined {
  const since = Date.parse(state.deliveredAt ?? state.rotatedAt ?? "");
  if (state.previous === undefined || Number.isNaN(since)) return undefined;
  return endOfOverlap(since, Date.parse(state.previousUsedAt ?? ""), periodsOf(inputs));
}

export function withoutPrevious(state: RotationState): RotationState {
  return { ...state, previous: undefined, previousUsedAt: undefined };
}
