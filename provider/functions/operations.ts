import { type Account, Collected, LIST_OPERATIONS, type Operation } from "../api";
import { checkId } from "../ids";
import { type CallArgs, checkCount, checkTexts, checkTime } from "./args";

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
