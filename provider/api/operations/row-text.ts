import { isApiError, type PendingOperation } from "../../errors";
import { cleanText } from "../../text";

/** Maximum number of operations named in one line. */
const NAMED = 3;

/** Describes a wait in words: `waiting for start_compute (running, 12 s)`. */
export function progressText(pending: readonly PendingOperation[], elapsedMs: number): string {
  const time = `${Math.round(elapsedMs / 1000)} s`;
  const [first] = pending;
  if (first === undefined) return `waiting (${time})`;
  if (pending.length === 1) {
    return `waiting for ${nameOf(first)} (${first.status === "" ? "" : `${cleanText(first.status, 40)}, `}${time})`;
  }
  return `waiting for ${pending.length} operations (${time}): ${pendingText(pending)}`;
}

/** Names some of the operations, with their statuses. */
export function pendingText(pending: readonly PendingOperation[]): string {
  const named = pending.slice(0, NAMED).map((each) => {
    return each.status === "" ? nameOf(each) : `${nameOf(each)} (${cleanText(each.status, 40)})`;
  });
  return pending.length > NAMED ? `${named.join(", ")}, ...` : named.join(", ");
}

/** Why a poll failed, in a few words, such as `project not found (404)`. */
export function troubleText(reason: unknown): string {
  if (!isApiError(reason)) return "no answer";
  return `${reason.serviceMessage === "" ? "an error" : cleanText(reason.serviceMessage, 60)} (${reason.status})`;
}

function nameOf({ action, id }: PendingOperation): string {
  return action === "" ? `operation ${id}` : cleanText(action, 60);
}
