import type { Account, Project } from "../api";
import { KeyplaneError } from "../errors";
import { checkId } from "../ids";
import { maskKeyLike } from "../secrets";
import { type CallArgs, checkOneOf, checkText } from "./args";
import { findOne } from "./find-one";

/** All projects of the account; warns if the service has left some out for lack of time. */
export async function getProjects(account: Account, args: CallArgs = {}): Promise<Project[]> {
  return account.projects.list({ signal: args.signal, onWarning: args.onWarning });
}

/** Which project is looked for: by `id` or by `name`. */
export interface GetProjectArgs extends CallArgs {
  /** The project's id. */
  readonly id?: string | undefined;
  /** The project's exact name; an error if several projects bear it. */
  readonly name?: string | undefined;
}

/** One project of the account; an error of kind `not_found` if there is none. */
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
      `the service cannot give project ${maskKeyLike(id)} at the moment. Try again later`,
    );
  }
  return findOne(project === undefined ? [] : [project], { kind: "project", by: "id", value: id });
}
