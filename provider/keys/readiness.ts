import type { Operation } from "../api/records";
import { parseDuration } from "../duration";
import { isOperationFailed, isTimeout, KeyplaneError, messageOf } from "../errors";
import type { PendingWork } from "../pending-work";
import type { Due } from "../schema/diff";
import type { SealedTexts } from "../seal/recipients";
import type { Call } from "./call";
import type { KeyInputs } from "./fields";

interface KeyToTry {
  readonly id: string;
  /** The secret; absent if a former run has sealed it. */
  readonly key: string | undefined;
  /** The sealed secret. Only the run that creates the key has the secret, too. */
  readonly sealedKey?: SealedTexts | undefined;
}

export function pendingAfter(operations: readonly Operation[], inputs: KeyInputs): readonly PendingWork[] {
  return [
    ...operations.map(({ action, projectId, id }) => ({ action, projectId, operationId: id })),
    ...(inputs.verify === true ? [VERIFY] : []),
  ];
}

/** Whether somebody can have the key. A key that is not ready, or that cannot become ready, was not handed out. */
export function isReady(pending: readonly PendingWork[]): boolean {
  return pending.length === 0;
}

/** What pending work requires of the next run: to continue, or a replacement if the work has failed. */
export function pendingDue(pending: readonly PendingWork[]): readonly (Due & { readonly why: string })[] {
  if (pending.length === 0) return [];
  const broken = pending.find(isFailed);
  const why =
    broken === undefined
      ? `not ready yet: ${pending.map(formatWork).join(", ")}`
      : `replaced because ${formatWork(broken)} failed`;
  return [{ field: "pending", replace: broken !== undefined, why }];
}

/** Waits until the named projects have no pending operation. Throws if an operation fails or the wait times out. */
export async function waitForProjects(inputs: KeyInputs, call: Call): Promise<void> {
  const projects = new Set(inputs.waitForProjects);
  if (projects.size === 0) return;
  const { operations } = call.keyList.account;
  await Promise.all(Array.from(projects, (id) => operations.waitUntilIdle(id, waitOptions(inputs, call))));
}

/** How a resource waits for operations: for how long, by default the account's, and where it shows that. */
export function waitOptions(inputs: { readonly operationTimeout?: string | undefined }, call: Call) {
  return {
    timeoutMs: parseDuration(inputs.operationTimeout) ?? call.timeoutMs,
    onProgress: ({ text }: { readonly text: string }) => call.log.progress(text),
    onWarning: call.log.warn,
  };
}

interface Reached {
  readonly pending: readonly PendingWork[];
  /** Why the work left in `pending` has not finished; absent if nothing is left. */
  readonly why?: string;
}

/**
 * Finishes the pending work of an existing key. Never throws, because that would lose the key. The problem is `why`, and what
 * the next run does with the key once it is recorded.
 */
export async function finishPending(
  work: readonly PendingWork[],
  { id, key, sealedKey }: KeyToTry,
  inputs: KeyInputs,
  call: Call,
): Promise<Reached & { readonly problem?: KeyplaneError }> {
  const reached = await tryToFinish(work, { id, key }, inputs, call);
  if (reached.why === undefined) return reached;
  // Only the run that creates a sealed key can try it. So a test call that is left has failed.
  const isUntried = sealedKey !== undefined && !reached.pending.some(isFailed) && reached.pending.some(isTrial);
  const pending = isUntried ? reached.pending.map((each) => (isTrial(each) ? failed(each) : each)) : reached.pending;
  const why = isUntried ? `${reached.why}. The key is sealed, so no later run can verify it` : reached.why;
  const saved = sealedKey === undefined ? "saved with its secret" : "saved, sealed";
  const next = pending.some(isFailed)
    ? "The next `pulumi up` replaces the key"
    : `The key is ${saved}. The next \`pulumi up\` keeps waiting`;
  return { pending, why, problem: new KeyplaneError("KP-NOT-READY", `${why}. ${next}`) };
}

async function tryToFinish(
  pending: readonly PendingWork[],
  { id: keyId, key }: Omit<KeyToTry, "sealedKey">,
  inputs: KeyInputs,
  call: Call,
): Promise<Reached> {
  const broken = pending.find(isFailed);
  if (broken !== undefined) return { pending, why: `${formatWork(broken)} failed` };
  const { account, keys } = call.keyList;
  try {
    const ids = pending.flatMap(({ projectId = "", operationId: id }) => (id === undefined ? [] : { projectId, id }));
    if (ids.length > 0) await account.operations.wait(ids, waitOptions(inputs, call));
  } catch (error) {
    return afterFailedWait(pending, error);
  }
  const trials = pending.filter(isTrial);
  if (trials.length === 0) return { pending: [] };
  try {
    call.log.progress(`verifying key ${keyId}`);
    if (key !== undefined && (await keys.authenticates(key))) return { pending: [] };
    return { pending: [failed(VERIFY)], why: `the service does not accept key ${keyId}` };
  } catch (error) {
    return { pending: trials, why: `key ${keyId} could not be verified: ${messageOf(error)}` };
  }
}

const VERIFY: PendingWork = { action: "verify" };

const isTrial = ({ action, status }: PendingWork) => action === VERIFY.action && status === undefined;

const isFailed = ({ status }: PendingWork) => status === "failed";

const failed = (work: PendingWork): PendingWork => ({ ...work, status: "failed" });

function afterFailedWait(pending: readonly PendingWork[], error: unknown): Reached {
  const ended = new Set(isOperationFailed(error) ? error.failed.map(({ id }) => id) : []);
  // That of a poll without an answer names no operation, and tells nothing of them.
  const open = isTimeout(error) && error.pending.length > 0 ? new Set(error.pending.map(({ id }) => id)) : undefined;
  const still = pending.filter(({ operationId }) => operationId === undefined || (open?.has(operationId) ?? true));
  const marked = still.map((work) => (ended.has(work.operationId ?? "") ? failed(work) : work));
  return { pending: marked, why: messageOf(error) };
}

function formatWork({ operationId, action, projectId }: PendingWork): string {
  return operationId === undefined
    ? "its verification"
    : `operation ${operationId} (${action}) of project ${projectId}`;
}
