import { ApiError } from "../api-error";
import { objectBody, objectField, textField } from "./input";
import { changingProjectOf, projectOf } from "./project-access";
import { branchRecord, contents, endpointRecord, operationRecord } from "./project-records";
import { array, object, type Route, ref, startOperations } from "./route";
import { contentsSchema } from "./schemas";

/** The branches of a project. */
export const branchRoutes: Route[] = [
  {
    method: "GET",
    path: "/projects/{project_id}/branches",
    summary: "Lists the branches of a project.",
    answer: { status: 200, schema: object({ branches: array(ref("Branch")), annotations: { type: "object" } }) },
    handle(call) {
      const branches = call.state.projects.branchesOf(projectOf(call).id);
      return { status: 200, body: { branches: branches.map(branchRecord), annotations: {} } };
    },
  },
  {
    method: "POST",
    path: "/projects/{project_id}/branches",
    summary: "Creates a branch with a compute endpoint, or without one if `endpoints` is an empty list.",
    body: {
      type: "object",
      properties: {
        branch: { type: "object", properties: { name: { type: "string" }, parent_id: { type: "string" } } },
        endpoints: array({ type: "object" }),
      },
    },
    answer: {
      status: 201,
      schema: object({
        branch: ref("Branch"),
        endpoints: array(ref("Endpoint")),
        operations: array(ref("Operation")),
        ...contentsSchema,
      }),
    },
    handle(call) {
      const { state } = call;
      const project = changingProjectOf(call);
      const body = objectBody(call.body ?? {});
      const fields = objectField(body, "branch");
      const parentId = textField(fields, "parent_id") ?? state.projects.branchesOf(project.id)[0]?.id ?? null;
      if (parentId !== null && !state.projects.getBranch(project.id, parentId)) {
        throw new ApiError(404, "parent branch not found");
      }
      const now = state.clock.now();
      const branch = state.projects.createBranch(project.id, textField(fields, "name"), parentId, now);
      call.effects.push({ kind: "branch-created", projectId: project.id, branchId: branch.id });
      const bare = Array.isArray(body.endpoints) && body.endpoints.length === 0;
      const endpoints = bare ? [] : [state.projects.createEndpoint(branch, now)];
      const subject = { projectId: project.id, branchId: branch.id };
      const operations = startOperations(call, [
        { ...subject, action: "create_branch" },
        ...endpoints.map(({ id }) => ({ ...subject, action: "start_compute", endpointId: id })),
      ]);
      const answer = {
        branch: branchRecord(branch),
        endpoints: endpoints.map((endpoint) => endpointRecord(endpoint, project)),
        operations: operations.map((operation) => operationRecord(operation, state.clock.timeline())),
        ...contents,
      };
      return { status: 201, body: answer };
    },
  },
  {
    method: "DELETE",
    path: "/projects/{project_id}/branches/{branch_id}",
    summary: "Deletes a branch with its compute endpoints.",
    answer: { status: 200, schema: object({ branch: ref("Branch"), operations: array(ref("Operation")) }) },
    handle(call) {
      const { state } = call;
      const project = changingProjectOf(call);
      const branch = state.projects.getBranch(project.id, call.params.branch_id ?? "");
      if (!branch) throw new ApiError(404, "branch not found");
      if (branch.parentId === null) throw new ApiError(422, "the project's first branch cannot be deleted");
      state.projects.deleteBranch(branch);
      call.effects.push({ kind: "branch-deleted", projectId: project.id, branchId: branch.id });
      const subject = { projectId: project.id, branchId: branch.id };
      const operations = startOperations(call, [{ ...subject, action: "delete_timeline" }]);
      const records = operations.map((operation) => operationRecord(operation, state.clock.timeline()));
      return { status: 200, body: { branch: branchRecord(branch), operations: records } };
    },
  },
];
