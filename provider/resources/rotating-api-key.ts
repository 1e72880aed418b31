import { randomUUID } from "node:crypto";
import { KeyplaneError } from "../errors";
import { keyIn } from "../key-index";
import { identityHere, mustBeSameAccount } from "../keys/account-guard";
import { notDueYet } from "../keys/clock-skew";
import { isHeldElsewhere } from "../keys/holders";
import { identityIn, sameOwner } from "../keys/identity";
import { isKept, nextDue, rotateAt, triggersDue } from "../keys/key-fields";
import { sameAge } from "../keys/lease";
import { settleLost, settleLostForGood } from "../keys/lost-key";
import { isOthers } from "../keys/maker";
import { finishPending, pendingUnder, wasHandedOut } from "../keys/readiness";
import {
  findKey,
  mustHaveReachedConsumers,
  mustNotForget,
  mustRevokeAll,
  ownerNow,
  type RecordedKey,
  refuseOwnCredential,
  revokeAll,
  revokeKey,
} from "../keys/revoke-key";
import { type Context, NotReady, type Properties, type ResourceType } from "../schema/resource-type";
import { changeOfRecipients } from "../seal/recipients";
import { shownName } from "../text";
import { adoptionOf, adoptionRules, heldBy, keysToRevoke, refuseLateAdoption } from "./rotation/adoption";
import { retirePrevious } from "./rotation/retire-key";
import { type RotationRequest, rotateKey } from "./rotation/rotate-key";
import { rotationFields, rotationRules } from "./rotation/rotation-fields";
import { outputsOf } from "./rotation/rotation-outputs";
import { rotationDue, rotationReason } from "./rotation/rotation-plan";
import {
  formatKey,
  type HeldKey,
  isoOf,
  madeBy,
  NOTHING,
  type RotationState,
  stateOf,
  withoutPrevious,
  withTriggers,
} from "./rotation/rotation-state";

/**
 * A current key and, for a time, the previous one: a rotation creates a new key and leaves the old one to its
 * consumers. A rotation does not replace the resource: only `update` rotates, because it knows exactly what is live.
 */
