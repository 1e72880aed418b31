import type { ApiKeyRecord } from "../../api/records";
import { isoOf } from "../../duration";
import { dueByAge, graceOf, nextDue, rotateAt, sameAge } from "../../keys/ages";
import { cleanupDue, type HeldKey } from "../../keys/key-state";
import { deadlineIn } from "../../keys/naming";
import { isReady, pendingDue } from "../../keys/readiness";
import { decideRetirement, type PreviousFacts, type RetirementDecision } from "../../keys/retirement";
import type { Due } from "../../schema/diff";
import { hasUnknown } from "../../schema/fields";
import { changeOfRecipients } from "../../seal/recipients";
import { overlapOf, type PlannedRotation } from "./fields";
import { isTriggered, type RotationState, retireTime } from "./rotation-state";

/** What an action is about, for the user. */
interface About {
  /** Whether it is to be done now. The others show what later runs do. */
  readonly isDue: boolean;
  /** The field that causes it. */
  readonly field: string;
  /** Why it is due, in words; absent if the field says it. */
  readonly why?: string | undefined;
  /** Whether it is drift, which a refresh must report. */
  readonly drift?: boolean | undefined;
}

interface OfPrevious extends About {
  readonly key: HeldKey;
}

/** What happens to the previous key after it was asked about. */
interface Decided extends OfPrevious {
  readonly found: ListedPrevious;
}

/** Whether and why the next key is to be created, whatever is in its way. */
export interface Rotation {
  readonly field: string;
  /** `undefined` until there is a reason. If the field is `revokeNow`, the current key is revoked once its successor is ready. */
  readonly why: string | undefined;
  /**
   * Whether consumers cannot or must not keep using the current key. Then the rotation does not wait until the previous
   * key can be revoked.
   */
  readonly urgent: boolean;
  /** Whether it is drift, which a refresh must report. */
  readonly drift: boolean;
  /** The next time at which the age of the current key lets it rotate, in milliseconds since 1970. */
  readonly at: number | undefined;
  /** Since when its age would let it rotate, as ISO 8601, if the window is closed now. */
  readonly closedSince: string | undefined;
}

export type Action =
  /** Go on waiting for a current key that is not ready. */
  | ({ readonly do: "wait"; readonly key: HeldKey } & About)
  /** Look for the keys of lost requests. */
  | ({ readonly do: "findLost" } & About)
  /** Revoke what former runs could not revoke. */
  | ({ readonly do: "revoke"; readonly ids: readonly string[] } & About)
  /** Ask how the previous key is used and, unless `revokeNow` names it, when its successor was delivered. */
  | ({ readonly do: "ask"; readonly isNamed: boolean; readonly at: number | undefined } & OfPrevious)
  /** Forget a previous key that is gone. */
  | ({ readonly do: "forget" } & OfPrevious)
  /** Keep the previous key for some time. */
  | ({ readonly do: "keep"; readonly decision: RetirementDecision & { readonly decision: "keep" } } & Decided)
  /** Revoke the previous key; without a decision, because `revokeNow` names it. */
  | ({
      readonly do: "retire";
      readonly decision: (RetirementDecision & { readonly decision: "revoke" }) | undefined;
    } & Decided)
  | ({ readonly do: "rotate"; readonly rotation: Rotation } & About);

export type ActionOf<Kind extends Action["do"]> = Extract<Action, { readonly do: Kind }>;

/** What a run has found out about the previous key. */
export interface ListedPrevious extends Pick<PreviousFacts, "deliveredAt" | "lastUsed" | "isSuccessorUsed"> {
  /** How far the service's clock is ahead, in milliseconds. */
  readonly skewMs: number;
  /** For messages: what the service lists, and why the delivery is unknown, as the end of a sentence. */
  readonly record: ApiKeyRecord | "unknown";
  readonly why: string;
}

export type FoundPrevious = ListedPrevious | "gone";

