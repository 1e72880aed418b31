import { isoOf } from "../../duration";
import { dueByAge, nextDue } from "../../keys/key-fields";
import { leftDue } from "../../keys/key-state";
import { deadlineIn, sameAge } from "../../keys/lease";
import { pendingDue } from "../../keys/readiness";
import { hasUnknown } from "../../schema/field-types";
import type { Due, DueTerms, NextDue } from "../../schema/resource-type";
import { changeOfRecipients } from "../../seal/recipients";
import { graceOf, type PlannedRotation } from "./rotation-fields";
import { type RotationState, retireTime } from "./rotation-state";

export interface RotationReason {
  /** The field that causes it. If it is `revokeNow`, the current key is revoked as soon as its successor is handed out. */
  readonly field: string;
  readonly why: string;
  /**
   * Whether consumers cannot or must not keep using the current key, or not for long. Then the rotation does not wait until
   * the previous key can be revoked.
   */
  readonly urgent: boolean;
  /** When the current key is due, if its age is the reason. */
  readonly due?: NextDue | undefined;
}

/** Why a rotation is due; `undefined` if it is not. `state` must already include the program's triggers. */
export function rotationReason(state: RotationState, inputs: PlannedRotation, now: number): RotationReason | undefined {
  const { current, pending } = state;
  const urgent = (field: string, why: string) => ({ field, why, urgent: true });
  if (current === undefined) return urgent("pending", "no key could be created yet");
  if (state.currentGone) return urgent("currentGone", `key ${current.id} is gone from the account`);
  const failed = pendingDue(pending).find((due) => due.replace);
  if (failed !== undefined) return urgent(failed.field, failed.why);
  if (inputs.revokeNow === current.id) return urgent("revokeNow", `key ${current.id} is to be revoked now`);
  const grace = graceOf(inputs);
  const old = dueByAge(state.createdAt, inputs, now, grace);
  // Its deadline comes, even if somebody uses the previous key for longer. The program can have changed `maxAge` since.
  const isOld = old !== undefined || dueByAge(state.createdAt, { maxAge: state.leasedFor }, now) !== undefined;
  const isEnding = isOld && deadlineIn(current.name) !== undefined;
  const because = (field: string, why: string) => ({ field, why, urgent: isEnding });
  const change = changeOfRecipients(state.sealedTo, inputs.sealTo);
  if (change !== undefined) return because("sealTo", change);
  if (!sameAge(state.leasedFor, inputs.maxAge)) return because("maxAge", changeOfAge(state.leasedFor, inputs.maxAge));
  if (state.queuedTriggers !== undefined) return because("rotationTriggers", "a trigger has changed");
  return old === undefined
    ? undefined
    : { ...because("rotateAfter", old), due: nextDue(state.createdAt, inputs, grace) };
}

function changeOfAge(before: string | undefined, after: unknown): string {
  const shown = (age: unknown) => (typeof age === "string" ? age : hasUnknown(age) ? "another value" : "none");
  return `maxAge changes from ${shown(before)} to ${shown(after)}, and a key cannot get another deadline`;
}

/** Why the previous key is due to be revoked; `undefined` if it may be in use, or the current key was not handed out. */
export function retireReason(state: RotationState, inputs: PlannedRotation, now: number): Due | undefined {
  const { previous } = state;
  // A key that is not ready was not handed out, so consumers have only the previous one.
  if (previous === undefined || state.current === undefined || state.currentGone || state.pending.length > 0) {
    return undefined;
  }
  if (inputs.revokeNow === previous.id) {
    return { field: "revokeNow", replace: false, why: `key ${previous.id} is to be revoked now` };
  }
  const at = retireTime(state, inputs);
  if (at === undefined || now < at) return undefined;
  return { field: "retireAfter", replace: false, why: `the grace of key ${previous.id} ended ${isoOf(at)}` };
}

/** What an update in place must do, whether or not the program has changed. */
export function rotationDue(
  state: RotationState,
  inputs: PlannedRotation,
  { now, hasLedger }: DueTerms,
): readonly Due[] {
  const due: Due[] = pendingDue(state.pending).filter((item) => !item.replace);
  const retire = retireReason(state, inputs, now);
  if (retire !== undefined) due.push(retire);
  const reason = rotationReason(state, inputs, now);
  const inTheWay = state.previous !== undefined && retire === undefined;
  if (reason !== undefined && (reason.urgent || !inTheWay)) {
    const drift = reason.field === "currentGone";
    due.push({ field: reason.field, replace: false, why: reason.why, drift });
  }
  if (state.retired.length > 0 && !hasLedger) {
    const why = `key ${state.retired.join(", ")} is retired, but not revoked yet`;
    due.push({ field: "retired", replace: false, why });
  }
  return [...due, ...leftDue(state)];
}
