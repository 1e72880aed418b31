import { isoOf } from "../../duration";
import { keyDigest } from "../../key-digest";
import { rotateAt } from "../../keys/key-fields";
import { readKeyState, sealedIn } from "../../keys/key-state";
import { expiresAt, sameAge } from "../../keys/lease";
import { isOthers } from "../../keys/names";
import { membersOf, textOf, textsOf, withoutEmpty } from "../../members";
import type { Outputs, Properties } from "../../schema/outputs";
import type { HistoryMark } from "../../schema/witness";
import { type Recipients, sameRecipients } from "../../seal/recipients";
import { graceOf, type RotationInputs } from "./rotation-fields";
import { type HeldKey, hasPredecessor, madeBy, type RotationState, retireTime } from "./rotation-state";

/** Reads a resource's outputs, also those of former versions. */
export function readState(outputs: Properties): RotationState {
  const { keyId, name, key, sealedKey, digest, ...others } = outputs;
  const { previousKeyId, previousName, previousKey, previousSealedKey, previousDigest, ...left } = others;
  const { digestKey, createdAt, expiresAt, rotateAt, retireAfter, nextAction, pending, adopted, ...more } = left;
  const { rotatedAt, deliveredAt, historyMark, previousUsedAt, leasedFor, currentGone, ...rest } = more;
  const { triggersDigest, queuedTriggersDigest, rotationTriggers, queuedTriggers, queuedSealTo, ...last } = rest;
  const { pendingRevocations, compromised, retired, retiring, lostNames, lostAt, ...most } = last;
  const { credential, postponedTo, predecessors, mintedBy, ...inputs } = most as typeof most & RotationInputs;
  // Version 0.2 kept both kinds in `retired`, and the plugin some in `retiring`.
  const old = [...textsOf(retired), ...textsOf(retiring)];
  const named = new Set([...textsOf(compromised), inputs.revokeNow]);
  return {
    // The recipients that the program wants. They can be queued, and none are queued as an empty map.
    inputs: { ...inputs, sealTo: recipientsIn(queuedSealTo ?? inputs.sealTo) },
    current: heldKey(keyId, name, key, sealedKey, digest),
    sealedTo: sealedIn(sealedKey) && inputs.sealTo,
    // An alias can pass the state of an `ApiKey`, whose key always has the deadline of its input.
    leasedFor: textOf(nextAction === undefined ? inputs.maxAge : leasedFor),
    currentGone: currentGone === true || outputs.gone === true,
    previous: heldKey(previousKeyId, previousName, previousKey, previousSealedKey, previousDigest),
    rotatedAt: textOf(rotatedAt),
    deliveredAt: textOf(deliveredAt),
    historyMark: readMark(historyMark),
    previousUsedAt: textOf(previousUsedAt),
    compromised: old.filter((id) => named.has(id)),
    retired: old.filter((id) => !named.has(id)),
    // An alias can pass the state of an `ApiKey` with an exact name, which does not show the owner either.
    adopted: (adopted ?? (mintedBy && keyId && { id: keyId, name, by: mintedBy })) as RotationState["adopted"],
    ...readKeyState(outputs),
  };
}

/** The state before a key is created. */
export const NOTHING: RotationState = readState({});

