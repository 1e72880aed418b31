import type { Operation } from "../../provider/api";
import type * as functions from "../../provider/functions";
import { askForList, outputForm } from "./data-source";

/**
 * The operations of a project that match the filters, newest first, in one list. For very many operations, use
 * `listOperations`.
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

/** `getOperations` for arguments that are outputs. Returns an output. */
export const getOperationsOutput = outputForm(getOperations);
