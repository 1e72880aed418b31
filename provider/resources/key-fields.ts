import { parseDuration, sayDuration } from "../duration";
import { type FieldRule, types } from "./fields";
import type { Context, Failure, Properties } from "./kind";
import type { KeyScope } from "./mint-key";
import { accountFailures, placeFields } from "./place";

/** Fields that the SDK fills in for every resource. */
export const sdkFields = {
  /** The resource's URN: names its row in the engine's display, and gives an auto-name its prefix. */
  resourceUrn: { type: types.text, change: "ignore" },
} as const satisfies Record<string, FieldRule>;

/** Fields that all kinds of key share. */
export const keyFields = {
  ...sdkFields,
  ...placeFields,
  projectId: { type: types.projectId, change: "replace" },
  owner: { type: types.text, required: true, change: "update" },
  namePrefix: { type: types.namePrefix, change: "replace" },
  rotationTriggers: { type: types.map, change: "replace", unsetUpdates: true },
  rotateAfter: { type: types.duration, change: "update" },
  waitForProjects: { type: types.listOf(types.projectId), change: "update" },
  verify: { type: types.flag, fallback: false, change: "update" },
  operationTimeout: { type: types.timeout, change: "update" },
  revokeOnDelete: { type: types.flag, fallback: true, change: "update" },
  /** Filled in by the SDK where the resource option `retainOnDelete` is set. */
  retained: { type: types.flag, change: "update" },
} as const satisfies Record<string, FieldRule>;

/** The rules between fields that all kinds of key share. */
export function keyRules(inputs: Properties, context: Context): readonly Failure[] {
  if (typeof inputs.owner === "string") context.run.owner = inputs.owner;
  // Without an account of its own, a key leaves it to its owner to say what is wrong with the settings.
  const failures = inputs.account === undefined ? [] : [...accountFailures(inputs, context)];
  if (inputs.projectId !== undefined && inputs.organizationId === undefined) {
    const reason =
      "can be given only together with organizationId: the keys of an account are not limited to a project";
    failures.push({ property: "projectId", reason });
  }
  return failures;
}

/**
 * Whether keys are to outlive the resource. They have to be used once: a used key is never taken for one that an
 * interrupted run has left behind, also when no state tells of it any more.
 */
export function isKept({ revokeOnDelete, retained }: Properties): boolean {
  return revokeOnDelete === false || retained === true;
}

/** Whether a new key is used once before it is handed on. */
export function isTried(inputs: Properties): boolean {
  return inputs.verify === true || isKept(inputs);
}

/** What a new key is limited to. */
export function scopeOf({ projectId }: Properties): KeyScope {
  return { projectId: typeof projectId === "string" ? projectId : undefined };
}

/** When a key becomes due for rotation, as an ISO 8601 time; `undefined` where its age does not matter. */
export function rotateAt(createdAt: unknown, rotateAfter: unknown): string | undefined {
  const age = parseDuration(rotateAfter);
  const born = Date.parse(String(createdAt));
  return age === undefined || Number.isNaN(born) ? undefined : new Date(born + age).toISOString();
}

/** Why a key is due for rotation by its age, for people; `undefined` while it is not. */
export function dueByAge(createdAt: unknown, rotateAfter: unknown, now: number): string | undefined {
  const at = rotateAt(createdAt, rotateAfter);
  if (at === undefined || Date.parse(at) > now) return undefined;
  return `due since ${at}: ${sayDuration(now - Date.parse(String(createdAt))).replace(" ", "")} old`;
}

/** The texts in a list of inputs or outputs; none where there is no list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The outputs without entries that are empty, which would only swell the state. */
export function withoutEmpty(outputs: Properties): Properties {
  const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(outputs).filter(([, value]) => !isEmpty(value)));
}
