import type { ApiKeyRecord } from "../../api/records";
import { formatDuration } from "../../duration";
import { isAborted, messageOf } from "../../errors";
import { keyIn } from "../../key-index";
import { clockSkew } from "../../keys/clock-skew";
import { isForeign } from "../../keys/revoke-key";
import type { Context, Properties } from "../../schema/resource-type";
import { periodsOf } from "./rotation-fields";
import { retireReason } from "./rotation-plan";
import { type HeldKey, isoOf, makerOf, type RotationState, retireTime, withoutPrevious } from "./rotation-state";
import { takeOverFirst } from "./self-rotation";

/**
 * Retires the previous key if it is due and unused. The ledger revokes it later, as the last step of the run: if an
 * earlier run has failed, something in the stack may get the successor only later in this run. A key that cannot be
 * retired is reported and kept. The run does not fail for it, because the new key is already in use.
 */
export async function retirePrevious(
  state: RotationState,
  inputs: Properties,
  context: Context,
): Promise<RotationState> {
  const { previous } = state;
  const reason = retireReason(state, inputs, context.now());
  if (previous === undefined || reason === undefined) return state;
  if (isForeign(makerOf(state, previous, inputs.owner))) {
    context.warn(
      `key ${formatKey(previous)} was created by another stack, from which this state was copied or renamed. It is not revoked`,
    );
    return withoutPrevious(state);
  }
  const ownSetting = context.account().settingOf(previous.key);
  if (ownSetting !== undefined) {
    context.warn(takeOverFirst(previous, state.current, ownSetting));
    return state;
  }
  if (reason.field === "revokeNow") {
    context.info(`key ${formatKey(previous)}, which revokeNow names, ${whenRevoked(state)}`);
    return withRetired(previous, state);
  }
  return retireUnlessUsed(previous, state, inputs, context);
}

/** Retires a key whose grace is over, unless its last use is recent or unknown. */
async function retireUnlessUsed(
  previous: HeldKey,
  state: RotationState,
  inputs: Properties,
  context: Context,
): Promise<RotationState> {
  let keys: readonly ApiKeyRecord[] | undefined;
  try {
    keys = await context.keys().list({ recent: true });
  } catch (error) {
    if (isAborted(error)) throw error;
    // After `maxOverlap`, a key is retired even if it is used.
    if (context.now() < overlapEnd(state, inputs)) {
      context.warn(`key ${formatKey(previous)} is kept, because its last use is unknown: ${messageOf(error)}`);
      return state;
    }
  }
  const kept = keys && keptByUse(previous, keys, state, inputs, context);
  if (kept !== undefined) return kept;
  context.info(`key ${formatKey(previous)} ${whenRevoked(state)}`);
  const retired = state.retired.filter((id) => keys === undefined || keyIn(keys, id));
  return withRetired(previous, { ...state, retired });
}

function withRetired({ keyId }: HeldKey, state: RotationState): RotationState {
  return { ...withoutPrevious(state), retired: [...state.retired, keyId] };
}

function whenRevoked({ current }: RotationState): string {
  return `is revoked at the end of this run. Its successor is key ${current?.keyId}`;
}

/** The state to continue with if the key must stay, because it is in use or not due by the service's clock. */
function keptByUse(
  previous: HeldKey,
  keys: readonly ApiKeyRecord[],
  state: RotationState,
  inputs: Properties,
  context: Context,
): RotationState | undefined {
  const account = context.account();
  const { quiet } = periodsOf(inputs);
  const end = overlapEnd(state, inputs);
  if (account.serviceNow() < (retireTime(state, inputs) ?? 0)) {
    context.warn(
      `key ${formatKey(previous)} is kept: ${clockSkew(context) ?? "its grace is not over by the service's clock"}`,
    );
    return state;
  }
  const record = keyIn(keys, previous.keyId);
  // Missing usage data does not prove that the key is unused, but the grace is over: only a known use keeps it.
  const lastUsed = Date.parse(record?.lastUsedAt ?? "");
  if (Number.isNaN(lastUsed) || lastUsed + quiet <= account.serviceNow()) return undefined;
  const use = `was last used ${record?.lastUsedAt} from ${record?.lastUsedFromAddr ?? "an unknown address"}`;
  if (context.now() >= end) {
    context.warn(`key ${formatKey(previous)} ${use}. It is revoked anyway, because maxOverlap is over`);
    return undefined;
  }
  context.warn(
    `key ${formatKey(previous)} ${use}. It is kept until nobody has used it for ${formatDuration(quiet)}, but not ` +
      `longer than until ${isoOf(end)}. Give its users the current key`,
  );
  return { ...state, previousUsedAt: isoOf(lastUsed) };
}

/** When the previous key is retired even if it is used, in milliseconds since 1970. */
function overlapEnd(state: RotationState, inputs: Properties): number {
  return Date.parse(state.rotatedAt ?? "") + periodsOf(inputs).maxOverlap;
}

function formatKey({ keyId, name }: HeldKey): string {
  return `${keyId} (${name})`;
}
