import { type Account, checkProjectId, type Operation } from "../api";
import { type CallArgs, checkCount, checkText, checkTexts, checkTime } from "./args";

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

/** The project's operations, newest first, one at a time; holds one page, and reads the next one when it is needed. */
export async function* listOperations(
  account: Account,
  args: GetOperationsArgs,
): AsyncGenerator<Operation, void, undefined> {
  for await (const page of operationPages(account, args)) yield* page;
}

/** The same, page by page. */
export function operationPages(
  account: Account,
  args: GetOperationsArgs,
): AsyncGenerator<Operation[], void, undefined> {
  return account.operations.pages(checkProjectId(checkText(args.projectId, "projectId")), {
    since: checkTime(args.since, "since"),
    status: checkTexts(args.status, "status"),
    action: checkTexts(args.action, "action"),
    limit: checkCount(args.limit, "limit"),
    signal: args.signal,
  });
}
