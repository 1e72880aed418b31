// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type AsInputs, type InvokeOutputOptions, invokeOptionsOf } from "./runtime";
import type { Operation } from "./types";

/** The arguments of `getOperation`. */
export interface GetOperationArgs {
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The operation's id, a UUID. */
  readonly operationId: string;
}

/** The arguments of `getOperationOutput`. */
export interface GetOperationOutputArgs extends AsInputs<GetOperationArgs> {}

/** The result of `getOperation`. */
export interface GetOperationResult extends Operation {}

/** One operation of a project. Fails if it is not found. The service forgets old operations. */
export function getOperation(args: GetOperationArgs, options: pulumi.InvokeOptions = {}): Promise<GetOperationResult> {
  return pulumi.runtime.invoke("keyplane:index:getOperation", { ...args }, invokeOptionsOf(options));
}

/** The form of `getOperation` whose arguments can be outputs of resources. */
export function getOperationOutput(
  args: GetOperationOutputArgs,
  options: InvokeOutputOptions = {},
): pulumi.Output<GetOperationResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getOperation", { ...args }, invokeOptionsOf(options));
}
