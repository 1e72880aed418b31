import { array, object, ref, type Schema } from "./route";

const text = { type: "string" };
const whole = { type: "integer" };
const flag = { type: "boolean" };
const long = { type: "integer", format: "int64" };
const time = { type: "string", format: "date-time" };
/** Present on keys of an organization: the project that they are limited to, or `null`. */
const ofProject = { project_id: { type: ["string", "null"] } };
const timeOrNull = { type: ["string", "null"], format: "date-time" };

const provisioner = { enum: ["k8s-neonvm"] };

const consumption = {
  active_time_seconds: whole,
  compute_time_seconds: whole,
  cpu_used_sec: whole,
  data_transfer_bytes: whole,
  written_data_bytes: whole,
};

const nothing = array({ type: "object" });

/** The content of a new project or branch. */
export const contentsSchema = { connection_uris: nothing, databases: nothing, roles: nothing };

/** The records of the service. */
export const schemas: Record<string, Schema> = {
  ApiKey: object(
    {
      id: long,
      name: text,
      created_at: time,
      created_by: object({ id: text, name: text, image: text }),
      last_used_at: timeOrNull,
      last_used_from_addr: text,
    },
    ofProject,
  ),
  CreatedApiKey: object({ id: long, key: text, name: text, created_at: time, created_by: text }, ofProject),
  RevokedApiKey: object(
    {
      id: long,
      name: text,
      created_at: time,
      created_by: text,
      last_used_at: timeOrNull,
      last_used_from_addr: text,
      revoked: flag,
    },
    ofProject,
  ),
  User: object({
    id: text,
    login: text,
    name: text,
    last_name: text,
    email: text,
    image: text,
    auth_accounts: array(ref("AuthAccount")),
    plan: text,
    projects_limit: whole,
    branches_limit: whole,
    endpoints_limit: whole,
    active_seconds_limit: whole,
    max_autoscaling_limit: whole,
    billing_account: ref("BillingAccount"),
  }),
  AuthAccount: object({ email: text, image: text, login: text, name: text, provider: { enum: ["github"] } }),
  BillingAccount: object({
    id: text,
    state: { enum: ["active"] },
    subscription_type: { enum: ["UNKNOWN"] },
    payment_method: { enum: ["none"] },
    payment_source: object({ type: text }),
    quota_reset_at_last: time,
    name: text,
    email: text,
    address_city: text,
    address_country: text,
    address_line1: text,
    address_line2: text,
    address_postal_code: text,
    address_state: text,
  }),
  Project: object({
    id: text,
    name: text,
    platform_id: text,
    region_id: text,
    provisioner,
    pg_version: whole,
    locked: flag,
    ...consumption,
    active_time: whole,
    data_storage_bytes_hour: whole,
    consumption_period_start: time,
    consumption_period_end: time,
    created_at: time,
    updated_at: time,
    proxy_host: text,
    branch_logical_size_limit: whole,
    branch_logical_size_limit_bytes: long,
    history_retention_seconds: whole,
    store_passwords: flag,
    creation_source: text,
    org_id: text,
    owner_id: text,
  }),
  Branch: object(
    {
      id: text,
      project_id: text,
      name: text,
      default: flag,
      primary: flag,
      protected: flag,
      init_source: text,
      creation_source: text,
      current_state: { enum: ["ready"] },
      state_changed_at: time,
      ...consumption,
      created_at: time,
      updated_at: time,
    },
    { parent_id: text },
  ),
  Endpoint: object({
    id: text,
    project_id: text,
    branch_id: text,
    region_id: text,
    host: text,
    proxy_host: text,
    type: { enum: ["read_write"] },
    current_state: { enum: ["active", "idle"] },
    provisioner,
    autoscaling_limit_min_cu: whole,
    autoscaling_limit_max_cu: whole,
    suspend_timeout_seconds: whole,
    settings: { type: "object" },
    pooler_enabled: flag,
    pooler_mode: { enum: ["transaction"] },
    disabled: flag,
    passwordless_access: flag,
    creation_source: text,
    created_at: time,
    updated_at: time,
  }),
  Operation: object(
    {
      id: { type: "string", format: "uuid" },
      project_id: text,
      action: text,
      status: text,
      failures_count: whole,
      created_at: time,
      updated_at: time,
      total_duration_ms: whole,
    },
    { branch_id: text, endpoint_id: text, error: text },
  ),
  Pagination: object({ cursor: text, limit: whole }),
  Error: object({ code: text, message: text }, { request_id: text }),
};
