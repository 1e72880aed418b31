import type { Project } from "../../../provider/api";
import type * as functions from "../../../provider/functions";
import { ask, outputForm } from "./data-source";

/**
 * All projects of the account, or of an organization in it. Warns if the service could not read some of them in time.
 *
 * @example
 * ```ts
 * import { getProjectsOutput } from "keyplane";
 *
 * export const names = getProjectsOutput().apply((projects) => projects.map((project) => project.name));
 * ```
 */
export async function getProjects(args: functions.GetProjectsArgs = {}): Promise<Project[]> {
  return ask("getProjects", args);
}

/** `getProjects` for arguments that are outputs. Returns an output. */
export const getProjectsOutput = outputForm(getProjects);

/**
 * One project by `id` or by `name`. Fails if no project is found, or if several have the name.
 *
 * @example
 * ```ts
 * import { ApiKey, getProject } from "keyplane";
 *
 * const shop = getProject({ name: "shop" });
 * new ApiKey("shop", { waitForProjects: [shop.then((project) => project.id)] });
 * ```
 */
export async function getProject(args: functions.GetProjectArgs): Promise<Project> {
  return ask("getProject", args);
}

/** `getProject` for arguments that are outputs. Returns an output. */
export const getProjectOutput = outputForm(getProject);
