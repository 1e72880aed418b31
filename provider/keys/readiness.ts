import type { Operation } from "../api/records";
import { parseDuration } from "../duration";
import { isOperationFailed, isTimeout, messageOf } from "../errors";
import type { Context, Due } from "../schema/resource-type";
import type { SealedTexts } from "../seal/recipients";
import { forget } from "../secrets";
import { isKept, isTried, type KeyInputs } from "./key-fields";

/** Work that must end before an existing key is ready. */
export interface PendingWork {
  /**
   * An operation's action such as `start_compute`; `verify` for a new key's test call, `use` for that of an older key;
   * `create` for its creation.
   */
  readonly action: string;
  /** The project of an operation. */
  readonly projectId?: string;
  /** The operation's id. */
  readonly operationId?: string;
  /** Set if the work has failed. The next `up` then replaces the key. */
  readonly status?: "failed";
}

interface Trial {
  readonly id: string | undefined;
  /** The secret; absent if a former run has sealed it. */
  readonly key: string | undefined;
  /** The sealed secret. Only the run that creates the key has the secret, too. */
  readonly sealedKey?: SealedTexts | undefined;
}

export function pendingIn(pending: unknown): readonly PendingWork[] {
  return Array.isArray(pending) ? pending : [];
}

export function pendingAfter(operations: readonly Operation[], inputs: KeyInputs): readonly PendingWork[] {
  return [
    ...operations.map(({ action, projectId, id }) => ({ action, projectId, operationId: id })),
    ...(isTried(inputs) ? [VERIFY] : []),
  ];
}

/**
 * The pending work of a key under new inputs. A key that is now to stay live after its resource is deleted is used once
 * more, because `verify` may have been set after its creation. keyplane cannot use a sealed key, so it says so.
 */
export function withFirstUse(
  inputs: KeyInputs,
  before: { readonly inputs: KeyInputs; readonly pending: readonly PendingWork[] },
  { id, sealedKey }: Omit<Trial, "key">,
  { warn }: Context,
): readonly PendingWork[] {
  if (!isKept(inputs) || isKept(before.inputs)) return before.pending;
  if (sealedKey === undefined) return [...before.pending, FIRST_USE];
  warn(
    `key ${id} is sealed, so keyplane cannot use it once. Use it before its resource is deleted: a later ` +
      "run can take an unused key that no stack holds for one that a crash has left behind, and revoke it",
  );
  return before.pending;
}

/**
 * Whether somebody can have the key. A key whose creation has not finished, or has failed, was not handed out. A
 * pending test call does not count, because it can be newer than the key.
 */