export const rotatingApiKey: ResourceType = {
  name: "RotatingApiKey",

  fields: rotationFields,

  outputs: [
    "keyId",
    "name",
    "key",
    "sealedKey",
    "digest",
    "createdAt",
    "rotateAt",
    "expiresAt",
    "previousKeyId",
    "previousKey",
    "previousSealedKey",
    "previousDigest",
    "retireAfter",
    "pending",
    "nextAction",
  ],

  canBeAbsent: ["digest", "rotateAt", "previousKeyId", "previousKey", "previousDigest", "retireAfter", "pending"],

  onlyWith: { sealTo: ["sealedKey", "previousSealedKey"], maxAge: ["expiresAt"] },

  stable(outputs, inputs, now) {
    const state = withTriggers(stateOf(outputs), inputs.rotationTriggers);
    return rotationReason(state, inputs, now) === undefined
      ? ["keyId", "name", "key", "sealedKey", "digest", "createdAt", "expiresAt"]
      : [];
  },

  rules: (inputs, context, before) => [...rotationRules(inputs, context), ...adoptionRules(inputs, context, before)],

  holds: (outputs) => heldBy(stateOf(outputs)),

  compromised(outputs, inputs) {
    const { current, previous, compromised } = stateOf(outputs);
    const named = [current, previous].some((key) => key !== undefined && key.keyId === inputs.revokeNow);
    const ids = named ? [...compromised, String(inputs.revokeNow)] : compromised;
    return ids.length === 0 ? undefined : `key ${ids.join(", ")}, which revokeNow names, is to be revoked`;
  },

  due(outputs, inputs, terms) {
    refuseLateAdoption(outputs, inputs);
    refuseUnknownKey(outputs, inputs);
    const state = withTriggers(stateOf(outputs), inputs.rotationTriggers);
    return [...triggersDue(outputs), ...rotationDue(state, inputs, terms)];
  },

  async create(inputs, context) {
    await mustBeSameAccount(identityIn(inputs), context);
    const id = randomUUID();
    const adopt = adoptionOf(inputs);
    if (adopt !== undefined) {
      // Loaded on demand, because adoption is rare.
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
      context.warn("all keys of this resource are gone from the account. The next `pulumi up` creates a new one");
      // Removing the resource would lose the keys that are not revoked yet.
      const left = await liveAmong([...state.compromised, ...state.retired], context);
      if (state.pendingRevocations.length + left.length === 0) return undefined;
    } else if (current !== undefined && currentFound === undefined) {
      context.warn(
        `key ${formatKey(current)} is gone from the account. The previous key, ${previous?.keyId}, is still live. ` +
          "The next `pulumi up` creates a new key",
      );
    }
    const left = previousFound === undefined ? withoutPrevious(state) : state;
    const currentGone = current !== undefined && currentFound === undefined;
    return outputsOf({ ...left, currentGone, identity: identityHere(state.identity, context) }, outputs);
  },

  async update(id, outputs, inputs, context) {
    await mustBeSameAccount(identityIn(inputs), context);
    // A new owner, in a renamed or copied stack, proves nothing about keys that are older than the owner.
    if (!sameOwner(outputs.owner, inputs.owner)) await mustBeSameAccount(identityIn(outputs), context);
    const saved = stateOf(outputs);
    // In a copied state, the original stack revokes them: its state contains them, too.
    const isCopy = !sameOwner(outputs.owner, inputs.owner);
    const toRevoke = isCopy ? { compromised: [], retired: [], pendingRevocations: [] } : {};
    const pending = pendingUnder(inputs, outputs, context);
    // The previous key also stays live after the resource is deleted, so it must be used once, too.
    if (saved.previous?.key !== undefined && isKept(inputs) && !isKept(outputs)) {
      await context.keys().authenticates(saved.previous.key);
    }
    const identity = identityIn(inputs);
    const noted = { ...noteTriggers(saved, inputs, outputs, context), ...toRevoke, pending, identity };
    const ready = await getReady({ id, saved, state: noted, inputs }, context);
    const cleared = await revokePending(ready, inputs, context);
    const settled = { ...cleared, lost: await settleLost(cleared.lost, identity, context) };
    const state = await retirePrevious(settled, inputs, context);
    const reason = rotationReason(state, inputs, context.now());
    if (reason === undefined) reportClosedWindow(state, inputs, context);
    if (reason === undefined || !(reason.urgent || state.previous === undefined)) return outputsOf(state, inputs);
    // A rotation that is too early does no harm: the previous key stays until its grace has ended by both clocks.
    const refusal = reason.due === undefined ? undefined : notDueYet(reason.due, context);
    if (refusal === undefined) return rotateKey({ id, saved, state, reason, inputs }, context);
    context.warn(`${refusal}. Correct the machine's clock`);
    return outputsOf(state, inputs);
  },

  async import(keyId, key, inputs, context) {
    // Loaded on demand, because an import is rare.
    const { importKey } = await import("./rotation/adopt-key.js");
    return { id: randomUUID(), ...(await importKey(keyId, key, inputs, context)) };
  },

  async delete(id, outputs, context) {
    const state = stateOf(outputs);
    const { current, previous, pendingRevocations, compromised, retired, lost, identity } = state;
    await settleLostForGood(lost, identity, context);
    const isOurs = (keyId: string) => !isHeldElsewhere(keyId, id, outputs, context);
    const owner = ownerNow(outputs, context);
    // The deletion of the resource that replaced this one, or that this one replaced, may have left a key live.
    const isLeft = (keyId: string) => context.run.kept.has(keyId) && keyId !== outputs.revokeNow;
    const keys = [previous, current]
      .filter((key) => key !== undefined)
      .filter(({ keyId }) => !isLeft(keyId) && isOurs(keyId));
    const stays = (key: HeldKey) =>
      outputs.revokeOnDelete === false &&
      // The deletion of the resource that this one replaced may have revoked it.
      !context.keys().hasRevoked(key.keyId) &&
      key.keyId !== outputs.revokeNow &&
      !context.run.compromised.has(key.keyId) &&
      (key !== current || wasHandedOut(outputs));
    const kept = keys.filter(stays);
    if (kept.length > 0) await mustNotForget(outputs, context);
    for (const key of kept) {
      context.run.kept.set(key.keyId, "revokeOnDelete is false");
      context.info(`key ${formatKey(key)} stays live, because revokeOnDelete is false`);
    }
    const toRevoke = keys.filter((key) => !stays(key));
    for (const key of toRevoke) refuseOwnCredential({ ...key, id: key.keyId }, context);
    // The resource that this one replaced may have left it to the state of this one.
    const named = outputs.revokeOnDelete === false && !keys.some(({ keyId }) => keyId === outputs.revokeNow);
    const revokeNow = named ? await ownKeyIn(outputs, context) : [];
    // If the state was copied, the original stack revokes them.
    const left = sameOwner(owner, outputs.owner)
      ? [...pendingRevocations, ...compromised, ...retired, ...revokeNow].filter(isOurs)
      : [];
    const isHandedOut = left.some((keyId) => !pendingRevocations.includes(keyId));
    if (toRevoke.length > 0 || isHandedOut) await mustHaveReachedConsumers(id, outputs, context);
    for (const held of toRevoke) {
      if (isOthers(madeBy(state, held), owner)) {
        context.warn(`key ${formatKey(held)} was created by another stack, so it is not revoked`);
      } else {
        context.progress(`revoking key ${held.keyId}`);
        const { createdAt } = held === current ? state : {};
        await revokeKey({ ...recorded(held, state), createdAt }, context);
      }
    }
    // Asked last, because the ledger is deleted at the same time.
    const live = left.filter((keyId) => !context.run.retired.has(keyId));
    await mustRevokeAll(keysToRevoke(live, state), identity, context);
  },
};

