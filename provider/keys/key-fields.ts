import { formatDuration, parseDuration } from "../duration";
import { type FieldRule, type InputsOf, type Planned, types } from "../schema/field-types";
import type { Context, Failure, NextDue } from "../schema/resource-type";
import { sameRecipients } from "../seal/recipients";
import { isSameStack } from "./identity";
import { type Ages, rotationAge, sameAge } from "./lease";
import { PREFIX_LENGTH } from "./names";
import { dueIn, rotationWindow, windowOf } from "./rotation-window";
import { accountFailures, scopeFields } from "./scope";

/** Fields that the SDK sets for every resource. */
export const sdkFields = {
  /** The resource's URN: identifies its row in the engine's display, and provides the prefix of an auto-name. */
  resourceUrn: { type: types.text, change: "ignore", internal: true },
} as const satisfies Record<string, FieldRule>;

/** Fields that all kinds of key share. */
export const keyFields = {
  /** A deletion gets only the outputs, and asks the engine about the stack of this name. */
  resourceUrn: {
    ...sdkFields.resourceUrn,
    change: "update",
    same: (before, now) => !before || isSameStack(before, `${now}`),
  },
  ...scopeFields,
  projectId: { type: types.projectId, change: "replace", isPlace: true },
  owner: { type: types.text, required: true, change: "update", internal: true },
  namePrefix: { type: types.prefixUpTo(PREFIX_LENGTH), change: "replace" },
  rotationTriggers: { type: types.map, change: "replace", unsetUpdates: true, isDigest: true },
  rotateAfter: { type: types.duration, change: "update" },
  /** The name has the deadline, so a key cannot get another one. */
  maxAge: { type: types.duration, change: "replace", same: sameAge },
  rotationWindow: { type: rotationWindow, change: "update" },
  waitForProjects: { type: types.listOf(types.projectId), change: "update" },
  verify: { type: types.flag, fallback: false, change: "update" },
  operationTimeout: { type: types.timeout, change: "update" },
  revokeOnDelete: { type: types.flag, fallback: true, change: "update" },
  sealTo: { type: types.recipients, change: "replace", same: sameRecipients, code: "KP-SEAL" },
  /** Set by the SDK if the engine may leave the resource in place: with `retainOnDelete` or `protect`. */
  retained: { type: types.flag, change: "update", internal: true },
} as const satisfies Record<string, FieldRule>;

export type KeyInputs = Partial<InputsOf<typeof keyFields>>;

/** Inputs of a key, as far as they are given and known. */
type PlannedKey = Planned<KeyInputs>;

export function keyRules(inputs: PlannedKey, context: Context): readonly Failure[] {
  if (typeof inputs.owner === "string") context.run.owner = inputs.owner;
  // For a key without `account`, the owner reports what is wrong with the settings.
  const failures = inputs.account === undefined ? [] : [...accountFailures(inputs, context)];
  if (inputs.projectId !== undefined && inputs.organizationId === undefined) {
    const reason =
      "can be given only together with organizationId: the keys of an account are not limited to a project";
    failures.push({ property: "projectId", reason });
  }
  if (inputs.rotationWindow !== undefined && inputs.rotateAfter === undefined && inputs.maxAge === undefined) {
    const reason =
      "requires rotateAfter or maxAge, because only a rotation by age waits for the window. Set one of them, or remove " +
      "rotationWindow";
    failures.push({ property: "rotationWindow", reason });
  }
  return failures;
}

/**
 * Whether keys stay live after the resource is deleted. Such a key must be used once, because a used key is never taken
 * for an orphan, even if no state contains it any more.
 */
export function isKept({ revokeOnDelete, retained }: PlannedKey): boolean {
  return revokeOnDelete === false || retained === true;
}

/** Whether a new key is used once before it is handed out. */
export function isTried(inputs: PlannedKey): boolean {
  return inputs.verify === true || isKept(inputs);
}

/**
 * When a key is due for rotation by age; `undefined` if it never is, or if a preview does not know it yet. It does not wait
 * for a window that opens when its grace would no longer end before its deadline.
 * @param grace - How long its consumers keep it after a rotation, in milliseconds.
 */
export function nextDue(createdAt: string | undefined, inputs: Ages, grace = 0): NextDue | undefined {
  const { rotationWindow } = inputs;
  const age = rotationAge(inputs);
  const born = Date.parse(createdAt ?? "");
  if (age === undefined || Number.isNaN(born)) return undefined;
  if (rotationWindow === undefined) return (from) => Math.max(from, born + age);
  const window = windowOf(rotationWindow);
  const longest = parseDuration(inputs.maxAge) ?? Number.POSITIVE_INFINITY;
  const latest = born + longest - grace;
  return (
    window &&
    ((from) => {
      const due = Math.max(from, born + age);
      const open = dueIn(window, due);
      return open < latest ? open : due;
    })
  );
}

/** When a key becomes due for rotation, as an ISO 8601 time; `undefined` if it does not rotate by age. */
export function rotateAt(createdAt: string | undefined, inputs: Ages, grace?: number): string | undefined {
  const due = nextDue(createdAt, inputs, grace);
  return due && new Date(due(Number.NEGATIVE_INFINITY)).toISOString();
}

/** Why a key is due for rotation by its age, in words; `undefined` if it is not. */
export function dueByAge(createdAt: string | undefined, inputs: Ages, now: number, grace?: number): string | undefined {
  const due = nextDue(createdAt, inputs, grace);
  // A key that nobody rotated inside the window waits for the next one.
  if (due === undefined || due(now) > now) return undefined;
  const age = formatDuration(now - Date.parse(createdAt ?? "")).replace(" ", "");
  return `due since ${rotateAt(createdAt, inputs, grace)}: ${age} old`;
}
