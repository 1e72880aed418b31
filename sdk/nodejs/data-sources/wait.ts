import * as pulumi from "@pulumi/pulumi";
import type { Operation } from "../../../provider/api";
import type * as functions from "../../../provider/functions";
import { askForList, outputForm } from "./data-source";

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
  const onProgress = args.onProgress ?? (({ text }) => void pulumi.log.info(text, undefined, undefined, true));
  return askForList("waitForOperations", args, ({ account, functions }) =>
    functions.waitForOperations(account, { ...args, onProgress }),
  );
}

/** `waitForOperations` for arguments that are outputs. Returns an output. */
export const waitForOperationsOutput = outputForm(waitForOperations);
