// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type InvokeOutputOptions, invokeOptionsOf } from "./runtime";

/** The arguments of `getOperation`. */
export interface GetOperationArgs {
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The operation's id, a UUID. */
  readonly operationId: string;
}

/** The arguments of `getOperationOutput`. */
export interface GetOperationOutputArgs {
  /** The project that it belongs to. */
  readonly projectId: pulumi.Input<string>;
  /** The operation's id, a UUID. */
  readonly operationId: pulumi.Input<string>;
}

/** The result of `getOperation`. */
export interface GetOperationResult {
  /** The operation's id, a UUID. */
  readonly id: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The branch that it acts on, if any. */
  readonly branchId?: string | undefined;
  /** The compute endpoint that it acts on, if any. */
  readonly endpointId?: string | undefined;
  /** Kind of operation, e.g. `start_compute`; the service may add kinds at any time. */
  readonly action: string;
  /** E.g. `scheduling`, `running`, `finished`, `failed`; the service may add more at any time. */
  readonly status: string;
  /** Number of failed attempts. */
  readonly failuresCount: number;
  /** When it was created, as an ISO 8601 time. */
  readonly createdAt: string;
  /** When it last changed, as an ISO 8601 time. */
  readonly updatedAt: string;
}

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
