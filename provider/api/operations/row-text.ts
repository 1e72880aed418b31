import { isApiError, type PendingOperation } from "../../errors";
import { cleanText } from "../../text";

/** Maximum number of operations named in one line. */
const NAMED = 3;

/** Describes a wait in words: `waiting for start_compute (running, 12 s)`. */
export function progressText(pending: readonly PendingOperation[], elapsedMs: number): string {
  const time = `${Math.round(elapsedMs / 1000)} s`;
  if (pending.length === 0) return `waiting (${time})`;
  if (pending.length === 1) return `waiting for ${pendingText(pending, time)}`;
  return `waiting for ${pending.length} operations (${time}): ${pendingText(pending)}`;
}

/** Names some of the operations, each with its status and these facts. */
export function pendingText(pending: readonly PendingOperation[], ...facts: readonly string[]): string {
  const named = pending.slice(0, NAMED).map(({ action, id, status }) => {
    const name = action === "" ? `operation ${id}` : cleanText(action, 60);
    const all = status === "" ? facts : [cleanText(status, 40), ...facts];
    return all.length === 0 ? name : `${name} (${all.join(", ")})`;
  });
  return pending.length > NAMED ? `${named.join(", ")}, ...` : named.join(", ");
}

/** Why a poll failed, in a few words, such as `project not found (404)`. */
export function troubleText(reason: unknown): string {
  if (!isApiError(reason)) return "no answer";
  return `${reason.serviceMessage === "" ? "an error" : cleanText(reason.serviceMessage, 60)} (${reason.status})`;
}
