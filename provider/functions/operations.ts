import { type Account, Collected, LIST_OPERATIONS, type Operation, type WaitProgress } from "../api";
import { InputError } from "../errors";
import { checkId } from "../ids";
import { type CallArgs, checkCount, checkTexts, checkTime, checkTimer } from "./args";

/** The project's operations that match, newest first, in one list. */
export async function getOperations(account: Account, args: GetOperationsArgs): Promise<Operation[]> {
  const collected = new Collected(LIST_OPERATIONS);
  const pages: (readonly Operation[])[] = [];
  for await (const page of operationPages(account, args)) pages.push(collected.take(page));
  return pages.flat();
}

/** The arguments of `getOperation`. */
export interface GetOperationArgs extends CallArgs {
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The operation's id, a UUID. */
  readonly operationId: string;
}

/** One operation. Throws an error of kind `not_found` if the service does not know it (any more). */
export async function getOperation(account: Account, args: GetOperationArgs): Promise<Operation> {
  const projectId = checkId("project", args.projectId, "projectId");
  const operationId = checkId("operation", args.operationId, "operationId");
  return account.operations.get(projectId, operationId, { signal: args.signal });
}

/** The arguments of `getOperations` and `listOperations`. */
export interface GetOperationsArgs extends CallArgs {
  /** The project's id. */
  readonly projectId: string;
  /** Only those created at or after this ISO 8601 time. */
  readonly since?: string | undefined;
  /** Only those in one of these statuses. */
  readonly status?: string | readonly string[] | undefined;
  /** Only those of one of these kinds, e.g. `start_compute`. */
  readonly action?: string | readonly string[] | undefined;
  /** Maximum number of operations, the newest first. @default all */
  readonly limit?: number | undefined;
}

/**
 * The project's operations, newest first, one at a time. Holds one page in memory. Requests the next page when half of
 * the page is consumed, so that it arrives while the caller consumes the other half.
 */
export async function* listOperations(
  account: Account,
  args: GetOperationsArgs,
): AsyncGenerator<Operation, void, undefined> {
  const pages = operationPages(account, args);
  try {
    for (let next = pages.next(); ; ) {
      const { value: page } = await next;
      if (page === undefined) return;
      const half = Math.ceil(page.length / 2);
      yield* page.slice(0, half);
      next = pages.next();
      // The failure is thrown where `next` is awaited.
      next.catch(() => {});
      yield* page.slice(half);
    }
  } finally {
    await pages.return();
  }
}

function operationPages(account: Account, args: GetOperationsArgs): AsyncGenerator<Operation[], void, undefined> {
  return account.operations.pages(checkId("project", args.projectId, "projectId"), {
    since: checkTime(args.since, "since"),
    status: checkTexts(args.status, "status"),
    action: checkTexts(args.action, "action"),
    limit: checkCount(args.limit, "limit"),
    signal: args.signal,
  });
}

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
  const timeoutMs = checkTimer(args.operationTimeout, "operationTimeout");
  const pollIntervalMs = checkTimer(args.pollInterval, "pollInterval");
  const options = { timeoutMs, pollIntervalMs, signal, onProgress, onWarning };
  if (operationIds === undefined) return account.operations.waitUntilIdle(projectId, options);
  if (!Array.isArray(operationIds)) throw new InputError("operationIds", "must be a list of operation ids");
  const refs = operationIds.map((id, at) => ({ projectId, id: checkId("operation", id, `operationIds[${at}]`) }));
  return account.operations.wait(refs, options);
}
