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
    if (projectId === undefined) return { kind: "organization", organizationId };
    const project = call.state.projects.get(projectId);
    if (project?.organizationId === organizationId) return { kind: "project", organizationId, projectId };
    throw new ApiError(404, "project not found");
  },
});
