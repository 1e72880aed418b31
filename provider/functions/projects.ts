import type { Account, Project } from "../api";
import { KeyplaneError } from "../errors";
import { checkId } from "../ids";
import { type CallArgs, checkOneOf, checkText } from "./args";
import { findOne } from "./find-one";

/** The arguments of `getProjects`. */
export interface GetProjectsArgs extends CallArgs {
  /**
   * Id of the organization whose projects to read. Required if the account's projects belong to organizations and
   * `apiKey` is a personal key.
   * @default the account's own projects, or those of the organization that `apiKey` belongs to
   */
  readonly organizationId?: string | undefined;
}

/** All projects of the account, or of an organization in it. Warns if the service could not read some of them in time. */
export async function getProjects(account: Account, args: GetProjectsArgs = {}): Promise<Project[]> {
  return account.projects.list(optionsOf(args));
}

/** The arguments of `getProject`: either `id` or `name`. */
export interface GetProjectArgs extends CallArgs {
  /** The project's id. */
  readonly id?: string | undefined;
  /** The project's exact name. Fails if several projects have it. */
  readonly name?: string | undefined;
  /**
   * Id of the organization that the project belongs to. With `name`, required if the account's projects belong to
   * organizations and `apiKey` is a personal key.
   * @default any organization with `id`; otherwise that of `getProjects`
   */
  readonly organizationId?: string | undefined;
}

/** One project of the account, or of an organization in it. Throws an error of kind `not_found` if there is none. */
export async function getProject(account: Account, args: GetProjectArgs): Promise<Project> {
  const options = optionsOf(args);
  const by = checkOneOf(args);
  const value = by === "name" ? checkText(args.name, "name") : checkId("project", args.id, "id");
  const where = args.organizationId === undefined ? undefined : "the given organization";
  const wanted = { kind: "project", by, value, where } as const;
  if (by === "name") return findOne(await account.projects.list(options), wanted);
  const project = await account.projects.get(value, options);
  if (project === "unavailable") {
    throw new KeyplaneError(
      "KP-API",
      "the service could not read the project with the given id in time. Try again later",
    );
  }
  return findOne(project === undefined ? [] : [project], wanted);
}

function optionsOf({ organizationId, signal, onWarning }: GetProjectsArgs) {
  const given = organizationId === undefined ? undefined : checkId("organization", organizationId, "organizationId");
  return { organizationId: given, signal, onWarning };
}
