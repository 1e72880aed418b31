import type { Account, Operation } from "../api";
import { checkId } from "../ids";
import type { CallArgs } from "./args";

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
