import { keyDigest } from "../key-digest";
import { identityHere, mustBeSameAccount, provenOwnerChange } from "../keys/account-guard";
import { mustBeDue, reportSkew } from "../keys/clock-skew";
import { createKey, NotCreated } from "../keys/create-key";
import { findKey } from "../keys/find-key";
import { isHeldElsewhere } from "../keys/holders";
import { ownerIdIn } from "../keys/identity";
import { dueByAge, isKept } from "../keys/key-fields";
import { asListed } from "../keys/key-limit";
import { COMMON_OUTPUTS, KEY_OUTPUTS, leftDue, triggersDue } from "../keys/key-state";
import { bothLost, settleLost, settleLostForGood } from "../keys/lost-request";
import { formatKey, isOthers, ownerTag } from "../keys/names";
import {
  finishPending,
  NOT_CREATED,
  pendingAfter,
  pendingDue,
  waitForProjects,
  wasHandedOut,
  withFirstUse,
} from "../keys/readiness";
import {
  leaveToOthers,
  mustBeRevoked,
  mustHaveReachedConsumers,
  mustNotForget,
  ownerNow,
  revokeAll,
  revokeKey,
} from "../keys/revoke-key";
import { sameScope } from "../keys/scope";
import { textOf, withoutEmpty } from "../members";
import { atBorder } from "../schema/at-border";
import { newDigestKey } from "../schema/digest";
import { type Context, type Due, type LostRequests, NotReady } from "../schema/resource-type";
import { changeOfRecipients } from "../seal/recipients";
import {
  type ApiKeyInputs,
  type ApiKeyState,
  apiKeyFields,
  apiKeyRules,
  isExact,
  keysToRevoke,
  NO_KEY,
  readState,
  withInputs,
  writeState,
} from "./api-key-state";

