import * as pulumi from "@pulumi/pulumi";
import type { Operation } from "../../provider/api";
import type * as functions from "../../provider/functions";
import { askForList, outputForm } from "./data-source";

/**
 * Waits until operations of a project have ended; fails if one of them fails, or when the time is over. As a gate for
 * other resources prefer `ProjectReady`. A preview does not wait: there it answers with none at once. While it waits, the
 * program's row tells what for.
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

/** The same for arguments that are outputs of resources; the result is an output. */
export const waitForOperationsOutput = outputForm(waitForOperations);
