import type { Operation } from "../api/records";
import { parseDuration } from "../duration";
import { isOperationFailed, isTimeout, messageOf } from "../errors";
import type { Context, Due } from "../schema/resource-type";
import { forget } from "../secrets";
import { isKept, isTried, type KeyInputs } from "./key-fields";

/** Work that must end before an existing key is ready. */
export interface PendingWork {
  /** An operation's action such as `start_compute`; `verify` for a new key's test call; `create` for its creation. */
  readonly action: string;
  /** The project of an operation. */
  readonly projectId?: string;
  /** The operation's id. */
  readonly operationId?: string;
  /** Set if the work has failed. The next `up` then replaces the key. */
  readonly status?: "failed";
}

/** The secret of a key that is not ready. */
export interface Trial {
  /** The key's id; absent if none could be created. */
  readonly keyId: string | undefined;
  /** Absent if a former run has sealed it. */
  readonly key: string | undefined;
  /** Whether it is sealed, so that only the run that creates the key has it. */
  readonly isSealed: boolean;
}

/** The pending work in a resource's outputs, where a refresh does not lose it. */
export function pendingIn(pending: unknown): readonly PendingWork[] {
  return Array.isArray(pending) ? pending : [];
}

/** The work that remains after the creation of a key. */
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
export function pendingUnder(
  inputs: KeyInputs,
  before: { readonly inputs: KeyInputs; readonly pending: readonly PendingWork[] },
  { keyId, isSealed }: Pick<Trial, "keyId" | "isSealed">,
  { warn }: Context,
): readonly PendingWork[] {
  if (!isKept(inputs) || isKept(before.inputs)) return before.pending;
  if (!isSealed) return [...before.pending, VERIFY];
  warn(
    `key ${keyId} is sealed, so keyplane cannot use it once. Use it before its resource is deleted: a later ` +
      "run can take an unused key that no stack holds for one that a crash has left behind, and revoke it",
  );
  return before.pending;
}

/**
 * Whether somebody can have the key. A key whose creation has not finished, or has failed, was not handed out. A
 * pending test call does not count, because it can be newer than the key.
 */
export function wasHandedOut(pending: readonly PendingWork[]): boolean {
  return pending.every(({ action, status }) => action === VERIFY.action && status === undefined);
}

/** What pending work requires of the next run: to continue, or a replacement if the work has failed. */
export function pendingDue(pending: readonly PendingWork[]): readonly Due[] {
  if (pending.length === 0) return [];
  const failed = pending.find((work) => work.status === "failed");
  const why =
    failed === undefined
      ? `not ready yet: ${pending.map(formatWork).join(", ")}`
      : `replaced because ${formatWork(failed)} failed`;
  return [{ field: "pending", replace: failed !== undefined, why }];
}

/** Waits until the named projects have no pending operation. Throws if an operation fails or the wait times out. */
export async function waitForProjects(inputs: KeyInputs, context: Context): Promise<void> {
  const projects = new Set(inputs.waitForProjects);
  const account = projects.size > 0 ? context.account() : undefined;
  await Promise.all(
    Array.from(projects, (projectId) =>
      account?.operations.waitUntilIdle(projectId, {
        timeoutMs: operationTimeout(inputs, context),
        onProgress: ({ text }) => context.progress(text),
        onWarning: context.warn,
      }),
    ),
  );
}

/**
 * Finishes the pending work of an existing key. Never throws, because that would lose the key: `reason` says why the
 * work left in `pending` has not finished.
 */
export async function finishPending(
  pending: readonly PendingWork[],
  secret: Trial,
  inputs: KeyInputs,
  context: Context,
): Promise<Reached> {
  const reached = await tryToFinish(pending, secret, inputs, context);
  if (!secret.isSealed) return reached;
  if (secret.key !== undefined) forget(secret.key);
  return afterSealing(reached);
}

/** What is left of pending work, and why. */
interface Reached {
  readonly pending: readonly PendingWork[];
  readonly reason?: string;
}

