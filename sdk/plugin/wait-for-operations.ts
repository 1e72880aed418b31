// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type AsInputs, type InvokeOutputOptions, invokeOptionsOf } from "./runtime";
import type { Operation } from "./types";

/** The arguments of `waitForOperations`. */
export interface WaitForOperationsArgs {
  /** The project's id. */
  readonly projectId: string;
  /** Ids of the operations to wait for. Defaults to all pending ones, except the platform's background work. */
  readonly operationIds?: string[] | undefined;
  /** Maximum time to wait, e.g. `15m`. Defaults to the configured `operationTimeout`. */
  readonly operationTimeout?: string | undefined;
  /** Time between two polls, e.g. `10s`. Defaults to the configured `pollInterval`. */
  readonly pollInterval?: string | undefined;
}

/** The arguments of `waitForOperationsOutput`. */
export interface WaitForOperationsOutputArgs extends AsInputs<WaitForOperationsArgs> {}

/** The result of `waitForOperations`. */
export interface WaitForOperationsResult {
  /** What was found. */
  readonly items: Operation[];
}

/**
 * Waits until operations of a project have ended. Fails if one of them fails, or if the wait times out. For resources
 * that depend on a project, use `ProjectReady` instead. A preview does not wait: it returns an empty list at once.
 */
export function waitForOperations(
  args: WaitForOperationsArgs,
  options: pulumi.InvokeOptions = {},
): Promise<WaitForOperationsResult> {
  return pulumi.runtime.invoke("keyplane:index:waitForOperations", { ...args }, invokeOptionsOf(options));
}

/** The form of `waitForOperations` whose arguments can be outputs of resources. */
export function waitForOperationsOutput(
  args: WaitForOperationsOutputArgs,
  options: InvokeOutputOptions = {},
): pulumi.Output<WaitForOperationsResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:waitForOperations", { ...args }, invokeOptionsOf(options));
}
