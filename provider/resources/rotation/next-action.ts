import { rotateAt } from "../../keys/key-fields";
import { sameAge } from "../../keys/lease";
import { isOthers } from "../../keys/maker";
import { isoOf, madeBy, type RotationState, retireTime } from "./rotation-state";

/**
 * What the next runs will do with a rotating key, in words: `rotate after 2026-12-21T00:00:00.000Z; revoke key 17 after
 * 2026-11-22T00:00:00.000Z`. Contains times, not what is due now: a text that changes with time would cause a diff in
 * every preview.
 */
export function nextAction(state: RotationState): string {
  const { current, previous, inputs } = state;
  const steps: string[] = [];
  if (current === undefined || state.currentGone) steps.push("create a new key");
  else if (state.pending.length > 0) steps.push(`wait until key ${current.keyId} is ready`);
  const at = rotateAt(state.createdAt, inputs);
  const window = inputs.rotationWindow === undefined ? "" : ", inside rotationWindow";
  const isQueued =
    state.queuedTriggers !== undefined || (current !== undefined && !sameAge(state.leasedFor, inputs.maxAge));
  if (isQueued) {
    steps.push(previous === undefined ? "rotate" : `rotate as soon as key ${previous.keyId} is revoked`);
  } else if (at !== undefined) steps.push(`rotate after ${at}${window}`);
  if (previous !== undefined && isOthers(madeBy(state, previous), state.identity ?? inputs.owner)) {
    steps.push(`leave key ${previous.keyId}, which another stack created`);
  } else if (previous !== undefined) {
    steps.push(`revoke key ${previous.keyId} after ${isoOf(retireTime(state, inputs))}, unless it is in use`);
  }
  for (const id of [...state.compromised, ...state.pendingRevocations]) steps.push(`revoke key ${id}`);
  // The ledger revokes it after this text is written, as the last step of the same run, if nothing prevents it.
  for (const id of state.retired) steps.push(`make sure that key ${id} is revoked`);
  return steps.join("; ") || "rotate when a trigger changes";
}
