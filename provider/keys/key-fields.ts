import { formatDuration, parseDuration } from "../duration";
import { digestOf, isDigestOf } from "../schema/digest";
import { type FieldRule, types } from "../schema/field-types";
import type { Context, Due, Failure, Properties } from "../schema/resource-type";
import { identityIn } from "./identity";
import { accountFailures, scopeFields } from "./scope";

/** Fields that the SDK fills in for every resource. */
export const sdkFields = {
  /** The resource's URN: names its row in the engine's display, and gives an auto-name its prefix. */
  resourceUrn: { type: types.text, change: "ignore", internal: true },
} as const satisfies Record<string, FieldRule>;

/** Fields that all kinds of key share. */
export const keyFields = {
  ...sdkFields,
  ...scopeFields,
  projectId: { type: types.projectId, change: "replace" },
  owner: { type: types.text, required: true, change: "update", inForce: identityIn, internal: true },
  namePrefix: { type: types.namePrefix, change: "replace" },
  rotationTriggers: { type: types.map, change: "replace", unsetUpdates: true, digest: triggersDigestIn },
  rotateAfter: { type: types.duration, change: "update" },
  waitForProjects: { type: types.listOf(types.projectId), change: "update" },
  verify: { type: types.flag, fallback: false, change: "update" },
  operationTimeout: { type: types.timeout, change: "update" },
  revokeOnDelete: { type: types.flag, fallback: true, change: "update" },
  /** Set by the SDK where the engine may leave the resource in place: with `retainOnDelete` or `protect`. */
  retained: { type: types.flag, change: "update", internal: true },
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
export function projectLimitOf({ projectId }: Properties): { readonly projectId: string | undefined } {
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
  return `due since ${at}: ${formatDuration(now - Date.parse(String(createdAt))).replace(" ", "")} old`;
}

/** The digest of the triggers that a key was created with; `undefined` where there were none. */
export function triggersDigestIn({ triggersDigest, rotationTriggers }: Properties): string | undefined {
  if (typeof triggersDigest === "string") return triggersDigest;
  // Version 0.1 kept the triggers themselves.
  return isEmptyMap(rotationTriggers) ? undefined : digestOf(rotationTriggers);
}

/** The digest of triggers that ask for a rotation which has not taken place yet. */
export function queuedDigestIn({ queuedTriggersDigest }: Properties): string | undefined {
  return typeof queuedTriggersDigest === "string" ? queuedTriggersDigest : undefined;
}

/** The digest to keep of triggers: one that is kept already, where it is of the same triggers. */
export function digestOfTriggers(triggers: unknown, ...kept: readonly unknown[]): string | undefined {
  if (isEmptyMap(triggers)) return undefined;
  const same = kept.find((digest) => isDigestOf(triggers, digest));
  return typeof same === "string" ? same : digestOf(triggers);
}

/** The inputs as a key's outputs repeat them: with a digest in the place of the triggers. */
export function repeatedInputs(inputs: Properties, before: Properties = {}): Properties {
  const { rotationTriggers, ...others } = inputs;
  return { ...others, triggersDigest: digestOfTriggers(rotationTriggers, before.triggersDigest) };
}

/** What is due where a state still holds triggers in clear. */
export function triggersDue({ rotationTriggers, queuedTriggers }: Properties): readonly Due[] {
  const isKept = rotationTriggers !== undefined || queuedTriggers !== undefined;
  return isKept ? [{ field: "rotationTriggers", replace: false }] : [];
}

function isEmptyMap(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
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
