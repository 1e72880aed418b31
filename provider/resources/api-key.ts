import { keyDigest } from "../key-digest";
import { identityHere, mustBeSameAccount } from "../keys/account-guard";
import { mustBeDue, reportSkew } from "../keys/clock-skew";
import { createKey, type Naming } from "../keys/create-key";
import { isHeldElsewhere } from "../keys/holders";
import { identityIn, ownerIdIn, sameOwner } from "../keys/identity";
import {
  dueByAge,
  isTried,
  keyFields,
  keyRules,
  repeatedInputs,
  rotateAt,
  sealedIn,
  textsOf,
  triggersDue,
  withoutEmpty,
} from "../keys/key-fields";
import { expiresAt, leaseRules } from "../keys/lease";
import { type LostRequests, lostDue, lostIn, settleLost, settleLostForGood } from "../keys/lost-key";
import { isOthers } from "../keys/maker";
import { nameInUrn, ownerTag, prefixFrom } from "../keys/names";
import {
  finishPending,
  type PendingWork,
  pendingAfter,
  pendingDue,
  pendingOf,
  pendingUnder,
  waitForProjects,
  wasHandedOut,
} from "../keys/readiness";
import {
  findKey,
  type KeyToRevoke,
  mustHaveReachedConsumers,
  mustNotForget,
  mustRevokeAll,
  ownerNow,
  recordedKey,
  revokeAll,
  revokeKey,
} from "../keys/revoke-key";
import { sameScope } from "../keys/scope";
import { newDigestKey } from "../schema/digest";
import { types } from "../schema/field-types";
import {
  type Context,
  type Due,
  type Failure,
  NotReady,
  type Properties,
  type ResourceType,
} from "../schema/resource-type";
import { changeOfRecipients, type SealedTexts } from "../seal/recipients";
import { shownName } from "../text";

/** The state of a key, stored in the outputs beside the inputs. */
interface KeyState {
  /** Absent if no key could be created. */
  readonly keyId: string | undefined;
  readonly name: string | undefined;
  /** The secret. The service shows it only once, so it is carried from state to state. Absent if it is sealed. */
  readonly key: string | undefined;
  readonly sealedKey: SealedTexts | undefined;
  /** The public digest of the secret. */
  readonly digest: string | undefined;
  /** The secret for digests of a sealed key's resource. */
  readonly digestKey: string | undefined;
  /** ISO 8601 time. */
  readonly createdAt: string | undefined;
  /** The tag of the owner that created it, if its name is an exact one, which does not show that. */
  readonly mintedBy: string | undefined;
  readonly imported: true | undefined;
  /** Whether a refresh found that the key is gone, while others are still to be revoked. */
  readonly gone: boolean;
  readonly pending: readonly PendingWork[];
  /** Ids of keys that nobody holds and that are still to be revoked. */
  readonly pendingRevocations: readonly string[];
  readonly lost: LostRequests;
  /** The owner's identity in the account that last contained the key. */
  readonly identity: string | undefined;
}

/** Reads a resource's outputs, also those of former versions. */
function stateOf(outputs: Properties): KeyState {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    keyId: text(outputs.keyId),
    name: text(outputs.name),
    key: text(outputs.key),
    sealedKey: sealedIn(outputs.sealedKey),
    // A state of a former version has no digest.
    digest: typeof outputs.key === "string" ? keyDigest(outputs.key) : text(outputs.digest),
    digestKey: text(outputs.digestKey),
    createdAt: text(outputs.createdAt),
    mintedBy: text(outputs.mintedBy),
    imported: outputs.imported === true || undefined,
    gone: outputs.gone === true,
    pending: pendingOf(outputs),
    pendingRevocations: textsOf(outputs.pendingRevocations),
    lost: lostIn(outputs),
    identity: identityIn(outputs),
  };
}

/** The outputs of a resource with this state and these inputs. */
function outputsOf(state: KeyState, inputs: Properties, before?: Properties): Properties {
  const { gone, lost, identity, ...others } = state;
  return withoutEmpty({
    ...repeatedInputs(inputs, state.key ?? state.digestKey, before),
    ...others,
    ...lost,
    ...(state.sealedKey && { key: null }),
    rotateAt: rotateAt(state.createdAt, inputs),
    expiresAt: expiresAt(state.name),
    gone: gone || undefined,
    owner: identity,
  });
}

const NO_ADOPTION =
  "is supported only by RotatingApiKey. The replacement of an ApiKey would adopt the key, and lose it with the old resource";

