import { formatDuration } from "../../provider/duration";
import type { NextStep } from "./report-data";
import type { StateKey } from "./state-keys";

const step = (action: NextStep["action"], text: string): NextStep => ({ action, isDue: false, text });
const dueStep = (action: NextStep["action"], text: string): NextStep => ({ action, isDue: true, text });

/**
 * What happens to a live key that no state holds, or whose deadline has passed.
 * @param isLeftBehind - Whether a state shows that an interrupted run created it.
 * @param hasStates - Whether any state was given.
 * @param deadline - The deadline in its name, as an ISO 8601 time.
 * @param now - The service's time, in milliseconds.
 */
export function nextWithoutState(
  { isLeftBehind, hasStates, deadline }: { isLeftBehind: boolean; hasStates: boolean; deadline: string | undefined },
  now: number,
): NextStep {
  if (deadline !== undefined) {
    const isDue = Date.parse(deadline) <= now;
    const when = isDue ? "" : ` after ${deadline.slice(0, 16).replace("T", " ")} UTC`;
    return { ...step("revoke", `\`keyplane reap\` revokes it${when}`), isDue, after: deadline };
  }
  if (!hasStates) return step("none", "Unknown: no state was given");
  return isLeftBehind
    ? step("decide", "An interrupted run created it. `keyplane sweep` shows whether it can be revoked")
    : step("none", "No stack rotates or revokes it");
}

/** What happens to a key that no list contains. */
export function nextIfMissing({ holder: { role } }: StateKey, status: "gone" | "not found"): NextStep {
  if (status === "not found")
    return step("none", "Unknown: its account was not asked, or is not proven to be the right one");
  if (role === "current") return step("create", "`pulumi up --refresh` creates a new key");
  return step("none", "It is gone from the account");
}

/**
 * What happens next to a live key.
 * @param now - The service's time, in milliseconds.
 */
export function nextStep(key: StateKey, now: number): NextStep {
  const { dates, plan } = key;
  const { role } = key.holder;
  if (role === "to be revoked") return dueStep("revoke", "The next `pulumi up` revokes it");
  if (role === "kept") return step("stay", "Stays live: it was kept on purpose, or its resource is gone");
  if (role === "previous") {
    const orUnused = plan.requiredId === undefined ? "" : `, or key ${plan.requiredId} was never used`;
    return timed("revoke", `revokes it, unless it is in use${orUnused}`, dates.revokeAfter, now);
  }
  if (plan.isPending) return dueStep("wait", "The next `pulumi up` waits until it is ready");
  const [action, verb] = plan.isReplaced ? (["replace", "replaces it"] as const) : (["rotate", "rotates it"] as const);
  if (plan.isQueued) {
    const { previousId } = plan;
    if (previousId === undefined) return dueStep(action, `The next \`pulumi up\` ${verb}`);
    return step(action, `The first \`pulumi up\` after key ${previousId} is revoked ${verb}`);
  }
  return dates.rotateAt === undefined
    ? step("stay", "No date is set. A change of its triggers rotates it")
    : timed(action, verb, dates.rotateAt, now);
}

function timed(action: NextStep["action"], verb: string, after: string | undefined, now: number): NextStep {
  if (after === undefined) return dueStep(action, `The next \`pulumi up\` ${verb}`);
  const late = now - Date.parse(after);
  const text =
    late < 0
      ? `The first \`pulumi up\` after ${after.slice(0, 16).replace("T", " ")} UTC ${verb}`
      : `The next \`pulumi up\` ${verb}. It has been due for ${formatDuration(late)}`;
  return { action, after, isDue: late >= 0, text };
}