/** What a run knows beside the state. */
export interface Facts {
  /** What it has done: no run does anything twice, whatever has come of it. */
  readonly done: readonly Action["do"][];
  /** `undefined` until it has asked. */
  readonly previous?: FoundPrevious | undefined;
}

/** The facts of a preview, and of a run that begins. */
export const NOTHING_DONE: Facts = { done: [] };

/** The facts after an action. What had to wait for a new current key that is ready is done once more. */
export function after({ do: action }: Action, { done, previous }: Facts): Facts {
  return action === "rotate" ? { done: ["findLost", "rotate"] } : { done: [...done, action], previous };
}

/**
 * Decides what happens to a rotating key, in this order: first what is due, and what later runs do. Only the first one that
 * is due is certain: what comes of it can change the others. Everything that asks about a rotation asks here.
 * @param now - This machine's clock, in milliseconds since 1970. At `-Infinity`, nothing is due by its time.
 */
export function actionsOf(state: RotationState, inputs: PlannedRotation, facts: Facts, now: number): readonly Action[] {
  const { current, pending, pendingRevocations: ids } = state;
  const isOpen = (action: Action["do"]) => !facts.done.includes(action);
  // A key that is not ready was not handed out, so consumers have only the previous one.
  const hasReadyKey = current !== undefined && isReady(pending);
  const previous = aboutPrevious(state, inputs, facts, now);
  const rotation = rotationOf(state, inputs, now);
  const isFree = rotation.urgent || state.previous === undefined || previous.some(({ isDue }) => isDue);
  return [
    ...pendingDue(pending).flatMap((due) =>
      current === undefined
        ? []
        : { ...due, do: "wait" as const, key: current, isDue: !rotation.urgent && isOpen("wait") },
    ),
    ...cleanupDue(state).map((due) =>
      due.field === "lostNames"
        ? { ...due, do: "findLost" as const, isDue: isOpen("findLost") }
        : { ...due, do: "revoke" as const, ids, isDue: hasReadyKey && isOpen("revoke") },
    ),
    ...previous,
    {
      do: "rotate",
      rotation,
      field: rotation.field,
      why: rotation.why,
      drift: rotation.drift,
      isDue: rotation.why !== undefined && isFree && isOpen("rotate"),
    },
  ];
}

/** What an update has to do now, whether or not the program has changed. */
export function dueActions(state: RotationState, inputs: PlannedRotation, now: number): readonly Due[] {
  const due = actionsOf(state, inputs, NOTHING_DONE, now).filter(({ isDue }) => isDue);
  return due.map(({ field, why, drift }) => ({ field, replace: false, why, drift }));
}

/** What happens to the previous key, if there is one. */
function aboutPrevious(
  state: RotationState,
  inputs: PlannedRotation,
  { done, previous: found }: Facts,
  now: number,
): readonly Action[] {
  const { previous, current, pending } = state;
  if (previous === undefined) return [];
  const isNamed = inputs.revokeNow === previous.id;
  const at = retireTime(state);
  const about = isNamed
    ? { key: previous, field: "revokeNow", why: `key ${previous.id} is to be revoked now` }
    : { key: previous, field: "retireAfter", why: `key ${previous.id} may be revoked since ${isoOf(at)}` };
  const isOpen = (action: Action["do"]) => !done.includes(action);
  if (found === undefined) {
    const isTime = isNamed || (at !== undefined && now >= at && isOpen("rotate"));
    const isDue = isTime && current !== undefined && isReady(pending) && isOpen("ask");
    return [{ ...about, do: "ask", isNamed, at, isDue }];
  }
  if (found === "gone") return [{ ...about, do: "forget", isDue: true }];
  const { deliveredAt, lastUsed, isSuccessorUsed, skewMs } = found;
  const decision = isNamed
    ? undefined
    : decideRetirement({
        ...overlapOf(inputs),
        deliveredAt,
        lastUsed,
        isSuccessorUsed,
        rotatedAt: Date.parse(state.rotatedAt ?? ""),
        deadline: deadlineIn(previous.name),
        now: Math.min(now, now + skewMs),
      });
  if (decision?.decision === "keep") return [{ ...about, do: "keep", decision, found, isDue: isOpen("keep") }];
  return [{ ...about, do: "retire", decision, found, isDue: isOpen("retire") }];
}

