import { randomUUID } from "node:crypto";
import { isoOf } from "../duration";
import { KeyplaneError } from "../errors";
import { identityHere, mustBeSameAccount, provenOwnerChange } from "../keys/account-guard";
import { laterNow, notDueYet } from "../keys/clock-skew";
import { findKey } from "../keys/find-key";
import { nextDue, rotateAt } from "../keys/key-fields";
import { COMMON_OUTPUTS, KEY_OUTPUTS, triggersDue } from "../keys/key-state";
import { sameAge } from "../keys/lease";
import { settleLost } from "../keys/lost-request";
import { formatKey } from "../keys/names";
import { finishPending, withFirstUse } from "../keys/readiness";
import { revokeAll } from "../keys/revoke-key";
import { atBorder } from "../schema/at-border";
import { UNKNOWN } from "../schema/field-types";
import { type Context, NotReady } from "../schema/resource-type";
import { changeOfRecipients } from "../seal/recipients";
import { adoptionOf, adoptionRules, heldBy, keysToRevoke, refuseLateAdoption } from "./rotation/adoption";
import { notGone, retirePrevious } from "./rotation/retire-key";
import { rotateKey } from "./rotation/rotate-key";
import {
  graceOf,
  type PlannedRotation,
  type RotationInputs,
  rotationFields,
  rotationRules,
} from "./rotation/rotation-fields";
import { NOTHING, readState, writeState } from "./rotation/rotation-outputs";
import { rotationDue, rotationReason } from "./rotation/rotation-plan";
import { type RotationState, withoutPrevious, withTriggers } from "./rotation/rotation-state";

const PREVIOUS_OUTPUTS = ["previousKeyId", "previousKey", "previousSealedKey", "previousDigest"];

/**
 * A current key and, for a time, the previous one: a rotation creates a new key and leaves the old one to its
 * consumers. A rotation does not replace the resource: only `update` rotates, because it knows exactly what is live.
 */
