import type { Operation } from "../../provider/api";
import type * as functions from "../../provider/functions";
import { askForOne, outputForm } from "./data-source";

/**
 * One operation of a project. Fails if it is not found. The service forgets old operations.
 *
 * @example
 * ```ts
 * import { getOperation } from "keyplane";
 *
 * const operationId = "d8ac46eb-a757-42b1-9907-f78322ee394e";
 * export const status = getOperation({ projectId: "my-project-1a2b3c", operationId }).then(({ status }) => status);
 * ```
 */
export async function getOperation(args: functions.GetOperationArgs): Promise<Operation> {
  return askForOne("getOperation", args, ({ account, functions }) => functions.getOperation(account, args));
}

/** `getOperation` for arguments that are outputs. Returns an output. */
export const getOperationOutput = outputForm(getOperation);
