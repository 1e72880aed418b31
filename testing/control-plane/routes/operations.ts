import { ApiError } from "../api-error";
import type { ProjectEntity } from "../state/entities";
import { placeOf } from "../state/operations";
import { integerQuery } from "./input";
import { reaches } from "./project-access";
import { operationRecord } from "./project-records";
import { array, type Call, object, pagination, type Route, ref } from "./route";

const limits = { min: 1, max: 1000, default: 100 };

/** Converts a position in the list to a cursor: a time with microseconds. */
function cursorOf(place: number): string {
  const iso = new Date(Math.floor(place / 1000)).toISOString();
  return `${iso.slice(0, 23)}${String(place % 1000).padStart(3, "0")}Z`;
}

/** Converts a cursor to a position, or throws 400. */
function placeOfCursor(cursor: string | null): number | undefined {
  if (cursor === null) return undefined;
  const [, seconds, fraction = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(cursor) ?? [];
  const ms = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  if (Number.isNaN(ms)) throw new ApiError(400, "cursor is not valid");
  return ms * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

/** The project in the call's path, or 404. Operations of deleted projects can still be read. */
function projectOf(call: Call): ProjectEntity {
  const project = call.state.projects.getEver(call.params.project_id ?? "");
  if (project && reaches(call, project)) return project;
  throw new ApiError(404, "project not found");
}

/** The operations of a project. */
export const operationRoutes: Route[] = [
  {
    method: "GET",
    path: "/projects/{project_id}/operations",
    summary: "Lists the operations of a project, newest first, in pages.",
    query: {
      limit: { type: "integer", minimum: limits.min, maximum: limits.max, default: limits.default },
      cursor: { type: "string" },
    },
    answer: { status: 200, schema: object({ operations: array(ref("Operation")) }, { pagination: ref("Pagination") }) },
    polls: true,
    handle(call) {
      const project = projectOf(call);
      const limit = integerQuery(call, "limit", limits);
      const { clock, operations, switches } = call.state;
      const ties = switches.tiedOperations;
      const page = operations.page(project.id, limit, placeOfCursor(call.query.get("cursor")), ties);
      const last = page.at(-1);
      const goesOn = last && (switches.cursorOnLastPage || page.length === limit);
      const cursor = goesOn ? cursorOf(placeOf(last, ties)) : undefined;
      const timeline = clock.timeline();
      const records = page.map((operation) => operationRecord(operation, timeline));
      return { status: 200, body: { operations: records, ...pagination(cursor, limit) } };
    },
  },
  {
    method: "GET",
    path: "/projects/{project_id}/operations/{operation_id}",
    summary: "Reads one operation.",
    params: { operation_id: { type: "string", format: "uuid" } },
    answer: { status: 200, schema: object({ operation: ref("Operation") }) },
    polls: true,
    handle(call) {
      const project = projectOf(call);
      const id = call.params.operation_id ?? "";
      if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) {
        throw new ApiError(400, "operation_id must be a UUID");
      }
      const operation = call.state.operations.get(project.id, id.toLowerCase());
      if (!operation) throw new ApiError(404, "operation not found");
      return { status: 200, body: { operation: operationRecord(operation, call.state.clock.timeline()) } };
    },
  },
];