export const rotatingApiKey = atBorder<RotationInputs, RotationState>({
  name: "RotatingApiKey",

  fields: rotationFields,

  outputs: [...COMMON_OUTPUTS, ...PREVIOUS_OUTPUTS, "retireAfter", "nextAction"],

  canBeAbsent: ["digest", "rotateAt", "previousKeyId", "previousKey", "previousDigest", "retireAfter", "pending"],

  onlyWith: { sealTo: ["sealedKey", "previousSealedKey"], maxAge: ["expiresAt"] },

  readState,

  writeState,

  inForce: ({ identity, queuedTriggers, triggers, inputs: { sealTo } }) => {
    return { owner: identity, rotationTriggers: queuedTriggers ?? triggers, sealTo };
  },

  stable(state, inputs, now) {
    return rotationReason(withTriggers(state, inputs.rotationTriggers), inputs, now) === undefined ? KEY_OUTPUTS : [];
  },

  rules: (inputs, context, before) => [
    ...rotationRules(inputs, context, before),
    ...adoptionRules(inputs, context, before),
  ],

  holds: heldBy,

  compromised({ current, previous, compromised, retired }, { revokeNow }) {
    const named = [current?.id, previous?.id, ...retired].filter((id) => id !== undefined && id === revokeNow);
    const ids = [...compromised, ...named];
    return ids.length === 0 ? undefined : `key ${ids.join(", ")}, which revokeNow names, is to be revoked`;
  },

  due(state, inputs, terms) {
    refuseLateAdoption(state, inputs);
    refuseUnknownKey(state, inputs);
    return [...triggersDue(state), ...rotationDue(withTriggers(state, inputs.rotationTriggers), inputs, terms)];
  },

  async create(inputs, context) {
    await mustBeSameAccount(inputs.owner, context);
    const id = randomUUID();
    const adopt = adoptionOf(inputs);
    if (adopt !== undefined) {
      // Loaded on demand, because adoption is rare.
      const { adoptKey } = await import("./rotation/adopt-key.js");
      return { id, outputs: await adoptKey(adopt, inputs, context) };
    }
    return { id, outputs: await rotateIfDue(id, withTriggers({ ...NOTHING, inputs }), NOTHING, context) };
  },

  async read(_id, state, context) {
    const { current, previous, createdAt, identity } = state;
    if (current === undefined && previous === undefined) return state;
    const [currentFound, previousFound] = await Promise.all([
      current && findKey({ ...current, identity, createdAt }, context),
      previous && findKey({ ...previous, identity }, context),
    ]);
    const currentGone = current !== undefined && currentFound === undefined;
    if (currentFound === undefined && previousFound === undefined) {
      const names = [current, previous].flatMap((key) => (key === undefined ? [] : `key ${formatKey(key)}`));
      const are = names.length === 1 ? "is" : "are";
      context.warn(`${names.join(" and ")} ${are} gone from the account. The next \`pulumi up\` creates a new key`);
      // Removing the resource would lose the keys that are not revoked yet, or may still appear.
      const replaced = await notGone([...state.compromised, ...state.retired], context);
      const isSettled = state.pendingRevocations.length === 0 && state.lost.lostNames === undefined;
      if (isSettled && replaced.length === 0) return undefined;
    } else if (currentGone) {
      context.warn(
        `key ${formatKey(current)} is gone from the account. The previous key, ${previous?.id}, is still live. ` +
          "The next `pulumi up` creates a new key",
      );
    }
    const left = previousFound === undefined ? withoutPrevious(state) : state;
    return { ...left, currentGone, identity: identityHere(identity, context) };
  },

  async update(id, saved, inputs, context) {
    const hasNewOwner = await provenOwnerChange(saved.identity, inputs.owner, context);
    const { current, previous } = saved;
    const pending = withFirstUse(inputs, saved, { id: current?.id, sealedKey: current?.sealedKey }, context);
    // The previous key also stays live after the resource is deleted, so it must be used once, too.
    const uses = previous === undefined ? [] : withFirstUse(inputs, { ...saved, pending: [] }, previous, context);
    if (uses.length > 0 && previous?.key !== undefined) await context.keys().authenticates(previous.key);
    const taken = { ...saved, inputs, pending, identity: inputs.owner };
    // In a copied state, the original stack revokes them: its state contains them, too.
    const own = hasNewOwner ? { ...taken, compromised: [], retired: [], pendingRevocations: [] } : taken;
    const ready = await waitUntilReady(id, noteTriggers(withNamed(own), saved, context), saved, context);
    const cleared = await revokePending(ready, context);
    const lost = await settleLost(cleared.lost, inputs.owner, context);
    return rotateIfDue(id, await retirePrevious({ ...cleared, lost }, context), saved, context);
  },

  async import(keyId, key, inputs, context) {
    // Loaded on demand, because an import is rare.
    const { importKey } = await import("./rotation/adopt-key.js");
    return { id: randomUUID(), ...(await importKey(keyId, key, inputs, context)) };
  },

  async delete(id, state, context) {
    // Loaded on demand, because most runs delete nothing.
    const { deleteRotatingKey } = await import("./rotation/delete-rotating-key.js");
    return deleteRotatingKey(id, state, context);
  },
});

/** Rotates the key if it is due and the previous one is gone, or if it is urgent. */
async function rotateIfDue(
  id: string,
  state: RotationState,
  saved: RotationState,
  context: Context,
): Promise<RotationState> {
  const reason = rotationReason(state, state.inputs, context.now());
  if (reason === undefined) reportClosedWindow(state, context);
  if (reason === undefined || !(reason.urgent || state.previous === undefined)) return state;
  // A rotation that is too early does no harm: the previous key stays until its grace has ended by both clocks.
  const refusal = reason.due === undefined ? undefined : notDueYet(reason.due, context);
  if (refusal === undefined) return rotateKey({ id, saved, state, reason }, context);
  context.warn(`${refusal}. Correct the machine's clock`);
  return state;
}

