import { expect, test } from "vitest";
import { documentOf, type OpenApi, type Schema, startPlane } from "./support";

/** The names of required fields by type, separated by spaces. */
type Fields = Partial<Record<"string" | "integer" | "boolean" | "array" | "object", string>>;

/** The required fields of the service's first published interface (December 2022) and of the one of 2026. */
type Versions = Partial<Record<"2022" | "2026", Fields>>;

const records: Record<string, Versions> = {
  ApiKey: {
    2022: { integer: "id", string: "name created_at last_used_from_addr" },
    2026: { integer: "id", string: "name created_at last_used_from_addr", object: "created_by" },
  },
  CreatedApiKey: {
    2022: { integer: "id", string: "key" },
    2026: { integer: "id", string: "key name created_at created_by" },
  },
  RevokedApiKey: {
    2022: { integer: "id", string: "name last_used_from_addr", boolean: "revoked" },
    2026: { integer: "id", string: "name last_used_from_addr created_at created_by", boolean: "revoked" },
  },
  User: {
    2022: {
      string: "id email login name image",
      integer: "projects_limit endpoints_limit branches_limit",
      array: "auth_accounts",
    },
    2026: {
      string: "id email login name last_name image plan",
      integer: "projects_limit branches_limit active_seconds_limit max_autoscaling_limit",
      array: "auth_accounts",
    },
  },
  AuthAccount: {
    2022: { string: "provider email name login image" },
    2026: { string: "provider email name login image" },
  },
  BillingAccount: {
    2026: {
      string: `state subscription_type payment_method quota_reset_at_last name email address_city address_country
        address_line1 address_line2 address_postal_code address_state`,
      object: "payment_source",
    },
  },
  Project: {
    2022: {
      string: "id platform_id region_id name created_at updated_at proxy_host",
      integer: "pg_version",
      boolean: "locked",
    },
    2026: {
      string: `id platform_id region_id name created_at updated_at proxy_host provisioner creation_source owner_id
        consumption_period_start consumption_period_end`,
      integer: `pg_version active_time active_time_seconds compute_time_seconds cpu_used_sec data_transfer_bytes
        written_data_bytes data_storage_bytes_hour branch_logical_size_limit branch_logical_size_limit_bytes
        history_retention_seconds`,
      boolean: "store_passwords",
    },
  },
  Branch: {
    2022: { string: "id project_id name current_state created_at updated_at" },
    2026: {
      string: "id project_id name current_state state_changed_at creation_source created_at updated_at",
      integer: "active_time_seconds compute_time_seconds cpu_used_sec data_transfer_bytes written_data_bytes",
      boolean: "default protected",
    },
  },
  Endpoint: {
    2022: {
      string: "id project_id branch_id region_id host proxy_host type current_state pooler_mode created_at updated_at",
      integer: "autoscaling_limit_min_cu autoscaling_limit_max_cu",
      boolean: "pooler_enabled disabled passwordless_access",
      object: "settings",
    },
    2026: {
      string: `id project_id branch_id region_id host proxy_host type current_state pooler_mode created_at updated_at
        provisioner creation_source`,
      integer: "autoscaling_limit_min_cu autoscaling_limit_max_cu suspend_timeout_seconds",
      boolean: "pooler_enabled disabled passwordless_access",
      object: "settings",
    },
  },
  Operation: {
    2022: { string: "id project_id action status created_at updated_at", integer: "failures_count" },
    2026: { string: "id project_id action status created_at updated_at", integer: "failures_count total_duration_ms" },
  },
  Pagination: { 2022: { string: "cursor", integer: "limit" }, 2026: { string: "cursor" } },
  Error: { 2022: { string: "code message" }, 2026: { string: "code message" } },
};