/** A key as recorded in the state, without the time of its creation. */
function recorded({ keyId, name, key, digest }: HeldKey, { identity }: RotationState): RecordedKey {
  return { id: keyId, name, key, digest, identity };
}

/** The key that `revokeNow` names, unless another stack created it: a copied state names keys of its original. */
async function ownKeyIn(outputs: Properties, context: Context): Promise<readonly string[]> {
  const { revokeNow } = outputs;
  if (typeof revokeNow !== "string") return [];
  await mustBeSameAccount(identityIn(outputs), context);
  const found = keyIn(await context.keys().list(), revokeNow);
  if (found === undefined) return [revokeNow];
  const { name } = found;
  if (!isOthers(madeBy(stateOf(outputs), { keyId: revokeNow, name }), ownerNow(outputs, context))) return [revokeNow];
  context.warn(
    `key ${revokeNow} (${shownName(name)}), which revokeNow names, was created by another stack, so it is not revoked`,
  );
  return [];
}

/** The state with the program's triggers recorded. Reports what must wait for the previous key. */
function noteTriggers(
  saved: RotationState,
  inputs: Properties,
  { queuedSealTo, maxAge }: Properties,
  context: Context,
): RotationState {
  const state = withTriggers(saved, inputs.rotationTriggers);
  const isNew = state.queuedTriggers !== undefined && saved.queuedTriggers === undefined;
  const isLeasedAnew = !sameAge(saved.leasedFor, inputs.maxAge) && sameAge(saved.leasedFor, maxAge);
  const isSealedAnew = queuedSealTo === undefined && changeOfRecipients(saved.sealedTo, inputs.sealTo) !== undefined;
  if (state.previous !== undefined && state.current !== undefined && (isNew || isSealedAnew || isLeasedAnew)) {
    const changed = isSealedAnew ? "the recipients in sealTo have changed" : "maxAge has changed";
    const what = isNew ? "a trigger has changed" : changed;
    const { keyId } = state.previous;
    context.info(`${what}. The key rotates as soon as the previous key, ${keyId}, can be revoked`);
  }
  return state;
}

/** Reports a key whose window has closed without a rotation, for example since the preview of this run. */
function reportClosedWindow({ createdAt }: RotationState, inputs: Properties, context: Context): void {
  const due = nextDue(createdAt, inputs);
  const at = rotateAt(createdAt, inputs);
  if (due === undefined || at === undefined || Date.parse(at) > context.now()) return;
  const next = new Date(due(context.now())).toISOString();
  context.info(
    `the key is due for rotation since ${at}, but rotationWindow is closed now. It is open again at ${next}`,
  );
}

/**
 * Throws if a new `revokeNow` is not a key of the resource, so that in an incident nobody believes that a key was
 * revoked that was not. An unchanged `revokeNow` can name a key that is already revoked.
 */
function refuseUnknownKey(outputs: Properties, { revokeNow }: Properties): void {
  if (typeof revokeNow !== "string" || revokeNow === outputs.revokeNow) return;
  const state = stateOf(outputs);
  const { current, previous } = state;
  if (heldBy(state).some(({ id }) => id === revokeNow)) return;
  const own = [current && `${current.keyId} (current)`, previous && `${previous.keyId} (previous)`];
  throw new KeyplaneError(
    "KP-INPUT",
    `revokeNow: key ${revokeNow} is not a key of this resource, which has ${own.filter(Boolean).join(" and ") || "no key"}. ` +
      "Nothing was revoked. Set revokeNow to one of these ids, or remove it if the key is already revoked",
  );
}

/** Those ids whose keys are live. Makes no request if there are no ids. */
async function liveAmong(ids: readonly string[], context: Context): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const keys = await context.keys().list();
  return ids.filter((id) => keyIn(keys, id) !== undefined);
}

/** Waits until an existing key is ready. If it was not handed out before, its predecessor's grace starts then. */
async function getReady(
  { id, saved, state, inputs }: Omit<RotationRequest, "reason">,
  context: Context,
): Promise<RotationState> {
  if (state.pending.length === 0 || state.pending.some((work) => work.status === "failed")) return state;
  const { current } = state;
  const trial = { keyId: current?.keyId, key: current?.key, isSealed: current?.sealedKey !== undefined };
  const { pending, reason } = await finishPending(state.pending, trial, inputs, context);
  if (reason !== undefined) throw new NotReady(id, outputsOf({ ...state, pending }, inputs), reason);
  return { ...state, pending, rotatedAt: saved.pending.length === 0 ? state.rotatedAt : isoOf(context.now()) };
}

/** Revokes pending keys once their successor is ready. Until then, a consumer may have no other key. */
async function revokePending(state: RotationState, inputs: Properties, context: Context): Promise<RotationState> {
  if (state.current === undefined || state.currentGone || state.pending.length > 0) return state;
  const toRevoke = keysToRevoke(state.pendingRevocations, state);
  return { ...state, pendingRevocations: await revokeAll(toRevoke, identityIn(inputs), context) };
}
