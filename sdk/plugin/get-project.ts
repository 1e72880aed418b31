// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type AsInputs, type InvokeOutputOptions, invokeOptionsOf } from "./runtime";
import type { Project } from "./types";

/** The arguments of `getProject`. */
export interface GetProjectArgs {
  /** The project's id. */
  readonly id?: string | undefined;
  /** The project's exact name. Fails if several projects have it. */
  readonly name?: string | undefined;
}

/** The arguments of `getProjectOutput`. */
export interface GetProjectOutputArgs extends AsInputs<GetProjectArgs> {}

/** The result of `getProject`. */
export interface GetProjectResult extends Project {}

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
