import * as pulumi from "@pulumi/pulumi";
import type { Operation } from "../../../provider/api";
import type * as functions from "../../../provider/functions";
import { isMocked } from "../run/pulumi-internals";
import { ask, asReport, listOfMock, outputForm, service } from "./data-source";

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
  return ask("getOperations", args);
}

/** `getOperations` for arguments that are outputs. Returns an output. */
export const getOperationsOutput = outputForm(getOperations);

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
  return ask("getOperation", args);
}

/** `getOperation` for arguments that are outputs. Returns an output. */
export const getOperationOutput = outputForm(getOperation);

/**
 * The operations of a project that match the filters, newest first, one at a time. Holds about a page in memory,
 * and requests the next one when half of it is used.
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
  try {
    const { account, functions } = service("getOperations", args);
    yield* functions.listOperations(account, args);
  } catch (error) {
    throw asReport("listOperations", error);
  }
}

/**
 * Waits until operations of a project have ended. Fails if one of them fails, or if the wait times out. For resources
 * that depend on a project, use `ProjectReady` instead. A preview does not wait: it returns an empty result at once.
 * During the wait, the program's row shows the pending operations.
 *
 * @example
 * ```ts
 * import { waitForOperations } from "keyplane";
 *
 * export const done = waitForOperations({ projectId: "my-project-1a2b3c", operationTimeout: "10m" });
 * ```
 */
export async function waitForOperations(args: functions.WaitForOperationsArgs): Promise<Operation[]> {
  if (pulumi.runtime.isDryRun()) return [];
  const onProgress = args?.onProgress ?? (({ text }) => void pulumi.log.info(text, undefined, undefined, true));
  return ask("waitForOperations", { ...args, onProgress });
}

/** `waitForOperations` for arguments that are outputs. Returns an output. */
export const waitForOperationsOutput = outputForm(waitForOperations);
