import { timestamp } from "../clock";
import type { KeyEntity } from "../state/entities";
import type { State } from "../state/state";

const user = "3e6f1d84-52c7-4b0e-a9d1-6a7c8f20b513";

const orNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms));

const projectOf = ({ scope }: KeyEntity) => (scope.kind === "project" ? { project_id: scope.projectId } : {});

/** In a list, a key of a whole organization has `null`. */
const listedProjectOf = (key: KeyEntity) => (key.scope.kind === "organization" ? { project_id: null } : projectOf(key));

/** A key as lists show it. */
export const listedKey = (key: KeyEntity) => ({
  id: key.id,
  name: key.name,
  created_at: timestamp(key.createdAt),
  created_by: { id: user, name: "Local User", image: "" },
  last_used_at: orNull(key.lastUsedAt),
  last_used_from_addr: key.lastUsedFromAddr,
  ...listedProjectOf(key),
});

/** A key that was just created. Only this response contains its secret. */
export const createdKey = (key: KeyEntity, secret: string) => ({
  id: key.id,
  key: secret,
  name: key.name,
  created_at: timestamp(key.createdAt),
  created_by: user,
  ...projectOf(key),
});

/** A key that was just revoked. */
export const revokedKey = (key: KeyEntity) => ({
  id: key.id,
  name: key.name,
  created_at: timestamp(key.createdAt),
  created_by: user,
  last_used_at: orNull(key.lastUsedAt),
  last_used_from_addr: key.lastUsedFromAddr,
  revoked: true,
  ...projectOf(key),
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
