import { randomUUID } from "node:crypto";
import { KeyplaneError } from "../errors";
import { keyIn } from "../key-index";
import { identityHere, mustBeSameAccount } from "../keys/account-guard";
import { isHeldElsewhere } from "../keys/holders";
import { identityIn, sameOwner } from "../keys/identity";
import { isKept, triggersDue } from "../keys/key-fields";
import { noteLostNames } from "../keys/orphans";
import { finishPending, pendingUnder, wasHandedOut } from "../keys/readiness";
import {
  type DoomedKey,
  findKey,
  isForeign,
  mustNotForget,
  mustRevokeAll,
  ownerNow,
  type RecordedKey,
  refuseOwnCredential,
  revokeAll,
  revokeKey,
} from "../keys/revoke-key";
import { type Context, NotReady, type Properties, type ResourceType } from "../schema/resource-type";
import { adoptionOf, adoptionRules, heldBy, refuseLateAdoption } from "./rotation/adoption";
import { retirePrevious } from "./rotation/retire-key";
import { rotateKey } from "./rotation/rotate-key";
import { rotationFields, rotationRules } from "./rotation/rotation-fields";
import { outputsOf } from "./rotation/rotation-outputs";
import { rotationDue, rotationReason } from "./rotation/rotation-plan";
import {
  type HeldKey,
  isoOf,
  makerOf,
  NOTHING,
  type RotationState,
  stateOf,
  withoutPrevious,
  withTriggers,
} from "./rotation/rotation-state";

/**
 * A current key and, for a time, the one before it: a rotation makes a new key and leaves the old one to those who
 * still use it. The resource stays the same one, so that only `update` rotates, which knows exactly what is live.
 */
export const rotatingApiKey: ResourceType = {
  name: "RotatingApiKey",

  fields: rotationFields,

  canBeAbsent: ["rotateAt", "previousKeyId", "previousKey", "retireAfter", "pending"],

  rules: (inputs, context) => [...rotationRules(inputs, context), ...adoptionRules(inputs, context)],

  holds: (outputs) => heldBy(stateOf(outputs)),

  due(outputs, inputs, { now }) {
    refuseLateAdoption(outputs, inputs);
    refuseUnknownKey(outputs, inputs);
    const state = withTriggers(stateOf(outputs), inputs.rotationTriggers);
    return [...triggersDue(outputs), ...rotationDue(state, inputs, now)];
  },

  async create(inputs, context) {
    await mustBeSameAccount(identityIn(inputs), context);
    const id = randomUUID();
    const adopt = adoptionOf(inputs);
    if (adopt !== undefined) {
      // Rare, so no other run loads it.
      const { adoptKey } = await import("./rotation/adopt-key.js");
      return { id, outputs: await adoptKey(adopt, inputs, context) };
    }
    const state = withTriggers(NOTHING, inputs.rotationTriggers);
    const reason = { field: "pending", why: "the first key", urgent: true, compromised: false };
    return { id, outputs: await rotateKey({ id, saved: NOTHING, state, reason, inputs }, context) };
  },

  async read(_id, outputs, context) {
    const state = stateOf(outputs);
    const { current, previous, createdAt } = state;
    if (current === undefined && previous === undefined) return outputs;
    const [currentFound, previousFound] = await Promise.all([
      current && findKey({ ...recorded(current, state), createdAt }, context),
      previous && findKey(recorded(previous, state), context),
    ]);
    if (currentFound === undefined && previousFound === undefined) {
      context.warn("all its keys are gone from the account: the next `pulumi up` makes a new one");
      // What is not revoked yet would be forgotten with the resource.
      const retired = await liveAmong(state.retired, context);
      if (state.pendingRevocations.length + retired.length === 0) return undefined;
    } else if (current !== undefined && currentFound === undefined) {
      context.warn(
        `key ${current.keyId} (${current.name}) is gone from the account; key ${previous?.keyId}, the one before it, is ` +
          "alive. The next `pulumi up` makes a new key",
      );
    }
    const left = previousFound === undefined ? withoutPrevious(state) : state;
    const currentGone = current !== undefined && currentFound === undefined;
    return outputsOf({ ...left, currentGone, identity: identityHere(state.identity, context) }, outputs);
  },

  async update(id, outputs, inputs, context) {
    await mustBeSameAccount(identityIn(inputs), context);
    // A new owner, of a renamed or copied stack, proves nothing of the keys that it was not there for.
    if (!sameOwner(outputs.owner, inputs.owner)) await mustBeSameAccount(identityIn(outputs), context);
    const saved = stateOf(outputs);
    // In a copied state they are the original's to revoke, which has them in its state, too.
    const isCopy = !sameOwner(outputs.owner, inputs.owner);
    const toRevoke = isCopy ? { retired: [], pendingRevocations: [] } : {};
    const pending = pendingUnder(inputs, outputs);
    // The previous key is to outlive the resource, too.
    if (saved.previous !== undefined && isKept(inputs) && !isKept(outputs)) {
      await context.keys().authenticates(saved.previous.key);
    }
    const identity = identityIn(inputs);
    let state: RotationState = { ...noteTriggers(saved, inputs, context), ...toRevoke, pending, identity };
    state = await getReady(id, state, saved.pending.length === 0, inputs, context);
    state = await revokePending(state, inputs, context);
    state = await retirePrevious(state, inputs, context);
    const reason = rotationReason(state, inputs, context.now());
    const rotates = reason !== undefined && (reason.urgent || state.previous === undefined);
    return rotates ? rotateKey({ id, saved, state, reason, inputs }, context) : outputsOf(state, inputs);
  },

  async delete(id, outputs, context) {
    noteLostNames(outputs, context);
    const state = stateOf(outputs);
    const { current, previous, pendingRevocations, retired } = state;
    const isOurs = (keyId: string) => !isHeldElsewhere(keyId, id, context);
    const owner = ownerNow(outputs, context);
    const keys = [previous, current].filter((key) => key !== undefined).filter(({ keyId }) => isOurs(keyId));
    const stays = (key: HeldKey) => outputs.revokeOnDelete === false && (key !== current || wasHandedOut(outputs));
    const kept = keys.filter(stays);
    if (kept.length > 0) await mustNotForget(outputs, context);
    for (const { keyId, name } of kept) {
      context.run.kept.set(keyId, "revokeOnDelete is false");
      context.info(`key ${keyId} (${name}) stays live, because revokeOnDelete is false`);
    }
    const doomed = keys.filter((key) => !stays(key));
    for (const { keyId, key } of doomed) refuseOwnCredential({ id: keyId, key }, context);
    for (const held of doomed) {
      const { keyId, name } = held;
      if (isForeign(makerOf(state, held, owner))) {
        context.warn(`key ${keyId} (${name}) was made by another stack than this: it is not revoked`);
      } else {
        context.progress(`revoking key ${keyId}`);
        const { createdAt } = held === current ? state : {};
        await revokeKey({ ...recorded(held, state), createdAt }, context);
      }
    }
    // What a stack from which this state was copied has to revoke is for that stack.
    if (!sameOwner(owner, outputs.owner)) return;
    const left = [...pendingRevocations, ...retired].filter(isOurs);
    await mustRevokeAll(doomedIn(left, state), state.identity, context);
  },
};