/** Only the run that creates a sealed key can try it. So a test call that is left has failed. */
function afterSealing({ pending, reason }: Reached): Reached {
  const isLeft = ({ action, status }: PendingWork) => action === VERIFY.action && status === undefined;
  if (reason === undefined || !pending.some(isLeft)) {
    return { pending, ...(reason !== undefined && { reason: reason.replace(RESUMED, RESUMED_SEALED) }) };
  }
  return {
    pending: pending.map((work) => (isLeft(work) ? { ...work, status: "failed" } : work)),
    reason: `${reason.replace(` ${RESUMED}`, "")} The key is sealed, so no later run can verify it. ${REPLACED}`,
  };
}

async function tryToFinish(
  pending: readonly PendingWork[],
  { keyId, key }: Trial,
  inputs: KeyInputs,
  context: Context,
): Promise<Reached> {
  const operations = pending.filter((work) => work.operationId !== undefined);
  const trial = pending.filter((work) => work.action === "verify" && work.status === undefined);
  const broken = pending.find((work) => work.status === "failed");
  if (broken !== undefined) return { pending, reason: `${formatWork(broken)} failed. ${REPLACED}` };
  const account = context.account();
  try {
    if (operations.length > 0) {
      await account.operations.wait(
        operations.map(({ projectId = "", operationId = "" }) => ({ projectId, id: operationId })),
        {
          timeoutMs: operationTimeout(inputs, context),
          onProgress: ({ text }) => context.progress(text),
          onWarning: context.warn,
        },
      );
    }
  } catch (error) {
    return afterFailedWait(pending, error);
  }
  if (trial.length === 0) return { pending: [] };
  try {
    context.progress(`verifying key ${keyId}`);
    if (key !== undefined && (await context.keys().authenticates(key))) return { pending: [] };
    return {
      pending: [{ ...VERIFY, status: "failed" }],
      reason: `the service does not accept key ${keyId}. ${REPLACED}`,
    };
  } catch (error) {
    return { pending: [VERIFY], reason: `key ${keyId} could not be verified: ${messageOf(error)}. ${RESUMED}` };
  }
}

const VERIFY: PendingWork = { action: "verify" };

/** The work of a resource whose key could not be created. */
export const NOT_CREATED: PendingWork = { action: "create", status: "failed" };

const RESUMED = "The key is saved with its secret. The next `pulumi up` keeps waiting";
const RESUMED_SEALED = "The key is saved, sealed. The next `pulumi up` keeps waiting";
const REPLACED = "The next `pulumi up` replaces the key";

function afterFailedWait(pending: readonly PendingWork[], error: unknown): Reached {
  if (isOperationFailed(error)) {
    const failed = new Set(error.failed.map((operation) => operation.id));
    const marked = pending.map((work) =>
      failed.has(work.operationId ?? "") ? { ...work, status: "failed" as const } : work,
    );
    return { pending: marked, reason: `${error.message}. ${REPLACED}` };
  }
  const left = isTimeout(error) ? new Set(error.pending.map((operation) => operation.id)) : undefined;
  const still = pending.filter((work) => work.operationId === undefined || (left?.has(work.operationId) ?? true));
  return { pending: still, reason: `${messageOf(error)}. ${RESUMED}` };
}

/** The maximum wait of a resource, in milliseconds; `undefined` for the account's default. */
export function operationTimeout(
  inputs: { readonly operationTimeout?: string | undefined },
  { customTimeoutMs }: Context,
): number | undefined {
  return parseDuration(inputs.operationTimeout) ?? customTimeoutMs;
}

/** The names of work that is not an operation, for messages. */
const STEPS: Readonly<Record<string, string>> = { create: "creation", verify: "verification" };

function formatWork({ action, operationId, projectId }: PendingWork): string {
  return operationId === undefined
    ? `its ${STEPS[action] ?? action}`
    : `operation ${operationId} (${action}) of project ${projectId}`;
}
