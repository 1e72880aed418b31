import { formatDuration, isoOf, parseDuration } from "../duration";
import type { Members } from "../members";
import type { CheckCall, Failure } from "../schema/check";
import type { FieldRule, InputsOf, Planned } from "../schema/fields";
import { expiredIn, sameRecipients } from "../seal/recipients";
import { type Ages, rotationAge, sameAge } from "./deadline";
import { types } from "./field-types";
import { PREFIX_LENGTH } from "./naming";
import { dueIn, rotationWindow, windowOf } from "./rotation-window";
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

/** The first time at or after another one at which a key is due for rotation by age. Both are in milliseconds. */
type NextDue = (from: number) => number;

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

/**
 * A job that runs as often as a key is to rotate finds the key too young by the time that it took to create it. So a key
 * reaches its age a little earlier, by this part of the age, and by this time at most.
 */
const SLACK = { part: 1 / 20, most: 3_600_000 } as const;

/** Why a key is due for rotation by its age, in words; `undefined` if it is not. */
export function dueByAge(createdAt: string | undefined, inputs: Ages, now: number, grace?: number): string | undefined {
  const born = Date.parse(createdAt ?? "");
  const age = rotationAge(inputs) ?? 0;
  const due = nextDue(isoOf(born - Math.min(age * SLACK.part, SLACK.most)), inputs, grace);
  // A key that nobody rotated inside the window waits for the next one.
  if (due === undefined || due(now) > now) return undefined;
  const shown = (ms: number) => formatDuration(ms).replace(" ", "");
  if (now - born < age) return `${shown(age)} old at ${isoOf(born + age)}`;
  return `due since ${rotateAt(createdAt, inputs, grace)}: ${shown(now - born)} old`;
}
