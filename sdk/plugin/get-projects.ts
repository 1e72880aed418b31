// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { type InvokeOutputOptions, invokeOptionsOf } from "./runtime";
import type { Project } from "./types";

/** The result of `getProjects`. */
export interface GetProjectsResult {
  /** What was found. */
  readonly items: Project[];
}

/** All projects of the account. Warns if the service could not read some of them in time. */
export function getProjects(options: pulumi.InvokeOptions = {}): Promise<GetProjectsResult> {
  return pulumi.runtime.invoke("keyplane:index:getProjects", {}, invokeOptionsOf(options));
}

/** The form of `getProjects` whose arguments can be outputs of resources. */
export function getProjectsOutput(options: InvokeOutputOptions = {}): pulumi.Output<GetProjectsResult> {
  return pulumi.runtime.invokeOutput("keyplane:index:getProjects", {}, invokeOptionsOf(options));
}
