import { formatDuration } from "../duration";
import { type Digest, digestOf, isDigestOf, isKeyed, keyed } from "../schema/digest";
import { type FieldRule, type InputsOf, type Planned, types } from "../schema/field-types";
import type { Context, Due, Failure, NextDue } from "../schema/resource-type";
import { type SealedTexts, sameRecipients } from "../seal/recipients";
import { identityIn } from "./identity";
import { rotationAge, sameAge } from "./lease";
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
  ...sdkFields,
  ...scopeFields,
  projectId: { type: types.projectId, change: "replace" },
  owner: { type: types.text, required: true, change: "update", inForce: identityIn, internal: true },
  namePrefix: { type: types.prefixUpTo(PREFIX_LENGTH), change: "replace" },
  rotationTriggers: { type: types.map, change: "replace", unsetUpdates: true, digest: triggersDigestIn },
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

/** The checked inputs of a key. */
export type KeyInputs = Partial<InputsOf<typeof keyFields>>;

/** Inputs of a key, as far as they are given and known. */
export type PlannedKey = Planned<KeyInputs>;

/** What the outputs of a key say about triggers. */
export interface TriggerOutputs {
  readonly key?: unknown;
  readonly digestKey?: unknown;
  readonly triggersDigest?: unknown;
  readonly queuedTriggersDigest?: unknown;
  /** Version 0.1 stored the triggers themselves. */
  readonly rotationTriggers?: unknown;
  readonly queuedTriggers?: unknown;
}

/** The rules between fields that all kinds of key share. */
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

/** When a key is due for rotation by age; `undefined` if it never is, or if a preview does not know it yet. */
export function nextDue(createdAt: unknown, inputs: PlannedKey): NextDue | undefined {
  const { rotationWindow } = inputs;
  const age = rotationAge(inputs);
  const born = Date.parse(String(createdAt));
  if (age === undefined || Number.isNaN(born)) return undefined;
  if (rotationWindow === undefined) return (from) => Math.max(from, born + age);
  const window = windowOf(rotationWindow);
  return window && ((from) => dueIn(window, Math.max(from, born + age)));
}

/** When a key becomes due for rotation, as an ISO 8601 time; `undefined` if it does not rotate by age. */
export function rotateAt(createdAt: unknown, inputs: PlannedKey): string | undefined {
  const due = nextDue(createdAt, inputs);
  return due && new Date(due(Number.NEGATIVE_INFINITY)).toISOString();
}

/** Why a key is due for rotation by its age, in words; `undefined` if it is not. */
export function dueByAge(createdAt: unknown, inputs: PlannedKey, now: number): string | undefined {
  const due = nextDue(createdAt, inputs);
  // A key that nobody rotated inside the window waits for the next one.
  if (due === undefined || due(now) > now) return undefined;
  const age = formatDuration(now - Date.parse(String(createdAt))).replace(" ", "");
  return `due since ${rotateAt(createdAt, inputs)}: ${age} old`;
}

/** The sealed texts of a key in outputs; `undefined` if it is not sealed. */
export function sealedIn(sealedKey: unknown): SealedTexts | undefined {
  return typeof sealedKey === "object" && sealedKey !== null ? sealedKey : undefined;
}

/**
 * The secret with which digests in outputs are made: that of the key beside them. Nobody has the secret of a sealed key
 * later, so its resource has a random one, which the engine encrypts like a key.
 */
export function digestKeyIn({ key, digestKey }: TriggerOutputs): unknown {
  return typeof key === "string" ? key : digestKey;
}

/** The digest of the triggers that a key was created with; `undefined` if there were none, or if there is no key. */
export function triggersDigestIn(outputs: TriggerOutputs): Digest | undefined {
  const { triggersDigest, rotationTriggers } = outputs;
  const key = digestKeyIn(outputs);
  return typeof triggersDigest === "string" ? digestIn(triggersDigest, key) : digestOfTriggers(rotationTriggers, key);
}

/** The digest of triggers whose rotation has not happened yet. */
export function queuedDigestIn(outputs: TriggerOutputs): Digest | undefined {
  return digestIn(outputs.queuedTriggersDigest, digestKeyIn(outputs));
}

/**
 * The digest to store for triggers: one that is already stored, if it matches them. It is made with the secret that is
 * beside it in the state.
 */
export function digestOfTriggers(
  triggers: unknown,
  key: unknown,
  ...kept: readonly (Digest | undefined)[]
): Digest | undefined {
  if (isEmptyMap(triggers) || typeof key !== "string") return undefined;
  return kept.find((digest) => digest?.key === key && isDigestOf(triggers, digest)) ?? digestOf(triggers, key);
}

/** The inputs for a key's outputs, with a digest instead of the triggers. */
export function repeatedInputs(inputs: KeyInputs, key?: string, before: TriggerOutputs = {}) {
  const { rotationTriggers, ...others } = inputs;
  return { ...others, triggersDigest: digestOfTriggers(rotationTriggers, key, triggersDigestIn(before))?.text };
}

/** What is due if a state still contains triggers in clear text, or a digest that shows a weak secret to who guesses. */
export function triggersDue(outputs: TriggerOutputs): readonly Due[] {
  const isClear = outputs.rotationTriggers !== undefined || outputs.queuedTriggers !== undefined;
  const digests = [outputs.triggersDigest, outputs.queuedTriggersDigest];
  const isWeak = digests.some((digest) => typeof digest === "string" && !isKeyed(digest));
  return isClear || isWeak ? [{ field: "rotationTriggers", replace: false }] : [];
}

function digestIn(text: unknown, key: unknown): Digest | undefined {
  return typeof text === "string" && typeof key === "string" ? keyed(text, key) : undefined;
}

function isEmptyMap(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

/** A text in inputs or outputs; `undefined` for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The texts in a list of inputs or outputs; none if it is not a list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The outputs without empty entries, to keep the state small. */
export function withoutEmpty<Outputs extends object>(outputs: Outputs): Outputs {
  const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(outputs).filter(([, value]) => !isEmpty(value))) as Outputs;
}
