import type { Project } from "../../provider/api";
import type * as functions from "../../provider/functions";
import { askForList, outputForm } from "./data-source";

/**
 * All projects of the account. Warns if the service could not read some of them in time.
 *
 * @example
 * ```ts
 * import { getProjectsOutput } from "keyplane";
 *
 * export const names = getProjectsOutput().apply((projects) => projects.map((project) => project.name));
 * ```
 */
export async function getProjects(args: functions.CallArgs = {}): Promise<Project[]> {
  return askForList("getProjects", args, ({ account, functions }) => functions.getProjects(account, args));
}

/** `getProjects` for arguments that are outputs. Returns an output. */
export const getProjectsOutput = outputForm(getProjects);
