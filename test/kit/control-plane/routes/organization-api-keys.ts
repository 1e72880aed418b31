import { ApiError } from "../api-error";
import type { KeyScope } from "../state/entities";
import { createKey, keyNameSchema, revokeKey } from "./api-keys";
import { objectBody, textField } from "./input";
import { listedKey } from "./key-records";
import { array, type Call, type Route, ref } from "./route";

/** The organization in the call's path, or 404. */
function organizationOf({ state, params }: Call): string {
  if (params.org_id === state.organizationId) return state.organizationId;
  throw new ApiError(404, "organization not found");
}

const ofOrganization = (organizationId: string) => (scope: KeyScope) =>
  scope.kind !== "account" && scope.organizationId === organizationId;

/** Only keys of a user make or revoke keys of an organization. */
function requireUser({ caller }: Call): void {
  if (caller.scope.kind !== "account") throw new ApiError(403, "not allowed for organization API keys");
}

/** The keys of an organization, and those of a project in it. */
export const organizationApiKeyRoutes: Route[] = [
  {
    method: "POST",
    path: "/organizations/{org_id}/api_keys",
    summary: "Creates an API key of an organization, or of one project in it.",
    body: {
      type: "object",
      required: ["key_name"],
      properties: { key_name: keyNameSchema, project_id: { type: "string" } },
    },
    answer: { status: 200, schema: ref("CreatedApiKey") },
    handle(call) {
      const organizationId = organizationOf(call);
      requireUser(call);
      const projectId = textField(objectBody(call.body), "project_id");
      if (projectId === undefined) return createKey(call, { kind: "organization", organizationId });
      if (call.state.projects.get(projectId)?.organizationId !== organizationId) {
        throw new ApiError(404, "project not found");
      }
      return createKey(call, { kind: "project", organizationId, projectId });
    },
  },
  {
    method: "GET",
    path: "/organizations/{org_id}/api_keys",
    summary: "Lists the live API keys of an organization, newest first.",
    answer: { status: 200, schema: array(ref("ApiKey")) },
    handle(call) {
      const owned = ofOrganization(organizationOf(call));
      requireUser(call);
      return { status: 200, body: call.state.keys.list(owned).map(listedKey) };
    },
  },
  {
    method: "DELETE",
    path: "/organizations/{org_id}/api_keys/{key_id}",
    summary: "Revokes an API key of an organization.",
    params: { key_id: { type: "integer", format: "int64" } },
    answer: { status: 200, schema: ref("RevokedApiKey") },
    handle(call) {
      const owned = ofOrganization(organizationOf(call));
      requireUser(call);
      return revokeKey(call, owned);
    },
  },
];
