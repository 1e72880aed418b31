import { ApiError } from "../api-error";
import { objectBody, textField } from "./input";
import { keyRoutes, requireUser } from "./key-collection";
import type { Call } from "./route";

/** The organization in the call's path, or 404. */
function organizationOf({ state, params }: Call): string {
  if (params.org_id === state.organizationId) return state.organizationId;
  throw new ApiError(404, "organization not found");
}

/** The keys of an organization, and the keys of a project in it. */
export const organizationApiKeyRoutes = keyRoutes({
  path: "/organizations/{org_id}/api_keys",
  of: "an organization, or of one project in it",
  createsPerSecond: 10,
  fields: { project_id: { type: "string" } },
  owned(call) {
    const organizationId = organizationOf(call);
    requireUser(call, 404);
    return (scope) => scope.kind !== "account" && scope.organizationId === organizationId;
  },
  scopeOfNew(call) {
    const organizationId = organizationOf(call);
    requireUser(call, 403);
    const projectId = textField(objectBody(call.body), "project_id");
    const project = projectId === undefined ? undefined : call.state.projects.get(projectId);
    if (projectId !== undefined && project?.organizationId !== organizationId) {
      throw new ApiError(404, "project not found");
    }
    const given = givenProject(call, organizationId, projectId);
    return given === undefined
      ? { kind: "organization", organizationId }
      : { kind: "project", organizationId, projectId: given };
  },
});

/** The project that the new key is limited to. */
function givenProject({ state }: Call, organizationId: string, projectId: string | undefined): string | undefined {
  const { projectKeys } = state.switches;
  if (projectKeys === "ignored" || projectKeys === "null") return undefined;
  if (projectKeys !== "another") return projectId;
  const others = state.projects
    .list()
    .filter((each) => each.organizationId === organizationId && each.id !== projectId);
  return others[0]?.id ?? "another-project";
}