export function rotationOf(state: RotationState, inputs: PlannedRotation, now: number): Rotation {
  const { current, pending, createdAt } = state;
  const about = { drift: false, at: undefined, closedSince: undefined } as const;
  const urgent = (field: string, why: string) => ({ ...about, field, why, urgent: true });
  if (current === undefined) {
    const isGone = createdAt !== undefined;
    const why = isGone ? "the current key is gone from the account" : "no key could be created yet";
    return { ...urgent("keyId", why), drift: isGone };
  }
  const failed = pendingDue(pending).find((due) => due.replace);
  if (failed !== undefined) return urgent(failed.field, failed.why);
  if (inputs.revokeNow === current.id) return urgent("revokeNow", `key ${current.id} is to be revoked now`);
  const because = (field: string, why: string) => ({ ...about, field, why, urgent: false });
  const change = changeOfRecipients(state.sealedTo, inputs.sealTo);
  if (change !== undefined) return because("sealTo", change);
  if (!sameAge(state.maxAgeOfCurrent, inputs.maxAge))
    return because("maxAge", changeOfAge(state.maxAgeOfCurrent, inputs.maxAge));
  if (state.isQueued || isTriggered(state, inputs.rotationTriggers)) {
    return because("rotationTriggers", "a trigger has changed");
  }
  const grace = graceOf(inputs);
  const why = dueByAge(createdAt, inputs, now, grace);
  const at = nextDue(createdAt, inputs, grace)?.(now);
  const since = rotateAt(createdAt, inputs, grace);
  const isClosed = why === undefined && since !== undefined && Date.parse(since) <= now;
  return { ...about, field: "rotateAfter", why, urgent: false, at, closedSince: isClosed ? since : undefined };
}

function changeOfAge(before: string | undefined, after: unknown): string {
  const shown = (age: unknown) => (typeof age === "string" ? age : hasUnknown(age) ? "another value" : "none");
  return `maxAge changes from ${shown(before)} to ${shown(after)}, and a key cannot get another deadline`;
}

/** The order in which an output names what later runs do. */
const IN_WORDS = ["wait", "rotate", "ask", "revoke"] as const;

/**
 * What the next runs will do with a rotating key, in words: `rotate after 2026-12-21T00:00:00.000Z; revoke key 17 after
 * 2026-11-22T00:00:00.000Z`. Contains times, not what is due now: a text that changes with time would cause a diff in
 * every preview.
 */
export function nextAction(state: RotationState): string {
  const actions = actionsOf(state, state.inputs, NOTHING_DONE, Number.NEGATIVE_INFINITY);
  const words = IN_WORDS.flatMap((kind) =>
    actions.flatMap((action) => (action.do === kind ? inWords(action, state) : [])),
  );
  return words.join("; ") || "rotate when a trigger changes";
}

function inWords(action: Action, { current, previous, inputs }: RotationState): readonly string[] {
  switch (action.do) {
    case "wait":
      return action.isDue ? [`wait until key ${action.key.id} is ready`] : [];
    case "rotate": {
      const { why, at, urgent } = action.rotation;
      if (current === undefined) return ["create a new key"];
      const window = inputs.rotationWindow === undefined ? "" : ", inside rotationWindow";
      if (why === undefined) return at === undefined ? [] : [`rotate after ${isoOf(at)}${window}`];
      const isFirst = urgent || previous === undefined;
      return [isFirst ? "rotate" : `rotate as soon as key ${previous.id} is revoked`];
    }
    case "ask": {
      const orUnused = inputs.requireUse && current !== undefined ? `, or key ${current.id} was never used` : "";
      return [`revoke key ${action.key.id} after ${isoOf(action.at)}, unless it is in use${orUnused}`];
    }
    case "revoke":
      return action.ids.map((id) => `revoke key ${id}`);
    default:
      return [];
  }
}
