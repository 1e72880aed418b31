import type { Account, Operation, WaitProgress } from "../api";
import { InputError } from "../errors";
import { checkId } from "../ids";
import { type CallArgs, checkDuration } from "./args";

/** What is waited for. */
export interface WaitForOperationsArgs extends CallArgs {
  /** The project whose operations are meant. */
  readonly projectId: string;
  /** These operations. @default all of the project that are pending, but for the platform's own background work */
  readonly operationIds?: readonly string[] | undefined;
  /** Longest time to wait, e.g. `15m`. @default the configured `operationTimeout` */
  readonly operationTimeout?: string | undefined;
  /** Time between two looks, e.g. `10s`. @default the configured `pollInterval` */
  readonly pollInterval?: string | undefined;
  /** Called after every look that has left something pending. @default shows it in the program's row */
  readonly onProgress?: ((progress: WaitProgress) => void) | undefined;
}

/** Waits until the operations have ended, and returns them; fails if one of them does, or when the time is over. */
export async function waitForOperations(account: Account, args: WaitForOperationsArgs): Promise<Operation[]> {
  const projectId = checkId("project", args.projectId, "projectId");
  const { operationIds, signal, onProgress, onWarning } = args;
  const timeoutMs = checkDuration(args.operationTimeout, "operationTimeout");
  const pollIntervalMs = checkDuration(args.pollInterval, "pollInterval");
  const options = { timeoutMs, pollIntervalMs, signal, onProgress, onWarning };
  if (operationIds === undefined) {
    const { waitedFor } = await account.operations.waitUntilIdle(projectId, options);
    return [...waitedFor];
  }
  if (!Array.isArray(operationIds)) throw new InputError("operationIds", "must be a list of operation ids");
  const refs = operationIds.map((id, at) => ({ projectId, id: checkId("operation", id, `operationIds[${at}]`) }));
  return account.operations.wait(refs, options);
}