const answers: Record<string, Versions> = {
  "GET /auth 200": { 2026: { string: "account_id auth_method" } },
  "GET /projects 200": {
    2022: { array: "projects" },
    2026: { array: "projects", object: "applications integrations" },
  },
  "GET /projects/shared 200": { 2026: { array: "projects" } },
  "POST /projects 201": {
    2022: { object: "project branch", array: "connection_uris roles databases operations endpoints" },
    2026: { object: "project branch", array: "connection_uris roles databases operations endpoints" },
  },
  "GET /projects/{project_id} 200": { 2022: { object: "project" }, 2026: { object: "project" } },
  "DELETE /projects/{project_id} 200": { 2022: { object: "project" }, 2026: { object: "project" } },
  "GET /projects/{project_id}/branches 200": {
    2022: { array: "branches" },
    2026: { array: "branches", object: "annotations" },
  },
  "POST /projects/{project_id}/branches 201": {
    2022: { object: "branch", array: "endpoints operations" },
    2026: { object: "branch", array: "endpoints operations databases roles" },
  },
  "DELETE /projects/{project_id}/branches/{branch_id} 200": {
    2022: { object: "branch", array: "operations" },
    2026: { object: "branch", array: "operations" },
  },
  "GET /projects/{project_id}/endpoints 200": { 2022: { array: "endpoints" }, 2026: { array: "endpoints" } },
  "POST /projects/{project_id}/endpoints/{endpoint_id}/start 200": {
    2022: { object: "endpoint", array: "operations" },
    2026: { object: "endpoint", array: "operations" },
  },
  "POST /projects/{project_id}/endpoints/{endpoint_id}/suspend 200": {
    2022: { object: "endpoint", array: "operations" },
    2026: { object: "endpoint", array: "operations" },
  },
  "GET /projects/{project_id}/operations 200": { 2022: { array: "operations" }, 2026: { array: "operations" } },
  "GET /projects/{project_id}/operations/{operation_id} 200": {
    2022: { object: "operation" },
    2026: { object: "operation" },
  },
};

/** The values that are valid in all versions that list them. */
const values: Record<string, string[]> = {
  "Project.provisioner": ["k8s-pod", "k8s-neonvm"],
  "Endpoint.provisioner": ["k8s-pod", "k8s-neonvm"],
  "Endpoint.type": ["read_only", "read_write"],
  "Endpoint.current_state": ["init", "active", "idle"],
  "Endpoint.pooler_mode": ["transaction"],
  "Branch.current_state": ["init", "ready"],
  "AuthAccount.provider": ["github", "google", "hasura", "keycloak"],
  "BillingAccount.state": ["UNKNOWN", "active", "suspended", "deactivated", "deleted"],
  "BillingAccount.subscription_type": ["UNKNOWN", "direct_sales"],
  "BillingAccount.payment_method": ["UNKNOWN", "none", "stripe", "direct_payment", "staff", "trial", "sponsorship"],
};

const names = (text: string): string[] => text.split(/\s+/).sort();

/** The required fields of a schema by type. A list of allowed texts counts as a text. */
function requiredFields({ components }: OpenApi, { required = [], properties = {} }: Schema): Fields {
  const fields: Record<string, string> = {};
  for (const name of required) {
    const field = properties[name] ?? {};
    const { type, enum: allowed } = field.$ref ? (components.schemas[field.$ref.split("/").at(-1) ?? ""] ?? {}) : field;
    const found = allowed ? "string" : String(type);
    fields[found] = `${fields[found] ?? ""} ${name}`.trim();
  }
  return fields;
}

/** The fields that a version requires and a schema does not, as `field: type`. */
function lacking(document: OpenApi, schema: Schema | undefined, wanted: Fields): string[] {
  const found: Record<string, string | undefined> = requiredFields(document, schema ?? {});
  return Object.entries(wanted).flatMap(([type, list]) => {
    const present = names(found[type] ?? "");
    return names(list)
      .filter((name) => !present.includes(name))
      .map((name) => `${name}: ${type}`);
  });
}

const rowsOf = (table: Record<string, Versions>) =>
  Object.entries(table).flatMap(([name, versions]) =>
    Object.entries(versions).map(([version, fields]) => ({ name, version, fields })),
  );

test.each(rowsOf(records))(
  "a record $name has every field that the interface of $version requires",
  async ({ name, fields }) => {
    const document = await documentOf(await startPlane());
    expect(lacking(document, document.components.schemas[name], fields)).toEqual([]);
  },
);

test.each(rowsOf(answers))(
  "the answer of $name has every field that the interface of $version requires",
  async ({ name, fields }) => {
    const document = await documentOf(await startPlane());
    const [method = "", path = "", status = ""] = name.split(" ");
    const response = document.paths[path]?.[method.toLowerCase()]?.responses[status];
    expect(lacking(document, response?.content["application/json"].schema, fields)).toEqual([]);
  },
);

test.each(Object.entries(values))(
  "%s has only values that every version of the interface knows",
  async (place, known) => {
    const { components } = await documentOf(await startPlane());
    const [record = "", field = ""] = place.split(".");
    const used = components.schemas[record]?.properties?.[field]?.enum ?? [];
    expect(used).not.toEqual([]);
    expect(used.filter((value) => !known.includes(String(value)))).toEqual([]);
  },
);