/** A key as the state tells of it, without the time of its creation. */
function recorded({ keyId, name, key }: HeldKey, { identity }: RotationState): RecordedKey {
  return { id: keyId, name, key, identity };
}

/** Keys to revoke: under names with the owner's tag, but for one that was adopted. */
function doomedIn(ids: readonly string[], { adopted }: RotationState): readonly DoomedKey[] {
  return ids.map((id) => ({ id, name: adopted?.id === id ? adopted.name : undefined }));
}

/** The state with the program's triggers noted; says so where they have to wait for the previous key. */
function noteTriggers(saved: RotationState, inputs: Properties, context: Context): RotationState {
  const state = withTriggers(saved, inputs.rotationTriggers);
  if (state.queuedTriggers !== undefined && saved.queuedTriggers === undefined && state.previous !== undefined) {
    const { keyId } = state.previous;
    context.info(`a trigger has changed: the key rotates as soon as the previous key, ${keyId}, can be revoked`);
  }
  return state;
}

/**
 * Throws where a program begins to name a key under `revokeNow` that is not the resource's: in an incident nobody must
 * believe that a key is revoked. One that was named before can be revoked by now.
 */
function refuseUnknownKey(outputs: Properties, { revokeNow }: Properties): void {
  if (typeof revokeNow !== "string" || revokeNow === outputs.revokeNow) return;
  const state = stateOf(outputs);
  const { current, previous } = state;
  if (heldBy(state).some(({ id }) => id === revokeNow)) return;
  const own = [current && `${current.keyId} (current)`, previous && `${previous.keyId} (previous)`];
  throw new KeyplaneError(
    "KP-INPUT",
    `revokeNow: key ${revokeNow} is not a key of this resource, which has ${own.filter(Boolean).join(" and ") || "none"}. ` +
      "Nothing was revoked. Give one of these ids, or remove revokeNow if the key is revoked already",
  );
}

/** Those of some ids whose keys are live; costs nothing where there are none. */
async function liveAmong(ids: readonly string[], context: Context): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const keys = await context.keys().list();
  return ids.filter((id) => keyIn(keys, id) !== undefined);
}

/** Ends what a key that exists still waits for. Where it was never handed out, its predecessor's grace counts from then on. */
async function getReady(
  id: string,
  state: RotationState,
  wasReady: boolean,
  inputs: Properties,
  context: Context,
): Promise<RotationState> {
  if (state.pending.length === 0 || state.pending.some((work) => work.status === "failed")) return state;
  const { pending, reason } = await finishPending(state.pending, state.current?.key, inputs, context);
  if (reason !== undefined) throw new NotReady(id, outputsOf({ ...state, pending }, inputs), reason);
  return { ...state, pending, rotatedAt: wasReady ? state.rotatedAt : isoOf(context.now()) };
}

/** Revokes what is left to revoke, once its successor is ready: until then somebody may have nothing else. */
async function revokePending(state: RotationState, inputs: Properties, context: Context): Promise<RotationState> {
  if (state.current === undefined || state.currentGone || state.pending.length > 0) return state;
  const doomed = doomedIn(state.pendingRevocations, state);
  return { ...state, pendingRevocations: await revokeAll(doomed, identityIn(inputs), context) };
}
