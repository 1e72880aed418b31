// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type AsInputs, type InvokeOutputOptions, invokeOptionsOf } from "./runtime";
import type { Operation } from "./types";

/** The arguments of `getOperations`. */
export interface GetOperationsArgs {
  /** The project's id. */
  readonly projectId: string;
  /** Only those created at or after this ISO 8601 time. */
  readonly since?: string | undefined;
  /** Only those in one of these statuses. */
  readonly status?: string[] | undefined;
  /** Only those of one of these kinds, e.g. `start_compute`. */
  readonly action?: string[] | undefined;
  /** Maximum number of operations, the newest first. Defaults to all. */
  readonly limit?: number | undefined;
}

/** The arguments of `getOperationsOutput`. */
export interface GetOperationsOutputArgs extends AsInputs<GetOperationsArgs> {}

/** The result of `getOperations`. */
export interface GetOperationsResult {
  /** What was found. */
  readonly items: Operation[];
}

/** The operations of a project that match the filters, newest first. Use `limit` if there are very many. */
export function getOperations(
  args: GetOperationsArgs,
  options: pulumi.InvokeOptions = {},
): Promise<GetOperationsResult> {
  return pulumi.runtime.invoke("keyplane:index:getOperations", { ...args }, invokeOptionsOf(options));
}

/** The form of `getOperations` whose arguments can be outputs of resources. */
export function getOperationsOutput(
  args: GetOperationsOutputArgs,
  options: InvokeOutputOptions = {},
): pulumi.Output<GetOperationsResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getOperations", { ...args }, invokeOptionsOf(options));
}
