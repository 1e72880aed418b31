import { timestamp } from "../clock";
import type { BranchEntity, EndpointEntity, OperationEntity, ProjectEntity } from "../state/entities";
import { standingOf } from "../state/operations";

/** A project as the service shows it: the fields of today and of the described version together. */
export const projectRecord = (project: ProjectEntity) => ({
  id: project.id,
  name: project.name,
  platform_id: "local",
  region_id: project.regionId,
  provisioner: "local",
  pg_version: project.pgVersion,
  locked: false,
  cpu_used_sec: 0,
  created_at: timestamp(project.createdAt),
  updated_at: timestamp(project.updatedAt),
  proxy_host: `${project.regionId}.db.example.invalid`,
  branch_logical_size_limit: 3072,
  active_time: 0,
  org_id: project.organizationId,
});

/** A branch as the service shows it. */
export const branchRecord = (branch: BranchEntity) => ({
  id: branch.id,
  project_id: branch.projectId,
  name: branch.name,
  ...(branch.parentId === null ? {} : { parent_id: branch.parentId }),
  current_state: "ready",
  created_at: timestamp(branch.createdAt),
  updated_at: timestamp(branch.createdAt),
});

/** A compute endpoint as the service shows it. */
export const endpointRecord = (endpoint: EndpointEntity) => ({
  id: endpoint.id,
  project_id: endpoint.projectId,
  branch_id: endpoint.branchId,
  type: "read_write",
  current_state: endpoint.suspended ? "idle" : "active",
  created_at: timestamp(endpoint.createdAt),
  updated_at: timestamp(endpoint.createdAt),
});

/** An operation as the service shows it at a moment of the clock's timeline. */
export function operationRecord(operation: OperationEntity, timeline: number) {
  const { status, updatedAt, durationMs, failuresCount } = standingOf(operation, timeline);
  return {
    id: operation.id,
    project_id: operation.projectId,
    ...(operation.branchId === null ? {} : { branch_id: operation.branchId }),
    ...(operation.endpointId === null ? {} : { endpoint_id: operation.endpointId }),
    action: operation.action,
    status,
    ...(failuresCount > 0 ? { error: "the operation did not succeed" } : {}),
    failures_count: failuresCount,
    created_at: timestamp(operation.createdAt),
    updated_at: timestamp(updatedAt),
    total_duration_ms: Math.round(durationMs),
  };
}
