import { ApiError } from "../api-error";
import type { ProjectEntity } from "../state/entities";
import { integerQuery, objectBody, objectField, textField } from "./input";
import { changingProjectOf, projectOf, reaches } from "./project-access";
import { branchRecord, contents, endpointRecord, operationRecord, projectRecord } from "./project-records";
import { array, type Call, object, pagination, type Route, ref, startOperations } from "./route";
import { contentsSchema } from "./schemas";

const limits = { min: 1, max: 400, default: 10 };

const listQuery = {
  limit: { type: "integer", minimum: limits.min, maximum: limits.max, default: limits.default },
  cursor: { type: "string" },
  search: { type: "string" },
  org_id: { type: "string" },
};

const listSchema = object(
  {
    projects: array(ref("Project")),
    applications: { type: "object" },
    integrations: { type: "object" },
    unavailable_project_ids: array({ type: "string" }),
  },
  { pagination: ref("Pagination") },
);

/** Throws 400 if the call must name an organization and does not. */
function requireOrganization({ state, caller }: Call, organizationId: string | null | undefined): void {
  if (state.switches.organizationRequired && caller.scope.kind === "account" && !organizationId) {
    throw new ApiError(400, "org_id is required, you can find it on your organization settings page");
  }
}

/** One page of a list of projects. The cursor is the id of the last project returned. */
function pageOf(call: Call, projects: ProjectEntity[]) {
  const limit = integerQuery(call, "limit", limits);
  const search = (call.query.get("search") ?? "").toLowerCase();
  const organizationId = call.query.get("org_id");
  const found = projects.filter((project) => {
    const named = project.name.toLowerCase().includes(search) || project.id.includes(search);
    return named && (organizationId === null || project.organizationId === organizationId);
  });
  const cursor = call.query.get("cursor");
  const last = cursor === null ? -1 : found.findIndex(({ id }) => id === cursor);
  if (cursor !== null && last === -1) throw new ApiError(400, "cursor is not valid");
  const page = found.slice(last + 1, last + 1 + limit);
  const goesOn = page.length > 0 && (call.state.switches.cursorOnLastPage || page.length === limit);
  return {
    projects: page.map(projectRecord),
    ...pagination(goesOn ? page.at(-1)?.id : undefined, limit),
    applications: {},
    integrations: {},
    unavailable_project_ids: [],
  };
}

/** The projects of the account. */
export const projectRoutes: Route[] = [
  {
    method: "GET",
    path: "/projects",
    summary: "Lists the projects, newest first, by pages.",
    query: listQuery,
    answer: { status: 200, schema: listSchema },
    handle(call) {
      requireOrganization(call, call.query.get("org_id"));
      const projects = call.state.projects.list().filter((project) => reaches(call, project));
      return { status: 200, body: pageOf(call, projects) };
    },
  },
  {
    method: "GET",
    path: "/projects/shared",
    summary: "Lists the projects that others share with the account: none.",
    query: { limit: listQuery.limit, cursor: listQuery.cursor, search: listQuery.search },
    answer: { status: 200, schema: listSchema },
    handle: (call) => ({ status: 200, body: pageOf(call, []) }),
  },
  {
    method: "POST",
    path: "/projects",
    summary: "Creates a project with a branch and a compute endpoint.",
    body: object({ project: { type: "object", properties: { name: { type: "string" }, org_id: { type: "string" } } } }),
    answer: {
      status: 201,
      schema: object({
        project: ref("Project"),
        branch: ref("Branch"),
        endpoints: array(ref("Endpoint")),
        operations: array(ref("Operation")),
        ...contentsSchema,
      }),
    },
    handle(call) {
      const { state } = call;
      if (call.caller.scope.kind === "project") throw new ApiError(403, "not allowed for project API keys");
      const fields = objectField(objectBody(call.body), "project");
      const [name, organizationId, regionId] = ["name", "org_id", "region_id"].map((key) => textField(fields, key));
      requireOrganization(call, organizationId);
      if (organizationId !== undefined && organizationId !== state.organizationId) {
        throw new ApiError(404, "organization not found");
      }
      const seed = { ...(name === undefined ? {} : { name }), ...(regionId === undefined ? {} : { regionId }) };
      const now = state.clock.now();
      const { project, branch, endpoint } = state.projects.create(seed, state.organizationId, now);
      call.effects.push({ kind: "project-created", projectId: project.id });
      const subject = { projectId: project.id, branchId: branch.id };
      const operations = startOperations(call, [
        { ...subject, action: "create_timeline" },
        { ...subject, action: "start_compute", endpointId: endpoint.id },
      ]);
      const body = {
        project: projectRecord(project),
        branch: branchRecord(branch),
        endpoints: [endpointRecord(endpoint, project)],
        operations: operations.map((operation) => operationRecord(operation, state.clock.timeline())),
        ...contents,
      };
      return { status: 201, body };
    },
  },
  {
    method: "GET",
    path: "/projects/{project_id}",
    summary: "Reads one project.",
    answer: { status: 200, schema: object({ project: ref("Project") }) },
    handle: (call) => ({ status: 200, body: { project: projectRecord(projectOf(call)) } }),
  },
  {
    method: "DELETE",
    path: "/projects/{project_id}",
    summary: "Deletes a project; its operations can still be read.",
    answer: { status: 200, schema: object({ project: ref("Project"), operations: array(ref("Operation")) }) },
    handle(call) {
      const { state } = call;
      const project = changingProjectOf(call);
      if (call.caller.scope.kind === "project") throw new ApiError(403, "not allowed for project API keys");
      state.projects.delete(project, state.clock.now());
      call.effects.push({ kind: "project-deleted", projectId: project.id });
      const operations = startOperations(call, [{ projectId: project.id, action: "delete_tenant" }]);
      const records = operations.map((operation) => operationRecord(operation, state.clock.timeline()));
      return { status: 200, body: { project: projectRecord(project), operations: records } };
    },
  },
];
