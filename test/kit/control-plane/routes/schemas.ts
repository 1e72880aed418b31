import { object, type Schema } from "./route";

const text = { type: "string" };
const whole = { type: "integer" };
const id = { type: "integer", format: "int64" };
const time = { type: "string", format: "date-time" };
/** A key of one project says so. */
const ofProject = { project_id: text };
const timeOrNull = { type: ["string", "null"], format: "date-time" };

/** The records of the service. */
export const schemas: Record<string, Schema> = {
  ApiKey: object(
    {
      id,
      name: text,
      created_at: time,
      created_by: object({ id: text, name: text, image: text }),
      last_used_at: timeOrNull,
      last_used_from_addr: text,
    },
    ofProject,
  ),
  CreatedApiKey: object({ id, key: text, name: text, created_at: time, created_by: text }, ofProject),
  RevokedApiKey: object(
    {
      id,
      name: text,
      created_at: time,
      created_by: text,
      last_used_at: timeOrNull,
      last_used_from_addr: text,
      revoked: { type: "boolean" },
    },
    ofProject,
  ),
  User: object({ id: text, login: text, name: text, last_name: text, email: text }),
  Project: object({
    id: text,
    name: text,
    platform_id: text,
    region_id: text,
    provisioner: text,
    pg_version: whole,
    locked: { type: "boolean" },
    cpu_used_sec: whole,
    created_at: time,
    updated_at: time,
    proxy_host: text,
    branch_logical_size_limit: whole,
    org_id: text,
  }),
  Branch: object({ id: text, project_id: text, name: text, created_at: time, updated_at: time }),
  Endpoint: object({ id: text, project_id: text, branch_id: text, created_at: time, updated_at: time }),
  Operation: {
    type: "object",
    required: [
      "id",
      "project_id",
      "action",
      "status",
      "failures_count",
      "created_at",
      "updated_at",
      "total_duration_ms",
    ],
    properties: {
      id: { type: "string", format: "uuid" },
      project_id: text,
      branch_id: text,
      endpoint_id: text,
      action: text,
      status: text,
      error: text,
      failures_count: whole,
      created_at: time,
      updated_at: time,
      total_duration_ms: whole,
    },
  },
  Pagination: { type: "object", properties: { cursor: text } },
  Error: { type: "object", required: ["code", "message"], properties: { request_id: text, code: text, message: text } },
};
