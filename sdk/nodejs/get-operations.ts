import type { Operation } from "../../provider/api";
import type * as functions from "../../provider/functions";
import { askForList, outputForm } from "./data-source";

/**
 * The operations of a project that match, newest first, all at once. For very many, see `listOperations`.
 *
 * @example
 * ```ts
 * import { getOperations } from "keyplane";
 *
 * export const failed = getOperations({ projectId: "my-project-1a2b3c", status: "failed", limit: 10 });
 * ```
 */
export async function getOperations(args: functions.GetOperationsArgs): Promise<Operation[]> {
  return askForList("getOperations", args, ({ account, functions }) => functions.getOperations(account, args));
}

/** The same for arguments that are outputs of resources; the result is an output. */
export const getOperationsOutput = outputForm(getOperations);
