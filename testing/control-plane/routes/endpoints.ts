import { ApiError } from "../api-error";
import { changingProjectOf, projectOf } from "./project-access";
import { endpointRecord, operationRecord } from "./project-records";
import { type Answer, array, type Call, object, type Route, ref, startOperations } from "./route";

const answer = { status: 200, schema: object({ endpoint: ref("Endpoint"), operations: array(ref("Operation")) }) };

/** Starts or suspends the compute endpoint in the call's path. */
function change(call: Call, suspended: boolean): Answer {
  const { state } = call;
  const project = changingProjectOf(call);
  const endpoint = state.projects.getEndpoint(project.id, call.params.endpoint_id ?? "");
  if (!endpoint) throw new ApiError(404, "endpoint not found");
  endpoint.suspended = suspended;
  const action = suspended ? "suspend_compute" : "start_compute";
  const subject = { projectId: project.id, branchId: endpoint.branchId, endpointId: endpoint.id };
  const operations = startOperations(call, [{ ...subject, action }]);
  const records = operations.map((operation) => operationRecord(operation, state.clock.timeline()));
  return { status: 200, body: { endpoint: endpointRecord(endpoint, project), operations: records } };
}

/** The compute endpoints of a project. */
export const endpointRoutes: Route[] = [
  {
    method: "GET",
    path: "/projects/{project_id}/endpoints",
    summary: "Lists the compute endpoints of a project.",
    answer: { status: 200, schema: object({ endpoints: array(ref("Endpoint")) }) },
    handle(call) {
      const project = projectOf(call);
      const endpoints = call.state.projects.endpointsOf(project.id);
      return { status: 200, body: { endpoints: endpoints.map((endpoint) => endpointRecord(endpoint, project)) } };
    },
  },
  {
    method: "POST",
    path: "/projects/{project_id}/endpoints/{endpoint_id}/start",
    summary: "Starts a compute endpoint.",
    answer,
    handle: (call) => change(call, false),
  },
  {
    method: "POST",
    path: "/projects/{project_id}/endpoints/{endpoint_id}/suspend",
    summary: "Suspends a compute endpoint.",
    answer,
    handle: (call) => change(call, true),
  },
];
