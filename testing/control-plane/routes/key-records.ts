import { timestamp } from "../clock";
import type { KeyEntity } from "../state/entities";
import type { State } from "../state/state";
import type { ProjectKeys } from "../state/switches";

const user = "3e6f1d84-52c7-4b0e-a9d1-6a7c8f20b513";

const orNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms));

function projectOf({ scope }: KeyEntity, keys: ProjectKeys) {
  if (scope.kind === "account" || keys === "unsaid") return {};
  if (scope.kind === "project") return { project_id: scope.projectId };
  return keys === "null" ? { project_id: null } : {};
}

/** In a list, a key of a whole organization has `null`. */
const listedProjectOf = (key: KeyEntity, keys: ProjectKeys) => projectOf(key, keys === "unsaid" ? keys : "null");

/** A key as lists show it. */
export const listedKey = (key: KeyEntity, keys: ProjectKeys) => ({
  id: key.id,
  name: key.name,
  created_at: timestamp(key.createdAt),
  created_by: { id: user, name: "Local User", image: "" },
  last_used_at: orNull(key.lastUsedAt),
  last_used_from_addr: key.lastUsedFromAddr,
  ...listedProjectOf(key, keys),
});

/** A key that was just created. Only this response contains its secret. */
export const createdKey = (key: KeyEntity, secret: string, keys: ProjectKeys) => ({
  id: key.id,
  key: secret,
  name: key.name,
  created_at: timestamp(key.createdAt),
  created_by: user,
  ...projectOf(key, keys),
});

/** A key that was just revoked. */
export const revokedKey = (key: KeyEntity, keys: ProjectKeys) => ({
  id: key.id,
  name: key.name,
  created_at: timestamp(key.createdAt),
  created_by: user,
  last_used_at: orNull(key.lastUsedAt),
  last_used_from_addr: key.lastUsedFromAddr,
  revoked: true,
  ...projectOf(key, keys),
});

const person = { login: "local", name: "Local", email: "local@example.invalid", image: "" };

/** The user who owns the account. Nothing is ever billed. */
export const currentUser = (state: State) => ({
  id: user,
  ...person,
  last_name: "User",
  auth_accounts: [{ ...person, provider: "github" }],
  plan: "free",
  projects_limit: 100,
  branches_limit: 500,
  endpoints_limit: 500,
  active_seconds_limit: 0,
  max_autoscaling_limit: 1,
  billing_account: {
    id: state.accountId,
    state: "active",
    subscription_type: "UNKNOWN",
    payment_method: "none",
    payment_source: { type: "" },
    quota_reset_at_last: timestamp(0),
    name: "Local User",
    email: person.email,
    address_city: "",
    address_country: "",
    address_line1: "",
    address_line2: "",
    address_postal_code: "",
    address_state: "",
  },
});