export function wasHandedOut(pending: readonly PendingWork[]): boolean {
  return pending.every(isTrial);
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
export async function waitForProjects(inputs: KeyInputs, context: Context): Promise<void> {
  const projects = new Set(inputs.waitForProjects);
  if (projects.size === 0) return;
  const { operations } = context.account();
  await Promise.all(Array.from(projects, (id) => operations.waitUntilIdle(id, waitOptions(inputs, context))));
}

/** How a resource waits for operations: for how long, by default the account's, and where it shows that. */
export function waitOptions(inputs: { readonly operationTimeout?: string | undefined }, context: Context) {
  return {
    timeoutMs: parseDuration(inputs.operationTimeout) ?? context.customTimeoutMs,
    onProgress: ({ text }: { readonly text: string }) => context.progress(text),
    onWarning: context.warn,
  };
}

interface Reached {
  readonly pending: readonly PendingWork[];
  /** Why the work left in `pending` has not finished; absent if nothing is left. */
  readonly why?: string;
}

/**
 * Finishes the pending work of an existing key. Never throws, because that would lose the key. `reason` is `why`, and what
 * the next run does with the key once it is recorded.
 */
export async function finishPending(
  work: readonly PendingWork[],
  { id, key, sealedKey }: Trial,
  inputs: KeyInputs,
  context: Context,
): Promise<Reached & { readonly reason?: string }> {
  const reached = await tryToFinish(work, { id, key }, inputs, context);
  if (sealedKey !== undefined && key !== undefined) forget(key);
  if (reached.why === undefined) return reached;
  // Only the run that creates a sealed key can try it. So a test call that is left has failed.
  const isUntried = sealedKey !== undefined && !reached.pending.some(isFailed) && reached.pending.some(isTrial);
  const pending = isUntried ? reached.pending.map((each) => (isTrial(each) ? failed(each) : each)) : reached.pending;
  const why = isUntried ? `${reached.why}. The key is sealed, so no later run can verify it` : reached.why;
  const saved = sealedKey === undefined ? "saved with its secret" : "saved, sealed";
  const next = pending.some(isFailed)
    ? "The next `pulumi up` replaces the key"
    : `The key is ${saved}. The next \`pulumi up\` keeps waiting`;
  return { pending, why, reason: `${why}. ${next}` };
}

async function tryToFinish(
  pending: readonly PendingWork[],
  { id: keyId, key }: Omit<Trial, "sealedKey">,
  inputs: KeyInputs,
  context: Context,
): Promise<Reached> {
  const broken = pending.find(isFailed);
  if (broken !== undefined) return { pending, why: `${formatWork(broken)} failed` };
  const account = context.account();
  try {
    const ids = pending.flatMap(({ projectId = "", operationId: id }) => (id === undefined ? [] : { projectId, id }));
    if (ids.length > 0) await account.operations.wait(ids, waitOptions(inputs, context));
  } catch (error) {
    return afterFailedWait(pending, error);
  }
  const trials = pending.filter(isTrial);
  if (trials.length === 0) return { pending: [] };
  try {
    context.progress(`verifying key ${keyId}`);
    if (key !== undefined && (await context.keys().authenticates(key))) return { pending: [] };
    const why = `the service does not accept key ${keyId}`;
    return trials.some(({ action }) => action === VERIFY.action)
      ? { pending: [failed(VERIFY)], why }
      : { pending: trials, why: `${why}. If it was revoked, run \`pulumi up --refresh\`` };
  } catch (error) {
    return { pending: trials, why: `key ${keyId} could not be verified: ${messageOf(error)}` };
  }
}

const VERIFY: PendingWork = { action: "verify" };

/** The test call with a key that was handed out before. Consumers may have it, so a refusal does not replace it. */
const FIRST_USE: PendingWork = { action: "use" };

const isTrial = ({ action, status }: PendingWork) =>
  (action === VERIFY.action || action === FIRST_USE.action) && status === undefined;

const isFailed = ({ status }: PendingWork) => status === "failed";

const failed = (work: PendingWork): PendingWork => ({ ...work, status: "failed" });

/** The work of a resource whose key could not be created. */
export const NOT_CREATED = failed({ action: "create" });

function afterFailedWait(pending: readonly PendingWork[], error: unknown): Reached {
  const ended = new Set(isOperationFailed(error) ? error.failed.map(({ id }) => id) : []);
  // That of a poll without an answer names no operation, and tells nothing of them.
  const left = isTimeout(error) && error.pending.length > 0 ? new Set(error.pending.map(({ id }) => id)) : undefined;
  const still = pending.filter(({ operationId }) => operationId === undefined || (left?.has(operationId) ?? true));
  const marked = still.map((work) => (ended.has(work.operationId ?? "") ? failed(work) : work));
  return { pending: marked, why: messageOf(error) };
}

/** The names of work that is not an operation, for messages. */
const STEPS: Readonly<Record<string, string>> = { create: "creation", verify: "verification", use: "first use" };

function formatWork({ action, operationId, projectId }: PendingWork): string {
  return operationId === undefined
    ? `its ${STEPS[action] ?? action}`
    : `operation ${operationId} (${action}) of project ${projectId}`;
}
