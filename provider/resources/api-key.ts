import { KeyplaneError } from "../errors";
import { identityHere, mustBeSameAccount } from "../keys/account-guard";
import { skewedAge } from "../keys/clock-skew";
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
  textsOf,
  triggersDue,
  withoutEmpty,
} from "../keys/key-fields";
import { nameInUrn, ownerTag, prefixFrom } from "../keys/names";
import { noteLostNames } from "../keys/orphans";
import {
  finishPending,
  pendingAfter,
  pendingDue,
  pendingOf,
  pendingUnder,
  waitForProjects,
  wasHandedOut,
} from "../keys/readiness";
import {
  type DoomedKey,
  findKey,
  isForeign,
  mustNotForget,
  mustRevokeAll,
  ownerNow,
  recordedKey,
  revokeAll,
  revokeKey,
} from "../keys/revoke-key";
import { sameScope } from "../keys/scope";
import { types } from "../schema/field-types";
import {
  type Context,
  type Due,
  type Failure,
  NotReady,
  type Properties,
  type ResourceType,
} from "../schema/resource-type";

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

  outputs: ["keyId", "name", "key", "createdAt", "rotateAt", "pending"],

  canBeAbsent: ["rotateAt", "pending"],

  stable: () => ["keyId", "name", "key", "createdAt"],

  rules(inputs, context) {
    const failures: Failure[] = [...keyRules(inputs, context)];
    if (inputs.name !== undefined) {
      if (inputs.namePrefix !== undefined) {
        failures.push({ property: "namePrefix", reason: "cannot be combined with name. Choose one of them" });
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
    const due: Due[] = [...pendingDue(outputs), ...triggersDue(outputs)];
    if (Array.isArray(outputs.pendingRevocations)) due.push({ field: "pendingRevocations", replace: false });
    if (outputs.gone === true) {
      due.push({ field: "keyId", replace: true, drift: true, why: `key ${outputs.keyId} is gone from the account` });
    }
    const why = dueByAge(outputs.createdAt, inputs.rotateAfter, now);
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
    await waitForProjects(inputs, context);
    const { created, lostNames, pendingRevocations } = await mint(inputs, context);
    const outputs = {
      ...repeatedInputs(inputs),
      keyId: created.id,
      name: created.name,
      key: created.key,
      createdAt: created.createdAt,
      rotateAt: rotateAt(created.createdAt, inputs.rotateAfter),
      ...maker(inputs),
      pending: pendingAfter(created.operations, isTried(inputs)),
      pendingRevocations,
      lostNames,
    };
    await refuseSkewedClock(created.id, outputs, inputs, context);
    return { id: created.id, outputs: await getReady(created.id, outputs, inputs, context) };
  },

  async read(id, outputs, context) {
    const found = await findKey(recordedKey(id, outputs), context);
    if (found === undefined) {
      // Removing the resource would lose the keys that are not revoked yet. Its replacement revokes them.
      return orphansBeside(id, outputs).length === 0 ? undefined : { ...outputs, gone: true };
    }
    const { credential, ...others } = outputs;
    return { ...others, owner: identityHere(identityIn(outputs), context) };
  },

  async update(id, outputs, inputs, context) {
    await mustBeSameAccount(identityIn(inputs), context);
    // A new owner, in a renamed or copied stack, proves nothing about keys that are older than the owner.
    if (!sameOwner(outputs.owner, inputs.owner)) await mustBeSameAccount(identityIn(outputs), context);
    const { keyId, name, key, createdAt, mintedBy, imported, lostNames } = outputs;
    const pending = pendingUnder(inputs, outputs);
    // In a copied state, the original stack revokes them: its state contains them, too.
    const isCopy = !sameOwner(outputs.owner, inputs.owner);
    const doomed = isCopy ? [] : doomedIn(textsOf(outputs.pendingRevocations), outputs);
    const pendingRevocations = await revokeAll(doomed, identityIn(inputs), context);
    const carried = {
      ...repeatedInputs(inputs, outputs),
      // The secret can be read only at creation, so it is carried from state to state.
      ...{ keyId, name, key, createdAt, mintedBy, imported, lostNames, pending, pendingRevocations },
      rotateAt: rotateAt(createdAt, inputs.rotateAfter),
    };
    return getReady(id, carried, inputs, context);
  },

  async import(id, key, inputs, context) {
    // Loaded on demand, because an import is rare.
    const { importClaim, proveKey } = await import("../keys/prove-key.js");
    const claim = importClaim(id, key);
    const { name, createdAt, projectId } = await proveKey(claim, inputs, context);
    const found = withoutEmpty({ ...inputs, name, projectId });
    const outputs = { ...found, keyId: id, key: claim.key, createdAt, ...maker(found), imported: true };
    return { id, inputs: found, outputs };
  },

  async delete(id, outputs, context) {
    noteLostNames(outputs, context);
    const stays = outputs.revokeOnDelete === false && wasHandedOut(outputs);
    if (stays) {
      await mustNotForget(outputs, context);
      context.run.kept.set(id, "revokeOnDelete is false");
      context.info(`key ${id} (${outputs.name}) stays live, because revokeOnDelete is false`);
    }
    if (isForeign({ ...outputs, owner: ownerNow(outputs, context) })) {
      context.warn(
        `key ${id} (${outputs.name}) was created by another stack, from which this state was copied or renamed. It is ` +
          "not revoked. If nothing else uses it, revoke it in the console",
      );
      return;
    }
    if (!stays && !isHeldElsewhere(id, id, outputs, context)) await revokeKey(recordedKey(id, outputs), context);
    await mustRevokeAll(doomedIn(orphansBeside(id, outputs), outputs), identityIn(outputs), context);
  },
};

/** Ids of keys that nobody holds and that are still to be revoked, except the resource's own. */
function orphansBeside(id: string, { pendingRevocations }: Properties): readonly string[] {
  return textsOf(pendingRevocations).filter((orphan) => orphan !== id);
}

/** Keys that attempts to create this one left behind, under its exact name or under names with the owner's tag. */
function doomedIn(ids: readonly string[], outputs: Properties): readonly DoomedKey[] {
  return ids.map((id) => ({ id, name: isExact(outputs) ? String(outputs.name) : undefined }));
}

/** Whether a key has an exact name. */
function isExact(outputs: Properties): boolean {
  return outputs.mintedBy !== undefined;
}

/** Who created the key. An auto-name shows it; for an exact name it is stored separately. */
function maker(inputs: Properties): Properties {
  return inputs.name === undefined ? {} : { mintedBy: ownerTag(ownerIdIn(inputs.owner)) };
}

async function mint(inputs: Properties, context: Context): ReturnType<typeof createKey> {
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
      withoutEmpty({ ...repeatedInputs(inputs), ...maker(inputs), ...error.outputs }),
      error.reason,
    );
  }
}

/** With `rotateAfter`, a wrong clock would rotate too early, too late or endlessly, so the new key is not kept. */
async function refuseSkewedClock(id: string, outputs: Properties, inputs: Properties, context: Context): Promise<void> {
  const reason = skewedAge(inputs, context);
  if (reason === undefined) return;
  const doomed = [{ id, name: String(outputs.name) }];
  if ((await revokeAll(doomed, identityIn(inputs), context)).length === 0) throw new KeyplaneError("KP-CLOCK", reason);
  throw new NotReady(id, withoutEmpty({ ...outputs, pending: [{ action: "create", status: "failed" }] }), reason);
}

/** Waits until an existing key is ready. Whatever fails from here on, the key is recorded. */
async function getReady(id: string, outputs: Properties, inputs: Properties, context: Context): Promise<Properties> {
  const key = outputs.key as string | undefined;
  const { pending, reason } = await finishPending(pendingOf(outputs), key, inputs, context);
  const reached = withoutEmpty({ ...outputs, pending });
  if (reason !== undefined) throw new NotReady(id, reached, reason);
  return reached;
}
