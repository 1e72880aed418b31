import { isDeepStrictEqual } from "node:util";
import { isoOf } from "../../duration";
import { graceOf, rotateAt, sameAge } from "../../keys/ages";
import type { RecordedKey } from "../../keys/finding";
import { type HeldKey, heldKey, type KeyState, pendingKeys, readKeyState, writeKeyState } from "../../keys/key-state";
import { deadlineIn, expiresAt, suffixIn } from "../../keys/naming";
import { type Members, membersOf, textOf, withoutEmpty } from "../../members";
import { hasUnknown } from "../../schema/fields";
import { type Recipients, sameRecipients } from "../../seal/recipients";
import { inputsIn } from "../resource";
import { overlapOf, type RotationInputs, rotationFields } from "./fields";

/** The state of a rotating key, stored in the outputs. */
export interface RotationState extends KeyState<RotationInputs> {
  /** The key for consumers to use; absent if none could be created yet, or if it is gone. */
  readonly current: HeldKey | undefined;
  /** Whether a trigger has changed since the current key was created. */
  readonly isQueued: boolean;
  /** The recipients that the current key is sealed for. */
  readonly sealedTo: Recipients | undefined;
  /** The `maxAge` of the current key, whose deadline is in its name; absent if it has none. */
  readonly maxAgeOfCurrent: string | undefined;
  readonly previous: HeldKey | undefined;
  /** ISO 8601 time at which the current key replaced the previous one and was ready. */
  readonly rotatedAt: string | undefined;
  /** ISO 8601 time by which a whole run had delivered the current key, once that is known. */
  readonly deliveredAt: string | undefined;
  /** ISO 8601 time at which to ask whether the previous key can be revoked. */
  readonly retireAfter: string | undefined;
  /** The key that the resource has started with, whose name has not its suffix. */
  readonly adopted: { readonly id: string; readonly name: string } | undefined;
}

/** Stands for no deadline, where the state would otherwise say that the current key has the one of its input. */
const NONE = "none";

/** Reads a resource's outputs, also those of an `ApiKey`, which an alias can pass. */
export function readState(outputs: Members): RotationState {
  const { keyId: id, name, key, sealedKey, digest, maxAgeOfCurrent, sealedTo, adopted } = outputs;
  const given = inputsIn<RotationInputs>(rotationFields, outputs);
  const current = heldKey({ id, name, key, sealedKey, digest });
  const { id: adoptedId, name: adoptedName } = membersOf(adopted);
  return {
    inputs: { ...given, sealTo: recipientsIn(given.sealTo) },
    current,
    isQueued: outputs.rotationQueued === true,
    sealedTo: current?.sealedKey && recipientsIn(sealedTo ?? given.sealTo),
    maxAgeOfCurrent: maxAgeOfCurrent === NONE ? undefined : textOf(maxAgeOfCurrent ?? given.maxAge),
    previous: heldKey({
      id: outputs.previousKeyId,
      name: outputs.previousName,
      key: outputs.previousKey,
      sealedKey: outputs.previousSealedKey,
      digest: outputs.previousDigest,
    }),
    rotatedAt: textOf(outputs.rotatedAt),
    deliveredAt: textOf(outputs.deliveredAt),
    retireAfter: textOf(outputs.retireAfter),
    adopted:
      typeof adoptedId === "string"
        ? { id: adoptedId, name: String(adoptedName) }
        : withoutSuffix(current, given.__suffix),
    ...readKeyState(outputs),
  };
}

/** A key whose name has not the suffix: that of an `ApiKey` with an exact name. */
function withoutSuffix(key: HeldKey | undefined, suffix: string | undefined): RotationState["adopted"] {
  return key === undefined || suffixIn(key.name) === suffix ? undefined : { id: key.id, name: key.name };
}

/** The state before a key is created. */
export const NOTHING: RotationState = { ...readState({}), attempts: 0 };

