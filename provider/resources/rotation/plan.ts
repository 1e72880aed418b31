import { isoOf } from "../../duration";
import { graceOf, sameAge } from "../../keys/deadline";
import { dueByAge } from "../../keys/fields";
import { pendingDue } from "../../keys/readiness";
import { leftDue } from "../../keys/state";
import type { Due } from "../../schema/diff";
import { hasUnknown } from "../../schema/fields";
import { changeOfRecipients } from "../../seal/recipients";
import type { PlannedRotation } from "./fields";
import { isTriggered, type RotationState, retireTime } from "./state";

export interface RotationReason {
  /** The field that causes it. If it is `revokeNow`, the current key is revoked as soon as its successor is ready. */
  readonly field: string;
  readonly why: string;
  /**
   * Whether consumers cannot or must not keep using the current key. Then the rotation does not wait until the previous
   * key can be revoked.
   */
  readonly urgent: boolean;
  /** Whether it is drift, which a refresh must report. */
  readonly drift?: boolean;
}

/** Why a rotation is due; `undefined` if it is not. */
export function rotationReason(state: RotationState, inputs: PlannedRotation, now: number): RotationReason | undefined {
  const { current, pending, createdAt } = state;
  const urgent = (field: string, why: string) => ({ field, why, urgent: true });
  if (current === undefined) {
    const isGone = createdAt !== undefined;
    const why = isGone ? "the current key is gone from the account" : "no key could be created yet";
    return { ...urgent("keyId", why), drift: isGone };
  }
  const failed = pendingDue(pending).find((due) => due.replace);
  if (failed !== undefined) return urgent(failed.field, failed.why);
  if (inputs.revokeNow === current.id) return urgent("revokeNow", `key ${current.id} is to be revoked now`);
  const because = (field: string, why: string) => ({ field, why, urgent: false });
  const change = changeOfRecipients(state.sealedTo, inputs.sealTo);
  if (change !== undefined) return because("sealTo", change);
  if (!sameAge(state.leasedFor, inputs.maxAge)) return because("maxAge", changeOfAge(state.leasedFor, inputs.maxAge));
  if (state.isQueued || isTriggered(state, inputs.rotationTriggers)) {
    return because("rotationTriggers", "a trigger has changed");
  }
  const old = dueByAge(createdAt, inputs, now, graceOf(inputs));
  return old === undefined ? undefined : because("rotateAfter", old);
}

function changeOfAge(before: string | undefined, after: unknown): string {
  const shown = (age: unknown) => (typeof age === "string" ? age : hasUnknown(age) ? "another value" : "none");
  return `maxAge changes from ${shown(before)} to ${shown(after)}, and a key cannot get another deadline`;
}

/** Why the previous key is asked about; `undefined` before it is time, or if the current key was not handed out. */
export function retireReason(state: RotationState, inputs: PlannedRotation, now: number): Due | undefined {
  const { previous } = state;
  // A key that is not ready was not handed out, so consumers have only the previous one.
  if (previous === undefined || state.current === undefined || state.pending.length > 0) return undefined;
  if (inputs.revokeNow === previous.id) {
    return { field: "revokeNow", replace: false, why: `key ${previous.id} is to be revoked now` };
  }
  const at = retireTime(state);
  if (at === undefined || now < at) return undefined;
  return { field: "retireAfter", replace: false, why: `key ${previous.id} may be revoked since ${isoOf(at)}` };
}

/** What an update in place must do, whether or not the program has changed. */
export function rotationDue(state: RotationState, inputs: PlannedRotation, now: number): readonly Due[] {
  const due: Due[] = pendingDue(state.pending).filter((item) => !item.replace);
  const retire = retireReason(state, inputs, now);
  if (retire !== undefined) due.push(retire);
  const reason = rotationReason(state, inputs, now);
  const inTheWay = state.previous !== undefined && retire === undefined;
  if (reason !== undefined && (reason.urgent || !inTheWay)) {
    due.push({ field: reason.field, replace: false, why: reason.why, drift: reason.drift ?? false });
  }
  return [...due, ...leftDue(state)];
}
