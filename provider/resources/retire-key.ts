import type { ApiKeyRecord } from "../api/records";
import { sayDuration } from "../duration";
import { isAborted } from "../errors";
import { clockSkew } from "./clock-skew";
import type { Context, Properties } from "./kind";
import { isForeign, revokeKey } from "./revoke-key";
import { periodsOf } from "./rotation-fields";
import { retireReason } from "./rotation-plan";
import { type HeldKey, isoOf, type RotationState, retireTime, withoutPrevious } from "./rotation-state";
import { takeOverFirst } from "./self-rotation";

/**
 * Revokes the previous key if its time has come and nobody uses it. What stands against it is said and leaves the key
 * as it is: the new key is in use already, so a run does not fail for the old one. Only where `revokeNow` names the
 * key, a failure is the run's failure.
 */
export async function retirePrevious(
  state: RotationState,
  inputs: Properties,
  context: Context,
): Promise<RotationState> {
  const { previous } = state;
  const reason = retireReason(state, inputs, context.now());
  if (previous === undefined || reason === undefined) return state;
  if (isForeign({ owner: inputs.owner, name: previous.name })) {
    context.warn(
      `key ${sayKey(previous)} was made by another stack, from which this state was copied or renamed: it is not revoked`,
    );
    return withoutPrevious(state);
  }
  if (context.account().isOwnKey(previous.key)) {
    context.warn(takeOverFirst(previous, state.current));
    return state;
  }
  const byForce = reason.field === "revokeNow";
  if (!byForce) {
    const kept = await keptByUse(previous, state, inputs, context);
    if (kept !== undefined) return kept;
  }
  try {
    context.progress(`revoking key ${previous.keyId}`);
    const { owner } = inputs;
    await revokeKey(previous.keyId, { ...previous, owner, credential: state.credential }, context);
  } catch (error) {
    if (byForce || isAborted(error)) throw error;
    context.warn(`key ${sayKey(previous)} could not be revoked; the next run tries again: ${messageOf(error)}`);
    return state;
  }
  context.info(`revoked key ${sayKey(previous)}, whose successor is key ${state.current?.keyId}`);
  return withoutPrevious(state);
}

/** The state to go on with if the key must stay: it is in use, or that cannot be found out. */
async function keptByUse(
  previous: HeldKey,
  state: RotationState,
  inputs: Properties,
  context: Context,
): Promise<RotationState | undefined> {
  const account = context.account();
  const { quiet, maxOverlap } = periodsOf(inputs);
  const end = Date.parse(state.rotatedAt ?? "") + maxOverlap;
  const isOver = context.now() >= end;
  let keys: readonly ApiKeyRecord[];
  try {
    keys = await account.keys.list({ recent: true });
  } catch (error) {
    if (isAborted(error)) throw error;
    // After the longest overlap its use would not save it.
    if (isOver) return undefined;
    context.warn(`key ${sayKey(previous)} stays, because its last use is unknown: ${messageOf(error)}`);
    return state;
  }
  if (account.serviceNow() < (retireTime(state, inputs) ?? 0)) {
    context.warn(
      `key ${sayKey(previous)} stays: ${clockSkew(context) ?? "by the service's clock its time has not come"}`,
    );
    return state;
  }
  const record = keys.find((key) => key.id === previous.keyId);
  // No use told is no proof of disuse, but the grace is over: only a use that is known stands against it.
  const lastUsed = Date.parse(record?.lastUsedAt ?? "");
  if (Number.isNaN(lastUsed) || lastUsed + quiet <= account.serviceNow()) return undefined;
  const use = `was last used ${record?.lastUsedAt} from ${record?.lastUsedFromAddr ?? "an unknown address"}`;
  if (isOver) {
    context.warn(`key ${sayKey(previous)} ${use}; it is revoked all the same, because maxOverlap is over`);
    return undefined;
  }
  const postponedTo = isoOf(Math.min(lastUsed + quiet, end));
  context.warn(
    `key ${sayKey(previous)} ${use}: it is kept until nobody has used it for ${sayDuration(quiet)}, at the latest until ` +
      `${isoOf(end)}. Give whoever uses it the current key`,
  );
  return { ...state, postponedTo };
}

function sayKey({ keyId, name }: HeldKey): string {
  return `${keyId} (${name})`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
