import { keyIn } from "../../key-index";
import { mustBeSameAccount } from "../../keys/account-guard";
import { isHeldElsewhere } from "../../keys/holders";
import { sameOwner } from "../../keys/identity";
import { settleLostForGood } from "../../keys/lost-request";
import { formatKey, isOthers, nameInUrn } from "../../keys/names";
import { wasHandedOut } from "../../keys/readiness";
import {
  leaveToOthers,
  mustBeRevoked,
  mustHaveReachedConsumers,
  mustNotForget,
  ownerNow,
  refuseOwnCredential,
  revokeAll,
  revokeKey,
} from "../../keys/revoke-key";
import { revokeCommand } from "../../keys/scope";
import type { Context } from "../../schema/resource-type";
import { keysToRevoke } from "./adoption";
import { judgePrevious, type Listed, notGone } from "./retire-key";
import { type HeldKey, madeBy, type RotationState } from "./rotation-state";

/** Revokes the keys of a resource that is deleted, except those that are to stay live. */
export async function deleteRotatingKey(id: string, state: RotationState, context: Context): Promise<void> {
  await settleLostForGood(state.lost, state.identity, context);
  const keys = ownKeys(id, state, context);
  const kept = keys.filter((key) => staysLive(key, state, context));
  if (kept.length > 0) await mustNotForget(state.identity, context);
  for (const key of kept) {
    context.run.kept.set(key.id, context.urn);
    context.info(`key ${formatKey(key)} stays live, because revokeOnDelete is false`);
  }
  const toRevoke = keys.filter((key) => !kept.includes(key));
  for (const key of toRevoke) refuseOwnCredential(key, context);
  const left = await leftBeside(id, keys, state, context);
  const isHandedOut = left.some((keyId) => !state.pendingRevocations.includes(keyId));
  if (toRevoke.length > 0 || isHandedOut) await mustHaveReachedConsumers(id, state.identity, context);
  for (const key of toRevoke) {
    if (isOthers(madeBy(state, key), ownerNow(state.identity, context))) {
      leaveToOthers(key, context);
      context.run.kept.set(key.id, context.urn);
      continue;
    }
    context.progress(`revoking key ${key.id}`);
    const { identity, createdAt } = state;
    await revokeKey({ ...key, identity, ...(key === state.current && { createdAt }) }, context);
  }
  // Asked last, because the ledger is deleted at the same time.
  const unrevoked = left.filter((keyId) => context.run.ledger.deliveries.get(keyId)?.isRevoked !== true);
  const isKept = (keyId: string) => state.inputs.revokeOnDelete === false && state.retired.includes(keyId);
  const [live, retired] = [unrevoked.filter((keyId) => !isKept(keyId)), unrevoked.filter(isKept)];
  // Lists can be wrong. Somebody may use a key that they lack.
  for (const { id: keyId, record } of await notGone(retired, context)) {
    if (!isNeeded(keyId, record, state, context)) {
      live.push(keyId);
      continue;
    }
    context.run.kept.set(keyId, context.urn);
    context.warn(
      `key ${keyId}, which a rotation replaced, stays live, because it may be in use and revokeOnDelete is false. ` +
        `If nobody needs it, run \`${revokeCommand(keyId, context.scope)}\``,
    );
  }
  mustBeRevoked(await revokeAll(keysToRevoke(live, state), state.identity, context));
}

/** The keys of the resource that no other one has. */
function ownKeys(id: string, state: RotationState, context: Context): readonly HeldKey[] {
  const { current, previous, identity, inputs } = state;
  // The deletion of the resource that replaced this one, or that this one replaced, may have left a key live.
  const isLeft = (keyId: string) => context.run.kept.has(keyId) && keyId !== inputs.revokeNow;
  return [previous, current]
    .filter((key) => key !== undefined)
    .filter((key) => !isLeft(key.id) && !isHeldElsewhere(key.id, id, identity, context));
}

function staysLive(key: HeldKey, { current, pending, inputs }: RotationState, context: Context): boolean {
  return (
    inputs.revokeOnDelete === false &&
    // The deletion of the resource that this one replaced may have revoked it.
    !context.keys().hasRevoked(key.id) &&
    key.id !== inputs.revokeNow &&
    !context.run.compromised.has(key.id) &&
    (key !== current || wasHandedOut(pending))
  );
}

/**
 * Ids of keys that the resource has still to revoke, besides its own. If the state was copied, the original does. If it
 * was renamed, nothing does, so they are named.
 */
async function leftBeside(
  id: string,
  keys: readonly HeldKey[],
  state: RotationState,
  context: Context,
): Promise<readonly string[]> {
  const { pendingRevocations, compromised, retired, identity, inputs } = state;
  // The resource that this one replaced may have left it to the state of this one.
  const named = inputs.revokeOnDelete === false && !keys.some((key) => key.id === inputs.revokeNow);
  const revokeNow = named ? await replacedKeyIn(state, context) : [];
  const left = [...pendingRevocations, ...compromised, ...retired];
  if (sameOwner(ownerNow(identity, context), identity)) {
    return [...left, ...revokeNow].filter((keyId) => !isHeldElsewhere(keyId, id, identity, context));
  }
  for (const key of keysToRevoke(left, state)) leaveToOthers(key, context);
  return [];
}

/** Whether somebody may need a retired key: its successor may not be delivered, or it was used since. */
function isNeeded(id: string, record: Listed, state: RotationState, context: Context): boolean {
  const deliveredAt = context.run.ledger.deliveries.get(id)?.deliveredAt ?? state.deliveredAt;
  return judgePrevious(record, deliveredAt, state.inputs, context).fate !== "revoke";
}

/** The key that `revokeNow` names, if the resource before is proven to have had it: a program can name any key. */
async function replacedKeyIn(state: RotationState, context: Context): Promise<readonly string[]> {
  const { identity } = state;
  const { revokeNow } = state.inputs;
  if (revokeNow === undefined) return [];
  await mustBeSameAccount(identity, context);
  const found = keyIn(await context.keys().list(), revokeNow);
  if (found !== undefined && isOthers(madeBy(state, found), ownerNow(identity, context))) {
    leaveToOthers(found, context);
    return [];
  }
  const witness = await context.witness(ownerNow(identity, context), { fresh: true });
  const holders = witness?.holdersOf(found ?? { id: revokeNow }) ?? [];
  const other = holders.find(({ urn }) => urn !== context.urn);
  const wasOwn = holders.length > 0 || context.run.kept.get(revokeNow) === context.urn;
  if (other === undefined && wasOwn) return [revokeNow];
  // A key that was revoked long ago can stay in the program.
  if (found === undefined) return [];
  const why = other ? `${JSON.stringify(nameInUrn(other.urn))} has it` : "nothing shows that this resource had it";
  context.warn(
    `key ${formatKey(found)}, which revokeNow names, stays live, because ${why}. ` +
      `If nobody needs it, run \`${revokeCommand(revokeNow, context.scope)}\``,
  );
  return [];
}