/** One key with one secret. The service cannot change a key, so it is changed only by replacement. */
export const apiKey: ResourceType = {
  name: "ApiKey",

  fields: {
    ...keyFields,
    // An auto-named key has a name, too, but only an exact name is in force.
    name: {
      type: types.keyName,
      change: "replace",
      inForce: (outputs) => (isExact(outputs) ? outputs.name : undefined),
      keptIfUnset: (outputs) => outputs.imported === true,
    },
    adopt: { type: () => NO_ADOPTION, change: "ignore" },
    onNameConflict: { type: types.oneOf("fail", "revokeUnused"), fallback: "fail", change: "update" },
  },

  outputs: ["keyId", "name", "key", "sealedKey", "digest", "createdAt", "rotateAt", "expiresAt", "pending"],

  canBeAbsent: ["digest", "rotateAt", "pending"],

  onlyWith: { sealTo: ["sealedKey"], maxAge: ["expiresAt"] },

  stable: () => ["keyId", "name", "key", "sealedKey", "digest", "createdAt", "expiresAt"],

  rules(inputs, context) {
    const failures: Failure[] = [...keyRules(inputs, context), ...leaseRules(inputs)];
    if (inputs.name !== undefined) {
      if (inputs.namePrefix !== undefined) {
        failures.push({ property: "namePrefix", reason: "cannot be combined with name. Choose one of them" });
      }
      if (inputs.maxAge !== undefined) {
        const reason =
          "cannot be combined with name, because the deadline is a part of the generated name. Use namePrefix";
        failures.push({ property: "maxAge", reason });
      }
      if (inputs.waitForProjects !== undefined) {
        failures.push({
          property: "waitForProjects",
          reason:
            "cannot be combined with name, because a replacement revokes the old key before it waits. Use namePrefix, or " +
            "make the key depend on a ProjectReady",
        });
      }
    } else if (inputs.onNameConflict !== undefined) {
      failures.push({ property: "onNameConflict", reason: "requires name. Set name, or remove onNameConflict" });
    }
    return failures;
  },

  due(outputs, inputs, { now }) {
    const due: Due[] = [...pendingDue(outputs), ...triggersDue(outputs), ...lostDue(outputs)];
    if (Array.isArray(outputs.pendingRevocations)) due.push({ field: "pendingRevocations", replace: false });
    if (outputs.gone === true) {
      due.push({ field: "keyId", replace: true, drift: true, why: `key ${outputs.keyId} is gone from the account` });
    }
    const change = changeOfRecipients(outputs.sealTo, inputs.sealTo);
    if (change !== undefined) due.push({ field: "sealTo", replace: true, why: change });
    const why = dueByAge(outputs.createdAt, inputs, now);
    if (why !== undefined) due.push({ field: "rotateAfter", replace: true, why });
    return due;
  },

  holds: ({ keyId, name, pendingRevocations }) => [
    ...(typeof keyId === "string" ? [{ id: keyId, name: String(name) }] : []),
    ...textsOf(pendingRevocations).map((id) => ({ id })),
  ],

  // Live names are unique in a scope, so the old key must be revoked before a new one can have its name.
  deleteBeforeReplace: (outputs, inputs) =>
    isExact(outputs) && outputs.name === inputs.name && sameScope(outputs, inputs),

  async create(inputs, context) {
    await mustBeSameAccount(identityIn(inputs), context);
    await mustBeDue(context);
    await waitForProjects(inputs, context);
    const { created, sealedKey, lost, pendingRevocations } = await requestKey(inputs, context);
    const { id, name, key, createdAt, operations } = created;
    const secret = sealedKey ? { key: undefined, digestKey: newDigestKey() } : { key, digestKey: undefined };
    const state: KeyState = {
      ...{
        keyId: id,
        name,
        ...secret,
        sealedKey,
        digest: keyDigest(key),
        createdAt,
        mintedBy: maker(inputs),
        imported: undefined,
        gone: false,
      },
      pending: pendingAfter(operations, isTried(inputs)),
      ...{ pendingRevocations, lost, identity: identityIn(inputs) },
    };
    // The deletion of the old key does not ask again.
    context.run.replacedByAge.delete(context.urn);
    reportSkew(context);
    return { id, outputs: await getReady({ id, state, key }, inputs, context) };
  },

  async read(id, outputs, context) {
    // Nothing to look for: the next update replaces it, and settles what its creation has left.
    if (stateOf(outputs).keyId === undefined) return outputs;
    const found = await findKey(recordedKey(id, outputs), context);
    if (found === undefined) {
      // Removing the resource would lose the keys that are not revoked yet. Its replacement revokes them.
      return orphansBeside(id, outputs).length === 0 ? undefined : { ...outputs, gone: true };
    }
    const { credential, ...others } = outputs;
    return { ...others, digest: stateOf(outputs).digest, owner: identityHere(identityIn(outputs), context) };
  },

  async update(id, outputs, inputs, context) {
    await mustBeSameAccount(identityIn(inputs), context);
    // A new owner, in a renamed or copied stack, proves nothing about keys that are older than the owner.
    if (!sameOwner(outputs.owner, inputs.owner)) await mustBeSameAccount(identityIn(outputs), context);
    const identity = identityIn(inputs);
    const saved = stateOf(outputs);
    // In a copied state, the original stack revokes them: its state contains them, too.
    const isCopy = !sameOwner(outputs.owner, inputs.owner);
    const toRevoke = isCopy ? [] : keysToRevoke(saved.pendingRevocations, outputs);
    const state: KeyState = {
      ...saved,
      gone: false,
      pending: pendingUnder(inputs, outputs, context),
      pendingRevocations: await revokeAll(toRevoke, identity, context),
      // Nobody has such a key, in no stack.
      lost: await settleLost(saved.lost, identity, context),
      identity,
    };
    return getReady({ id, state, key: saved.key }, inputs, context, outputs);
  },

  async import(id, key, inputs, context) {
    // Loaded on demand, because an import is rare.
    const { importClaim, proveKey } = await import("../keys/prove-key.js");
    const claim = importClaim(id, key);
    const { name, createdAt, projectId } = await proveKey(claim, inputs, context);
    const found = withoutEmpty({ ...inputs, name, projectId });
    const digest = keyDigest(claim.key);
    const taken = { keyId: id, key: claim.key, digest, createdAt, mintedBy: maker(found), imported: true };
    return { id, inputs: found, outputs: withoutEmpty({ ...found, ...taken }) };
  },

  async delete(id, outputs, context) {
    const { keyId, name, mintedBy, lost, identity } = stateOf(outputs);
    await mustBeDue(context);
    await settleLostForGood(lost, identity, context);
    const stays = outputs.revokeOnDelete === false && wasHandedOut(outputs);
    if (stays) {
      await mustNotForget(outputs, context);
      context.run.kept.set(id, "revokeOnDelete is false");
      context.info(`key ${id} (${shownName(name)}) stays live, because revokeOnDelete is false`);
    }
    if (isOthers({ name, maker: mintedBy }, ownerNow(outputs, context))) {
      context.warn(
        `key ${id} (${shownName(name)}) was created by another stack, from which this state was copied or renamed. It is ` +
          "not revoked. If nothing else uses it, revoke it in the console",
      );
      return;
    }
    if (!stays && keyId !== undefined && !isHeldElsewhere(id, id, outputs, context)) {
      await mustHaveReachedConsumers(id, outputs, context);
      await revokeKey(recordedKey(id, outputs), context);
    }
    await mustRevokeAll(keysToRevoke(orphansBeside(id, outputs), outputs), identity, context);
  },
};

