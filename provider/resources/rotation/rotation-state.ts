import { keyDigest } from "../../key-digest";
import { identityIn } from "../../keys/identity";
import { digestOfTriggers, queuedDigestIn, sealedIn, textOf, textsOf, triggersDigestIn } from "../../keys/key-fields";
import { type LostRequests, lostIn } from "../../keys/lost-key";
import type { Made } from "../../keys/maker";
import { type PendingWork, pendingOf } from "../../keys/readiness";
import type { Digest } from "../../schema/digest";
import type { Properties } from "../../schema/resource-type";
import type { HistoryMark } from "../../schema/witness";
import type { Recipients, SealedTexts } from "../../seal/recipients";
import { shownName } from "../../text";
import { type PlannedRotation, periodsOf } from "./rotation-fields";

/** A key with its secret, or with its sealed secret, as stored in a state. */
export interface HeldKey {
  readonly keyId: string;
  readonly name: string;
  /** Absent if the key is sealed. */
  readonly key: string | undefined;
  readonly sealedKey?: SealedTexts | undefined;
  /** The public digest of the secret. */
  readonly digest?: string | undefined;
}

/** The state of a rotating key, stored in the outputs. */
export interface RotationState {
  /** The key for consumers to use; absent if none could be created yet. */
  readonly current: HeldKey | undefined;
  /** The recipients of the current key, if it is sealed. */
  readonly sealedTo: Recipients | undefined;
  /** The `maxAge` of the current key, whose deadline is in its name; absent if it has none. */
  readonly leasedFor: string | undefined;
  /** The secret for digests beside a sealed key. */
  readonly digestKey: string | undefined;
  /** ISO 8601 time at which the service created the current key. */
  readonly createdAt: string | undefined;
  /** Whether the current key was missing from the account while the previous one was live. */
  readonly currentGone: boolean;
  /** The key that consumers may still use. */
  readonly previous: HeldKey | undefined;
  /** ISO 8601 time at which the current key replaced the previous one and was ready. */
  readonly rotatedAt: string | undefined;
  /** ISO 8601 time by which a complete run had given the current key to the whole stack, once that is known. */
  readonly deliveredAt: string | undefined;
  /** What the history of the stack showed when the current key replaced the previous one, if no ledger delivers it. */
  readonly historyMark: HistoryMark | undefined;
  /** ISO 8601 time of the last known use of the previous key. */
  readonly previousUsedAt: string | undefined;
  /** Digest of the triggers with which the current key was created, made with its secret. */
  readonly triggers: Digest | undefined;
  /** Digest of triggers whose rotation has not happened yet, made with the secret of the current key. */
  readonly queuedTriggers: Digest | undefined;
  /** What the current key still waits for. */
  readonly pending: readonly PendingWork[];
  /** Ids of keys that were not handed out and must be revoked as soon as possible. */
  readonly pendingRevocations: readonly string[];
  /** Ids of keys that `revokeNow` names. They are revoked when everything in the stack has their successor. */
  readonly compromised: readonly string[];
  /** Ids of keys that a former version of keyplane has retired, but not revoked. Their secrets are not stored. */
  readonly retired: readonly string[];
  readonly lost: LostRequests;
  /** The adopted key, and the tag of the owner that adopted it, because its name does not show the owner. */
  readonly adopted: { readonly id: string; readonly name?: string; readonly by: string } | undefined;
  /** The owner's identity in the account that last contained the keys. */
  readonly identity: string | undefined;
}

/** The state before a key is created. */
export const NOTHING: RotationState = {
  current: undefined,
  sealedTo: undefined,
  leasedFor: undefined,
  digestKey: undefined,
  createdAt: undefined,
  currentGone: false,
  previous: undefined,
  rotatedAt: undefined,
  deliveredAt: undefined,
  historyMark: undefined,
  previousUsedAt: undefined,
  triggers: undefined,
  queuedTriggers: undefined,
  pending: [],
  pendingRevocations: [],
  compromised: [],
  retired: [],
  lost: {},
  adopted: undefined,
  identity: undefined,
};

