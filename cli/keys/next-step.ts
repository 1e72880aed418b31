import { formatDuration, isoOf } from "../../provider/duration";
import type { StateKey } from "../state/state-keys";

/** What a live key without a holder is; `undefined` if it has one, or if that is not known. */
export type Unheld = "orphan" | "unmanaged" | "credential" | undefined;

/** What happens to a key next, if nobody changes the program. */
export interface NextStep {
  readonly action: "rotate" | "replace" | "revoke" | "wait" | "create" | "stay" | "decide" | "none";
  /** Whether the next `pulumi up` does it. */
  readonly isDue: boolean;
  /** ISO 8601 time before which it does not happen. */
  readonly after?: string;
  /** The same in words. */
  readonly text: string;
}

const step = (action: NextStep["action"], text: string): NextStep => ({ action, isDue: false, text });

const dueStep = (action: NextStep["action"], text: string): NextStep => ({ action, isDue: true, text });

export const minuteOf = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;

/** What happens to a key next, by the deciding resource that holds it. */
export function nextStep(
  held: StateKey | undefined,
  key: {
    readonly status: "live" | "gone" | "not found";
    readonly deadline: string | undefined;
    readonly isExpired: boolean;
    readonly unheld: Unheld;
    readonly hasStates: boolean;
  },
  now: number,
): NextStep {
  const { status, deadline, isExpired, unheld, hasStates } = key;
  if (deadline !== undefined && (isExpired || held === undefined)) return reaped(deadline, now);
  if (held === undefined) return unheldStep(unheld, { hasStates });
  return status === "live" ? heldStep(held, now) : missingStep(held, status);
}

/** What ends a key with a deadline that has passed, or that no state holds. */
function reaped(deadline: string, now: number): NextStep {
  const isDue = Date.parse(deadline) <= now;
  const when = isDue ? "" : ` after ${minuteOf(deadline)}`;
  return { action: "revoke", isDue, after: deadline, text: `\`keyplane reap\` revokes it${when}` };
}

function unheldStep(flag: Unheld, { hasStates }: { readonly hasStates: boolean }): NextStep {
  if (!hasStates) return step("none", "Unknown: no state was given");
  if (flag === "orphan") {
    return step("decide", "An interrupted run created it. `keyplane sweep` shows whether it can be revoked");
  }
  if (flag === "credential") return step("none", "keyplane authenticates with it. No command revokes it");
  if (flag === "unmanaged") return step("none", "No stack rotates or revokes it");
  return step("none", "A run may be about to save it, because it is young");
}

/** What happens to a key that no list contains. */
function missingStep({ role }: StateKey, status: "gone" | "not found"): NextStep {
  if (status === "not found")
    return step("none", "Unknown: its account was not asked, or is not proven to be the right one");
  if (role === "current") return step("create", "`pulumi up --refresh` creates a new key");
  return step("none", "It is gone from the account");
}

/** What happens next to a live key that a state holds. */
function heldStep(key: StateKey, now: number): NextStep {
  const { role, previousId } = key;
  if (role === "to be revoked") return dueStep("revoke", "The next `pulumi up` revokes it");
  if (role === "kept") return step("stay", "Stays live: it was kept on purpose, or its resource is gone");
  if (role === "previous") {
    const orUnused = key.requiredId === undefined ? "" : `, or key ${key.requiredId} was never used`;
    return timed("revoke", { verb: `revokes it, unless it is in use${orUnused}`, after: key.revokeAfter }, now);
  }
  const { isPending, wanted, opens } = key.nextAt(now);
  if (isPending) return dueStep("wait", "The next `pulumi up` waits until it is ready");
  const [action, verb] =
    key.type === "ApiKey" ? (["replace", "replaces it"] as const) : (["rotate", "rotates it"] as const);
  if (wanted === "after the previous key")
    return step(action, `The first \`pulumi up\` after key ${previousId} is revoked ${verb}`);
  if (wanted === "now") return timed(action, { verb, after: undefined }, now);
  if (key.rotateAt === undefined) return step("stay", "No date is set. A change of its triggers rotates it");
  // A window that nobody used opens again.
  const after = opens !== undefined && opens > now ? isoOf(opens) : key.rotateAt;
  return timed(action, { verb, after, where: opens === undefined ? "" : " inside its window" }, now);
}

function timed(
  action: NextStep["action"],
  { verb, after, where = "" }: { readonly verb: string; readonly after: string | undefined; readonly where?: string },
  now: number,
): NextStep {
  if (after === undefined) return dueStep(action, `The next \`pulumi up\` ${verb}`);
  const late = now - Date.parse(after);
  const text =
    late < 0
      ? `The first \`pulumi up\`${where} after ${minuteOf(after)} ${verb}`
      : `The next \`pulumi up\` ${verb}. It has been due for ${formatDuration(late)}`;
  return { action, after, isDue: late >= 0, text };
}
