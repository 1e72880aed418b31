import type { Operation } from "../../provider/api";
import type * as functions from "../../provider/functions";
import { listOfMock, service } from "./data-source";
import { isMocked } from "./run/mocked";

/**
 * The operations of a project that match the filters, newest first, one at a time. Holds one page in memory, and requests
 * the next one when it is needed.
 *
 * @example
 * ```ts
 * import { listOperations } from "keyplane";
 *
 * export const firstFailure = (async () => {
 *   for await (const operation of listOperations({ projectId: "my-project-1a2b3c" })) {
 *     if (operation.status === "failed") return operation.id;
 *   }
 *   return undefined;
 * })();
 * ```
 */
export async function* listOperations(args: functions.GetOperationsArgs): AsyncGenerator<Operation, void, undefined> {
  if (isMocked()) return yield* await listOfMock<Operation>("listOperations", args);
  const { account, functions } = service(args);
  yield* functions.listOperations(account, args);
}
