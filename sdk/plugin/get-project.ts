// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type InvokeOutputOptions, invokeOptionsOf } from "./runtime";

/** The arguments of `getProject`. */
export interface GetProjectArgs {
  /** The project's id. */
  readonly id?: string | undefined;
  /** The project's exact name. Fails if several projects have it. */
  readonly name?: string | undefined;
}

/** The arguments of `getProjectOutput`. */
export interface GetProjectOutputArgs {
  /** The project's id. */
  readonly id?: pulumi.Input<string | undefined>;
  /** The project's exact name. Fails if several projects have it. */
  readonly name?: pulumi.Input<string | undefined>;
}

/** The result of `getProject`. */
export interface GetProjectResult {
  /** The project's id. */
  readonly id: string;
  /** Its name, which need not be unique. */
  readonly name: string;
  /** The cloud that it runs on. */
  readonly platformId?: string | undefined;
  /** The region that it runs in. */
  readonly regionId?: string | undefined;
  /** The system that runs its computes. */
  readonly provisioner?: string | undefined;
  /** The major version of Postgres. */
  readonly pgVersion?: number | undefined;
  /** Whether an operation on it is in progress. */
  readonly locked?: boolean | undefined;
  /** CPU time used in this billing period, in seconds. */
  readonly cpuUsedSec?: number | undefined;
  /** When it was created, as an ISO 8601 time. */
  readonly createdAt: string;
  /** When it last changed, as an ISO 8601 time. */
  readonly updatedAt: string;
  /** The host for its connections. */
  readonly proxyHost?: string | undefined;
  /** The maximum logical size of a branch, in MiB. */
  readonly branchLogicalSizeLimit?: number | undefined;
  /** The organization that it belongs to. */
  readonly orgId?: string | undefined;
}

/** One project by `id` or by `name`. Fails if no project is found, or if several have the name. */
export function getProject(args: GetProjectArgs = {}, options: pulumi.InvokeOptions = {}): Promise<GetProjectResult> {
  return pulumi.runtime.invoke("keyplane:index:getProject", { ...args }, invokeOptionsOf(options));
}

/** The form of `getProject` whose arguments can be outputs of resources. */
export function getProjectOutput(
  args: GetProjectOutputArgs = {},
  options: InvokeOutputOptions = {},
): pulumi.Output<GetProjectResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getProject", { ...args }, invokeOptionsOf(options));
}
