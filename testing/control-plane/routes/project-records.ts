import { timestamp } from "../clock";
import type { BranchEntity, EndpointEntity, OperationEntity, ProjectEntity } from "../state/entities";
import { standingOf } from "../state/operations";

/** Consumption metrics. The control plane has no databases, so all are 0. */
const consumption = {
  active_time_seconds: 0,
  compute_time_seconds: 0,
  cpu_used_sec: 0,
  data_transfer_bytes: 0,
  written_data_bytes: 0,
};

const provisioner = "k8s-neonvm";
const branchSizeLimitMiB = 3072;
const consumptionPeriodMs = 30 * 24 * 3_600_000;

const proxyHost = ({ regionId }: ProjectEntity): string => `${regionId}.db.example.invalid`;

/** A project as the service shows it, with the fields of all published versions. */
export const projectRecord = (project: ProjectEntity) => ({
  id: project.id,
  name: project.name,
  platform_id: "local",
  region_id: project.regionId,
  provisioner,
  pg_version: project.pgVersion,
  locked: false,
  ...consumption,
  active_time: 0,
  data_storage_bytes_hour: 0,
  consumption_period_start: timestamp(project.createdAt),
  consumption_period_end: timestamp(project.createdAt + consumptionPeriodMs),
  created_at: timestamp(project.createdAt),
  updated_at: timestamp(project.updatedAt),
  proxy_host: proxyHost(project),
  branch_logical_size_limit: branchSizeLimitMiB,
  branch_logical_size_limit_bytes: branchSizeLimitMiB * 1024 ** 2,
  history_retention_seconds: 86_400,
  store_passwords: true,
  creation_source: "console",
  org_id: project.organizationId,
  owner_id: project.organizationId,
});

/** A branch as the service shows it. A project's first branch is its default branch, formerly called primary. */
export const branchRecord = (branch: BranchEntity) => ({
  id: branch.id,
  project_id: branch.projectId,
  name: branch.name,
  ...(branch.parentId === null ? {} : { parent_id: branch.parentId }),
  default: branch.parentId === null,
  primary: branch.parentId === null,
  protected: false,
  init_source: "parent-data",
  creation_source: "console",
  current_state: "ready",
  state_changed_at: timestamp(branch.createdAt),
  ...consumption,
  created_at: timestamp(branch.createdAt),
  updated_at: timestamp(branch.createdAt),
});

/** A project's compute endpoint as the service shows it. */
export const endpointRecord = (endpoint: EndpointEntity, project: ProjectEntity) => ({
  id: endpoint.id,
  project_id: endpoint.projectId,
  branch_id: endpoint.branchId,
  region_id: project.regionId,
  host: `${endpoint.id}.${proxyHost(project)}`,
  proxy_host: proxyHost(project),
  type: "read_write",
  current_state: endpoint.suspended ? "idle" : "active",
  provisioner,
  autoscaling_limit_min_cu: 1,
  autoscaling_limit_max_cu: 1,
  suspend_timeout_seconds: 300,
  settings: {},
  pooler_enabled: false,
  pooler_mode: "transaction",
  disabled: false,
  passwordless_access: true,
  creation_source: "console",
  created_at: timestamp(endpoint.createdAt),
  updated_at: timestamp(endpoint.createdAt),
});

/** The content of a new project or branch: no roles and no databases, so there is nothing to connect to. */
export const contents = { connection_uris: [], databases: [], roles: [] };

/** An operation as the service shows it at a time on the clock's timeline. */
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