/** One key with one secret. The service cannot change a key, so it is changed only by replacement. */
export const apiKey = atBorder<ApiKeyInputs, ApiKeyState>({
  name: "ApiKey",

  fields: apiKeyFields,

  outputs: COMMON_OUTPUTS,

  canBeAbsent: ["digest", "rotateAt", "pending"],

  onlyWith: { sealTo: ["sealedKey"], maxAge: ["expiresAt"] },

  readState,

  writeState,

  stable: () => KEY_OUTPUTS,

  rules: apiKeyRules,

  // An auto-named key has a name, too, but only an exact name is in force. That of an imported key may be left out.
  inForce: (state, inputs) => ({
    owner: state.identity,
    rotationTriggers: state.triggers,
    name: isExact(state) && !(state.imported && inputs.name === undefined) ? state.name : undefined,
  }),

  due(state, inputs, { now }) {
    const due: Due[] = [...pendingDue(state.pending), ...triggersDue(state), ...leftDue(state)];
    if (state.gone) {
      due.push({ field: "keyId", replace: true, drift: true, why: `key ${state.keyId} is gone from the account` });
    }
    const change = changeOfRecipients(state.inputs.sealTo, inputs.sealTo);
    if (change !== undefined) due.push({ field: "sealTo", replace: true, why: change });
    const why = dueByAge(state.createdAt, inputs, now);
    if (why !== undefined) due.push({ field: "rotateAfter", replace: true, why });
    return due;
  },

  holds: ({ keyId, name, pendingRevocations }) => [
    ...(keyId === undefined ? [] : [{ id: keyId, name }]),
    ...pendingRevocations.map((id) => ({ id })),
  ],

  // Live names are unique in a scope, so the old key must be revoked before a new one can have its name. One that its
  // deletion would leave live must not leave the state: the creation would fail.
  deleteBeforeReplace: (state, inputs) =>
    isExact(state) &&
    state.name === inputs.name &&
    sameScope(state.inputs, inputs) &&
    !isKept(state.inputs) &&
    !isOthers({ name: state.name, maker: state.mintedBy }, textOf(inputs.owner)),

  async create(inputs, context) {
    await mustBeSameAccount(inputs.owner, context);
    await mustBeDue(context);
    await waitForProjects(inputs, context);
    const { created, ...others } = await requestKey(inputs, context);
    const { id, name, key, createdAt, operations } = created;
    const secret = others.sealedKey ? { digestKey: newDigestKey() } : { key };
    const made = { ...NO_KEY, ...others, ...secret, keyId: id, name, digest: keyDigest(key), createdAt };
    const lost = bothLost(lostBefore(context), others.lost);
    const state = withInputs(
      { ...made, lost, pending: pendingAfter(operations, inputs), mintedBy: maker(inputs) },
      inputs,
    );
    // `mustBeDue` has asked the service's clock. The deletion of the old key must not ask again.
    context.run.replacedByAge.delete(context.urn);
    reportSkew(context);
    return { id, outputs: await waitUntilReady(id, state, key, context) };
  },

  async read(_id, state, context) {
    // Nothing to look for: the next `up` replaces it, and settles what its creation has left.
    if (state.keyId === undefined) return state;
    const key = { ...state, id: state.keyId };
    const found = await findKey(key, context);
    if (found === undefined) {
      // Said here, because the next preview shows a creation without its reason.
      context.warn(`key ${formatKey(key)} is gone from the account. The next \`pulumi up\` creates a new key`);
      // Removing the resource would lose the keys that are not revoked yet, or may still appear. Its replacement revokes them.
      const isDone = leftBeside(state).length === 0 && state.lost.lostNames === undefined;
      return isDone ? undefined : { ...state, gone: true };
    }
    const inputs = asListed(state.inputs, found, context);
    return { ...state, inputs, identity: identityHere(state.identity, context) };
  },

  async update(id, saved, inputs, context) {
    const hasNewOwner = await provenOwnerChange(saved.identity, inputs.owner, context);
    const pending = withFirstUse(inputs, saved, { id: saved.keyId, sealedKey: saved.sealedKey }, context);
    // In a copied state, the original stack revokes them: its state contains them, too.
    const toRevoke = hasNewOwner ? [] : keysToRevoke(saved.pendingRevocations, saved);
    const pendingRevocations = await revokeAll(toRevoke, inputs.owner, context);
    // No stack has the key of a lost request, so a copy may revoke it, too.
    const lost = await settleLost(saved.lost, inputs.owner, context);
    const state = withInputs({ ...saved, gone: false, pending, pendingRevocations, lost }, inputs);
    return waitUntilReady(id, state, saved.key, context);
  },

  async import(id, key, inputs, context) {
    // Loaded on demand, because an import is rare.
    const { readClaim, proveKey } = await import("../keys/import-key.js");
    const claim = readClaim(id, key);
    const { name, createdAt, projectId } = await proveKey(claim, inputs, context);
    const found = withoutEmpty({ ...inputs, name, projectId: projectId ?? undefined });
    const taken = { keyId: id, name, key: claim.key, digest: keyDigest(claim.key), createdAt, mintedBy: maker(found) };
    return { id, inputs: found, outputs: withInputs({ ...NO_KEY, ...taken, imported: true }, found) };
  },

  async delete(id, state, context) {
    const { keyId, name, mintedBy, lost, identity, inputs } = state;
    await mustBeDue(context);
    // A successor records the same ones, and goes on to look for their keys.
    const isPassedOn = lostBefore(context).lostNames?.join() === lost.lostNames?.join();
    await (isPassedOn ? settleLost : settleLostForGood)(lost, identity, context);
    const left = keysToRevoke(leftBeside(state), state);
    if (isOthers({ name, maker: mintedBy }, ownerNow(identity, context))) {
      const own = keyId === undefined ? [] : [{ id: keyId, name }];
      for (const key of [...own, ...left]) leaveToOthers(key, context);
      context.run.kept.set(id, context.urn);
      return;
    }
    if (inputs.revokeOnDelete === false && wasHandedOut(state.pending)) {
      await mustNotForget(identity, context);
      context.run.kept.set(id, context.urn);
      context.info(`key ${formatKey({ id, name })} stays live, because revokeOnDelete is false`);
    } else if (keyId !== undefined && !isHeldElsewhere(keyId, id, identity, context)) {
      await mustHaveReachedConsumers(id, identity, context);
      await revokeKey({ ...state, id: keyId }, context);
    }
    mustBeRevoked(await revokeAll(left, identity, context));
  },
});

/** Ids of keys that nobody holds and that are still to be revoked, except the resource's own. */
function leftBeside({ keyId, pendingRevocations }: ApiKeyState): readonly string[] {
  return pendingRevocations.filter((orphan) => orphan !== keyId);
}

/** Who creates the key. An auto-name shows it; for an exact name it is stored separately. */
function maker({ name, owner }: ApiKeyInputs): string | undefined {
  return name === undefined ? undefined : ownerTag(ownerIdIn(owner));
}

/** The lost requests of the resource that is replaced. */
const lostBefore = ({ run, urn }: Context): LostRequests => run.lostBefore.get(urn) ?? {};

async function requestKey(inputs: ApiKeyInputs, context: Context): ReturnType<typeof createKey> {
  try {
    return await createKey(inputs, context);
  } catch (error) {
    if (!(error instanceof NotCreated)) throw error;
    const lost = bothLost(lostBefore(context), error.left.lost);
    const left = { ...error.left, lost, pending: [NOT_CREATED], mintedBy: maker(inputs) };
    throw new NotReady<ApiKeyState>(error.id, { ...NO_KEY, ...left, inputs, identity: inputs.owner }, error.message);
  }
}

/**
 * Waits until an existing key is ready. Whatever fails from here on, the key is recorded.
 * @param key - Its secret, if this run has it.
 */
async function waitUntilReady(
  id: string,
  state: ApiKeyState,
  key: string | undefined,
  context: Context,
): Promise<ApiKeyState> {
  const trial = { id: state.keyId, key, sealedKey: state.sealedKey };
  const { pending, reason } = await finishPending(state.pending, trial, state.inputs, context);
  if (reason !== undefined) throw new NotReady(id, { ...state, pending }, reason);
  return { ...state, pending };
}