/** The state with the program's triggers recorded. Reports what must wait for the previous key. */
function noteTriggers(own: RotationState, saved: RotationState, context: Context): RotationState {
  const state = withTriggers(own);
  const { inputs } = state;
  const isNew = state.queuedTriggers !== undefined && saved.queuedTriggers === undefined;
  const isLeasedAnew = !sameAge(saved.leasedFor, inputs.maxAge) && sameAge(saved.leasedFor, saved.inputs.maxAge);
  const isSealedAnew =
    changeOfRecipients(saved.sealedTo, saved.inputs.sealTo) === undefined &&
    changeOfRecipients(saved.sealedTo, inputs.sealTo) !== undefined;
  if (state.previous !== undefined && state.current !== undefined && (isNew || isSealedAnew || isLeasedAnew)) {
    const changed = isSealedAnew ? "the recipients in sealTo have changed" : "maxAge has changed";
    const what = isNew ? "a trigger has changed" : changed;
    context.info(`${what}. The key rotates as soon as the previous key, ${state.previous.id}, can be revoked`);
  }
  return state;
}

/** Reports a key whose window has closed without a rotation, for example since the preview of this run. */
function reportClosedWindow({ createdAt, inputs }: RotationState, context: Context): void {
  const due = nextDue(createdAt, inputs, graceOf(inputs));
  const at = rotateAt(createdAt, inputs, graceOf(inputs));
  if (due === undefined || at === undefined || Date.parse(at) > context.now()) return;
  const next = new Date(due(context.now())).toISOString();
  context.info(`the key is due for rotation since ${at}, but rotationWindow is closed now. It opens again at ${next}`);
}

/**
 * Throws if a new `revokeNow` is not a key of the resource, so that in an incident nobody believes that a key was
 * revoked that was not. An unchanged `revokeNow` can name a key that is already revoked.
 */
function refuseUnknownKey(state: RotationState, { revokeNow }: PlannedRotation): void {
  if (revokeNow === undefined || revokeNow === UNKNOWN || revokeNow === state.inputs.revokeNow) return;
  const { current, previous } = state;
  if (heldBy(state).some(({ id }) => id === revokeNow)) return;
  const own = [current && `${current.id} (current)`, previous && `${previous.id} (previous)`];
  throw new KeyplaneError(
    "KP-INPUT",
    `revokeNow: key ${revokeNow} is not a key of this resource, which has ${own.filter(Boolean).join(" and ") || "no key"}. ` +
      "Nothing was revoked. Set revokeNow to one of these ids, or remove it if the key is already revoked",
  );
}

/** Waits until an existing key is ready. If it was not handed out before, its predecessor's grace starts then. */
async function waitUntilReady(
  id: string,
  state: RotationState,
  saved: RotationState,
  context: Context,
): Promise<RotationState> {
  const { current, inputs } = state;
  const isNamed = current !== undefined && current.id === inputs.revokeNow;
  const isOver = state.currentGone || isNamed || state.pending.some((work) => work.status === "failed");
  if (isOver || state.pending.length === 0) return state;
  const trial = { id: current?.id, key: current?.key, sealedKey: current?.sealedKey };
  const { pending, reason } = await finishPending(state.pending, trial, state.inputs, context);
  if (reason !== undefined) throw new NotReady(id, { ...state, pending }, reason);
  return { ...state, pending, rotatedAt: saved.pending.length === 0 ? state.rotatedAt : isoOf(laterNow(context)) };
}

/** The state with a retired key that `revokeNow` names among those that do not wait for the end of their use. */
function withNamed(state: RotationState): RotationState {
  const isNamed = (id: string) => id === state.inputs.revokeNow;
  const compromised = [...state.compromised, ...state.retired.filter(isNamed)];
  return { ...state, compromised, retired: state.retired.filter((id) => !isNamed(id)) };
}

/** Revokes pending keys once their successor is ready. Until then, a consumer may have no other key. */
async function revokePending(state: RotationState, context: Context): Promise<RotationState> {
  if (state.current === undefined || state.currentGone || state.pending.length > 0) return state;
  const toRevoke = keysToRevoke(state.pendingRevocations, state);
  return { ...state, pendingRevocations: await revokeAll(toRevoke, state.identity, context) };
}