/** Ids of keys that nobody holds and that are still to be revoked, except the resource's own. */
function orphansBeside(id: string, outputs: Properties): readonly string[] {
  const own = stateOf(outputs).keyId === undefined ? undefined : id;
  return textsOf(outputs.pendingRevocations).filter((orphan) => orphan !== own);
}

/** Keys that attempts to create this one left behind, under its exact name or under names with the owner's tag. */
function keysToRevoke(ids: readonly string[], outputs: Properties): readonly KeyToRevoke[] {
  return ids.map((id) => ({ id, name: isExact(outputs) ? String(outputs.name) : undefined }));
}

/** Whether a key has an exact name. */
function isExact(outputs: Properties): boolean {
  return outputs.mintedBy !== undefined;
}

/** Who creates the key. An auto-name shows it; for an exact name it is stored separately. */
function maker(inputs: Properties): string | undefined {
  return inputs.name === undefined ? undefined : ownerTag(ownerIdIn(inputs.owner));
}

async function requestKey(inputs: Properties, context: Context): ReturnType<typeof createKey> {
  const { name, namePrefix, onNameConflict, owner } = inputs;
  const naming: Naming =
    typeof name === "string"
      ? { exactName: name, onConflict: onNameConflict === "revokeUnused" ? "revokeUnused" : "fail" }
      : {
          prefix: typeof namePrefix === "string" ? namePrefix : prefixFrom(nameInUrn(context.urn)),
          identity: String(owner),
        };
  try {
    return await createKey(naming, inputs, context);
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    throw new NotReady(
      error.id,
      withoutEmpty({ ...repeatedInputs(inputs), mintedBy: maker(inputs), ...error.outputs }),
      error.reason,
    );
  }
}

/** A key that exists, and its secret if this run has it. */
interface Unready {
  readonly id: string;
  readonly state: KeyState;
  readonly key: string | undefined;
}

/** Waits until an existing key is ready. Whatever fails from here on, the key is recorded. */
async function getReady(
  { id, state, key }: Unready,
  inputs: Properties,
  context: Context,
  before?: Properties,
): Promise<Properties> {
  const secret = { keyId: state.keyId, key, isSealed: state.sealedKey !== undefined };
  const { pending, reason } = await finishPending(state.pending, secret, inputs, context);
  const reached = outputsOf({ ...state, pending }, inputs, before);
  if (reason !== undefined) throw new NotReady(id, reached, reason);
  return reached;
}
