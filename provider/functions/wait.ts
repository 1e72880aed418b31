import type { Account, Operation, WaitProgress } from "../api";
import { InputError } from "../errors";
import { checkId } from "../ids";
import { type CallArgs, checkDuration } from "./args";

/** The arguments of `waitForOperations`. */
export interface WaitForOperationsArgs extends CallArgs {
  /** The project's id. */
  readonly projectId: string;
  /** Ids of the operations to wait for. @default all pending ones, except the platform's background work */
  readonly operationIds?: readonly string[] | undefined;
  /** Maximum time to wait, e.g. `15m`. @default the configured `operationTimeout` */
  readonly operationTimeout?: string | undefined;
  /** Time between two polls, e.g. `10s`. @default the configured `pollInterval` */
  readonly pollInterval?: string | undefined;
  /** Called after every poll that leaves operations pending. @default shows the progress in the program's row */
  readonly onProgress?: ((progress: WaitProgress) => void) | undefined;
}

/** Waits until the operations have ended, and returns them. Fails if one of them fails, or if the wait times out. */
export async function waitForOperations(account: Account, args: WaitForOperationsArgs): Promise<Operation[]> {
  const projectId = checkId("project", args.projectId, "projectId");
  const { operationIds, signal, onProgress, onWarning } = args;
  const timeoutMs = checkDuration(args.operationTimeout, "operationTimeout");
  const pollIntervalMs = checkDuration(args.pollInterval, "pollInterval");
  const options = { timeoutMs, pollIntervalMs, signal, onProgress, onWarning };
  if (operationIds === undefined) return account.operations.waitUntilIdle(projectId, options);
  if (!Array.isArray(operationIds)) throw new InputError("operationIds", "must be a list of operation ids");
  const refs = operationIds.map((id, at) => ({ projectId, id: checkId("operation", id, `operationIds[${at}]`) }));
  return account.operations.wait(refs, options);
}