export function writeState(state: RotationState): Members {
  const { current, previous, inputs, sealedTo, maxAgeOfCurrent } = state;
  // Outputs that only a sealed key has, or lacks, are `null` while it can get one: Pulumi shows absent ones as unknown.
  const isSealed = sealedTo !== undefined || inputs.sealTo !== undefined;
  const isOtherAge = current !== undefined && !sameAge(maxAgeOfCurrent, inputs.maxAge);
  const written = {
    // Its secret is already in the outputs, as `key`.
    adopt: undefined,
    adopted: state.adopted,
    keyId: current?.id,
    name: current?.name,
    // A secret can be read only at creation, so it is carried from state to state.
    key: isSealed ? (current?.key ?? null) : current?.key,
    sealedKey: current?.sealedKey ?? (isSealed ? null : undefined),
    digest: current?.digest,
    expiresAt: expiresAt(current?.name),
    // What the current key was made with, if the program wants something else for the next one.
    rotationQueued: state.isQueued || undefined,
    sealedTo: current && !sameRecipients(sealedTo, inputs.sealTo) ? (sealedTo ?? {}) : undefined,
    maxAgeOfCurrent: isOtherAge ? (maxAgeOfCurrent ?? NONE) : undefined,
    rotateAt: current && rotateAt(state.createdAt, inputs, graceOf(inputs)),
    previousKeyId: previous?.id,
    previousName: previous?.name,
    previousKey: previous?.key,
    previousSealedKey: previous?.sealedKey ?? (isSealed ? null : undefined),
    previousDigest: previous?.digest,
    rotatedAt: previous && state.rotatedAt,
    deliveredAt: previous && state.deliveredAt,
    retireAfter: isoOf(retireTime(state)),
  };
  return withoutEmpty<Members>(inputs, writeKeyState(state), written);
}

function recipientsIn(value: unknown): Recipients | undefined {
  return Object.keys(membersOf(value)).length > 0 ? (value as Recipients) : undefined;
}

/**
 * Whether the program's triggers ask for a rotation. Removing all of them does not. A value that a preview does not know
 * yet may be different.
 */
export function isTriggered({ inputs: { rotationTriggers: before } }: RotationState, after: unknown): boolean {
  if (hasUnknown(after)) return true;
  return Object.keys(membersOf(after)).length > 0 && !isDeepStrictEqual(before, after);
}

/** When to ask whether the previous key can be revoked, in milliseconds since 1970; `undefined` without one. */
export function retireTime({ previous, retireAfter }: RotationState): number | undefined {
  const at = Date.parse(retireAfter ?? "");
  if (previous === undefined || Number.isNaN(at)) return undefined;
  return Math.min(at, deadlineIn(previous.name) ?? at);
}

/** The state under new inputs. With another overlap, the previous key is asked about as soon as its grace is over. */
export function withInputs(saved: RotationState, given: RotationInputs): RotationState {
  const inputs = { ...given, sealTo: recipientsIn(given.sealTo) };
  const isQueued = saved.current !== undefined && (saved.isQueued || isTriggered(saved, inputs.rotationTriggers));
  const state = { ...saved, inputs, isQueued };
  if (isDeepStrictEqual(overlapOf(saved.inputs), overlapOf(inputs))) return state;
  const since = Date.parse(saved.deliveredAt ?? saved.rotatedAt ?? "");
  return { ...state, retireAfter: isoOf(since + graceOf(inputs)) };
}

export function withoutPrevious(state: RotationState): RotationState {
  return { ...state, previous: undefined, rotatedAt: undefined, deliveredAt: undefined, retireAfter: undefined };
}

/** Ids of the keys that the resource has, or has to revoke. */
export function heldBy({ current, previous, pendingRevocations }: RotationState): readonly string[] {
  return [...[current, previous].flatMap((key) => (key === undefined ? [] : [key.id])), ...pendingRevocations];
}

/** A key of the state, with what is needed to find it. */
export function recordOf(key: HeldKey, { fingerprint, current, createdAt, inputs }: RotationState): RecordedKey {
  const isUseAwaited = inputs.requireUse === true;
  return { ...key, fingerprint, ...(key === current && { createdAt, isUseAwaited }) };
}

/** Keys to revoke. Only one that was adopted has a name of its own. */
export function toRevoke(state: RotationState): readonly RecordedKey[] {
  const { adopted } = state;
  return pendingKeys(state, (id) => (adopted?.id === id ? adopted.name : undefined));
}