/** Reads a resource's outputs, also those of former versions. */
export function stateOf(outputs: Properties): RotationState {
  // Version 0.2 kept both kinds in `retired`, and the plugin some in `retiring`.
  const old = [...textsOf(outputs.retired), ...textsOf(outputs.retiring)];
  const named = new Set([...textsOf(outputs.compromised), outputs.revokeNow]);
  return {
    current: heldKey(outputs.keyId, outputs.name, outputs.key, outputs.sealedKey, outputs.digest),
    sealedTo: sealedIn(outputs.sealedKey) && (outputs.sealTo as Recipients | undefined),
    leasedFor: textOf(outputs.leasedFor),
    digestKey: textOf(outputs.digestKey),
    createdAt: textOf(outputs.createdAt),
    currentGone: outputs.currentGone === true,
    previous: heldKey(
      outputs.previousKeyId,
      outputs.previousName,
      outputs.previousKey,
      outputs.previousSealedKey,
      outputs.previousDigest,
    ),
    rotatedAt: textOf(outputs.rotatedAt),
    deliveredAt: textOf(outputs.deliveredAt),
    historyMark: markIn(outputs.historyMark),
    previousUsedAt: textOf(outputs.previousUsedAt),
    triggers: triggersDigestIn(outputs),
    queuedTriggers: queuedDigestIn(outputs),
    pending: pendingOf(outputs),
    pendingRevocations: textsOf(outputs.pendingRevocations),
    compromised: old.filter((id) => named.has(id)),
    retired: old.filter((id) => !named.has(id)),
    lost: lostIn(outputs),
    adopted: outputs.adopted as RotationState["adopted"],
    identity: identityIn(outputs),
  };
}

/**
 * The state with the program's triggers recorded. Triggers that require a rotation are queued; others are in force at
 * once. Setting the first triggers, or removing all, requires no rotation.
 */
export function withTriggers(state: RotationState, wanted: unknown): RotationState {
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

/** Formats a key for messages. */
export function formatKey({ keyId, name }: Pick<HeldKey, "keyId" | "name">): string {
  return `${keyId} (${shownName(name)})`;
}

/** Whether a key is live that the current one replaced. */
export function hasPredecessor({ previous, retired }: RotationState): boolean {
  return previous !== undefined || retired.length > 0;
}

/** A key of the state, with what shows who created it. */
export function madeBy({ adopted }: RotationState, { keyId, name }: Pick<HeldKey, "keyId" | "name">): Made {
  return { name, maker: adopted?.id === keyId ? adopted.by : undefined };
}

/** When the previous key may be revoked at the earliest, in milliseconds since 1970; `undefined` without one. */
export function retireTime(state: RotationState, inputs: PlannedRotation): number | undefined {
  const since = Date.parse(state.deliveredAt ?? state.rotatedAt ?? "");
  if (state.previous === undefined || Number.isNaN(since)) return undefined;
  const { grace, quiet, maxOverlap } = periodsOf(inputs);
  const used = Date.parse(state.previousUsedAt ?? "");
  const quietFrom = Number.isNaN(used) ? 0 : used + quiet;
  return Math.min(Math.max(since + grace, quietFrom), since + maxOverlap);
}

/** The state without its previous key. */
export function withoutPrevious(state: RotationState): RotationState {
  return { ...state, previous: undefined, previousUsedAt: undefined };
}

/** A time in milliseconds since 1970 as ISO 8601. */
export function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

function heldKey(...[keyId, name, key, sealedKey, digest]: readonly unknown[]): HeldKey | undefined {
  if (typeof keyId !== "string") return undefined;
  const secret = textOf(key);
  return {
    keyId,
    name: String(name),
    key: secret,
    sealedKey: sealedIn(sealedKey),
    digest: secret === undefined ? textOf(digest) : keyDigest(secret),
  };
}

function markIn(value: unknown): HistoryMark | undefined {
  const { startedAt, lastEnd, runsAtLastEnd } = (value ?? {}) as Partial<Record<keyof HistoryMark, unknown>>;
  return typeof startedAt === "number" && typeof lastEnd === "number" && typeof runsAtLastEnd === "number"
    ? { startedAt, lastEnd, runsAtLastEnd }
    : undefined;
}
