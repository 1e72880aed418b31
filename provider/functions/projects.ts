import type { Account, Project } from "../api";
import { KeyplaneError } from "../errors";
import { checkId } from "../ids";
import { type CallArgs, checkOneOf, checkText } from "./args";
import { findOne } from "./find-one";

/** All projects of the account. Warns if the service could not read some of them in time. */
export async function getProjects(account: Account, args: CallArgs = {}): Promise<Project[]> {
  return account.projects.list({ signal: args.signal, onWarning: args.onWarning });
}

/** The arguments of `getProject`: either `id` or `name`. */
export interface GetProjectArgs extends CallArgs {
  /** The project's id. */
  readonly id?: string | undefined;
  /** The project's exact name. Fails if several projects have it. */
  readonly name?: string | undefined;
}

/** One project of the account. Throws an error of kind `not_found` if there is none. */
export async function getProject(account: Account, args: GetProjectArgs): Promise<Project> {
  const { signal, onWarning } = args;
  if (checkOneOf(args) === "name") {
    const name = checkText(args.name, "name");
    return findOne(await account.projects.list({ signal, onWarning }), { kind: "project", by: "name", value: name });
  }
  const id = checkId("project", args.id, "id");
  const project = await account.projects.get(id, { signal });
  if (project === "unavailable") {
    throw new KeyplaneError(
      "KP-API",
      "the service could not read the project with the given id in time. Try again later",
    );
  }
  return findOne(project === undefined ? [] : [project], { kind: "project", by: "id", value: id });
}