export function writeState(state: RotationState): Outputs {
  const { current, previous, inputs } = state;
  const { rotatedAt, deliveredAt, historyMark } = hasPredecessor(state) ? state : NOTHING;
  const wantedTo = recipientsIn(inputs.sealTo);
  // Outputs that only a sealed key has, or lacks, are `null` while it can get one: Pulumi shows absent ones as unknown.
  const isSealed = [state.sealedTo, wantedTo].some((recipients) => recipients !== undefined);
  const written = {
    // Its secret is already in the outputs, as `key`.
    adopt: undefined,
    adopted: state.adopted,
    // They can contain secrets, which the engine encrypts only under the name of an input.
    rotationTriggers: undefined,
    triggersDigest: current && state.triggers?.text,
    queuedTriggersDigest: current && state.queuedTriggers?.text,
    keyId: current?.id,
    name: current?.name,
    // A secret can be read only at creation, so it is carried from state to state.
    key: isSealed ? (current?.key ?? null) : current?.key,
    sealedKey: current?.sealedKey ?? (isSealed ? null : undefined),
    digest: current?.digest,
    digestKey: current?.sealedKey && state.digestKey,
    // The recipients of the current key. Others wait for the next rotation.
    sealTo: current === undefined ? wantedTo : state.sealedTo,
    queuedSealTo: current && !sameRecipients(state.sealedTo, wantedTo) ? (wantedTo ?? {}) : undefined,
    createdAt: state.createdAt,
    expiresAt: expiresAt(current?.name),
    leasedFor: current && state.leasedFor,
    rotateAt: rotateAt(state.createdAt, inputs, graceOf(inputs)),
    currentGone: state.currentGone || undefined,
    previousKeyId: previous?.id,
    previousName: previous?.name,
    previousKey: previous?.key,
    previousSealedKey: previous?.sealedKey ?? (isSealed ? null : undefined),
    previousDigest: previous?.digest,
    rotatedAt,
    deliveredAt,
    historyMark,
    previousUsedAt: previous && state.previousUsedAt,
    retireAfter: isoOf(retireTime(state, inputs)),
    pending: state.pending,
    pendingRevocations: state.pendingRevocations,
    // A former version of keyplane reads all of them in `retired`.
    retired: [...state.compromised, ...state.retired],
    compromised: state.compromised,
    ...state.lost,
    // The identity from the inputs or, after a read, the one with the account as it is known now.
    owner: state.identity ?? inputs.owner,
    nextAction: nextAction(state),
  };
  return withoutEmpty(Object.assign({}, inputs, written));
}

function recipientsIn(value: unknown): Recipients | undefined {
  return Object.keys(membersOf(value)).length > 0 ? (value as Recipients) : undefined;
}

function heldKey(...[id, name, key, sealedKey, digest]: readonly unknown[]): HeldKey | undefined {
  if (typeof id !== "string") return undefined;
  const secret = textOf(key);
  return {
    id,
    name: String(name),
    key: secret,
    sealedKey: sealedIn(sealedKey),
    digest: secret === undefined ? textOf(digest) : keyDigest(secret),
  };
}

function readMark(value: unknown): HistoryMark | undefined {
  const { startedAt, lastEnd, runsAtLastEnd, newest, isAgain } = membersOf(value);
  if (![startedAt, lastEnd, runsAtLastEnd].every((each) => typeof each === "number")) return undefined;
  const mark = { startedAt, lastEnd, runsAtLastEnd, isAgain: isAgain === true } as HistoryMark;
  const { version, began } = membersOf(newest);
  const isNumbered = typeof version === "number" && typeof began === "number";
  return withoutEmpty({ ...mark, newest: isNumbered ? { version, began } : undefined });
}

/**
 * What the next runs will do with a rotating key, in words: `rotate after 2026-12-21T00:00:00.000Z; revoke key 17 after
 * 2026-11-22T00:00:00.000Z`. Contains times, not what is due now: a text that changes with time would cause a diff in
 * every preview.
 */
export function nextAction(state: RotationState): string {
  const { current, previous, inputs } = state;
  const steps: string[] = [];
  if (current === undefined || state.currentGone) steps.push("create a new key");
  else if (state.pending.length > 0) steps.push(`wait until key ${current.id} is ready`);
  const at = rotateAt(state.createdAt, inputs, graceOf(inputs));
  const window = inputs.rotationWindow === undefined ? "" : ", inside rotationWindow";
  const isOther =
    !sameAge(state.leasedFor, inputs.maxAge) || !sameRecipients(state.sealedTo, recipientsIn(inputs.sealTo));
  const isQueued = state.queuedTriggers !== undefined || (current !== undefined && isOther);
  if (isQueued) {
    steps.push(previous === undefined ? "rotate" : `rotate as soon as key ${previous.id} is revoked`);
  } else if (at !== undefined) steps.push(`rotate after ${at}${window}`);
  if (previous !== undefined && isOthers(madeBy(state, previous), state.identity ?? inputs.owner)) {
    steps.push(`leave key ${previous.id}, which another stack created`);
  } else if (previous !== undefined) {
    steps.push(`revoke key ${previous.id} after ${isoOf(retireTime(state, inputs))}, unless it is in use`);
  }
  for (const id of [...state.compromised, ...state.pendingRevocations]) steps.push(`revoke key ${id}`);
  // The ledger revokes it after this text is written, as the last step of the same run, if nothing prevents it.
  for (const id of state.retired) steps.push(`make sure that key ${id} is revoked`);
  return steps.join("; ") || "rotate when a trigger changes";
}
