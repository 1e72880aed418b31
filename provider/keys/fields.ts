import type { Members } from "../members";
import type { CheckCall, Failure } from "../schema/check";
import type { FieldRule, InputsOf, Planned } from "../schema/fields";
import { expiredIn, sameRecipients } from "../seal/recipients";
import { sameAge } from "./ages";
import { types } from "./field-types";
import { PREFIX_LENGTH } from "./naming";
import { rotationWindow } from "./rotation-window";
import { accountFailures, scopeFields } from "./scope";

/** Fields that the SDK sets for every resource. */
export const sdkFields = {
  /** The resource's URN: identifies it in the engine's display. Pulumi's dynamic host does not pass it. */
  resourceUrn: { type: types.text, change: "ignore", internal: true },
} as const satisfies Record<string, FieldRule>;

/** Fields that all kinds of key share. */
export const keyFields = {
  ...sdkFields,
  /** The suffix in the names of the resource's keys. `check` chooses it; see `naming.ts`. */
  __suffix: { type: types.text, change: "ignore", internal: true },
  /** The organization of the stack, where the backend has organizations and the front end knows it. */
  __organization: { type: types.text, change: "ignore", internal: true },
  /** The names of the inputs that are secrets, so that what is made from them is one, too. */
  __secret: { type: types.listOf(types.text), change: "update", internal: true },
  ...scopeFields,
  projectId: { type: types.projectId, change: "replace" },
  namePrefix: { type: types.prefixUpTo(PREFIX_LENGTH), change: "replace" },
  rotationTriggers: { type: types.map, change: "replace", removalUpdates: true },
  rotateAfter: { type: types.duration, change: "update" },
  /** The name has the deadline, so a key cannot get another one. */
  maxAge: { type: types.duration, change: "replace", same: sameAge },
  rotationWindow: { type: rotationWindow, change: "update" },
  waitForProjects: { type: types.listOf(types.projectId), change: "update" },
  verify: { type: types.flag, fallback: false, change: "update" },
  operationTimeout: { type: types.timeout, change: "update" },
  revokeOnDelete: { type: types.flag, fallback: true, change: "update" },
  sealTo: { type: types.recipients, change: "replace", same: sameRecipients, code: "KP-SEAL" },
} as const satisfies Record<string, FieldRule>;

export type KeyInputs = Partial<InputsOf<typeof keyFields>>;

/** Inputs of a key, as far as they are given and known. */
type PlannedKey = Planned<KeyInputs>;

export function keyRules(inputs: PlannedKey, check: CheckCall, before: Members): readonly Failure[] {
  const failures = [...accountFailures(inputs, check), ...expiredFailures(inputs, check, before)];
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

/** A certificate that has expired since a key was sealed for it is still good for this key. */
function expiredFailures({ sealTo }: PlannedKey, { now, warn }: CheckCall, before: Members): readonly Failure[] {
  const expired = expiredIn(sealTo, now);
  if (expired === undefined) return [];
  if (!sameRecipients(before.sealTo, sealTo)) return [{ property: "sealTo", reason: expired, code: "KP-SEAL" }];
  warn(`sealTo ${expired}. Without it, the next key cannot be created`);
  return [];
}
