import { type Account, Collected, LIST_OPERATIONS, type Operation } from "../api";
import { checkId } from "../ids";
import { type CallArgs, checkCount, checkTexts, checkTime } from "./args";

/** The project's operations that match, newest first, all at once. */
export async function getOperations(account: Account, args: GetOperationsArgs): Promise<Operation[]> {
  const collected = new Collected(LIST_OPERATIONS);
  const pages: (readonly Operation[])[] = [];
  for await (const page of operationPages(account, args)) pages.push(collected.take(page));
  return pages.flat();
}

/** Which operation is looked for. */
export interface GetOperationArgs extends CallArgs {
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The operation's id, a UUID. */
  readonly operationId: string;
}

/** One operation; an error of kind `not_found` if the service does not know it (any more). */
export async function getOperation(account: Account, args: GetOperationArgs): Promise<Operation> {
  const projectId = checkId("project", args.projectId, "projectId");
  const operationId = checkId("operation", args.operationId, "operationId");
  return account.operations.get(projectId, operationId, { signal: args.signal });
}

/** Which operations are listed. */
export interface GetOperationsArgs extends CallArgs {
  /** The project whose operations are meant. */
  readonly projectId: string;
  /** Only those created at or after this ISO 8601 time. */
  readonly since?: string | undefined;
  /** Only those in this status, or in one of these. */
  readonly status?: string | readonly string[] | undefined;
  /** Only those of this kind, or of one of these, e.g. `start_compute`. */
  readonly action?: string | readonly string[] | undefined;
  /** At most so many, the newest first. @default all */
  readonly limit?: number | undefined;
}

/**
 * The project's operations, newest first, one at a time. Holds one page; the next one is asked for when half of it was
 * taken, so that it comes while the other half is.
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
      // It is thrown where it is awaited.
      next.catch(() => {});
      yield* page.slice(half);
    }
  } finally {
    await pages.return();
  }
}

/** The same, page by page. */
export function operationPages(
  account: Account,
  args: GetOperationsArgs,
): AsyncGenerator<Operation[], void, undefined> {
  return account.operations.pages(checkId("project", args.projectId, "projectId"), {
    since: checkTime(args.since, "since"),
    status: checkTexts(args.status, "status"),
    action: checkTexts(args.action, "action"),
    limit: checkCount(args.limit, "limit"),
    signal: args.signal,
  });
}
