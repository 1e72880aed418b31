import { timestamp } from "../clock";
import type { KeyEntity } from "../state/entities";
import type { State } from "../state/state";

const user = "3e6f1d84-52c7-4b0e-a9d1-6a7c8f20b513";

const orNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms));

const projectOf = ({ scope }: KeyEntity) => (scope.kind === "project" ? { project_id: scope.projectId } : {});

/** A key in a list. */
export const listedKey = (key: KeyEntity) => ({
  id: key.id,
  name: key.name,
  created_at: timestamp(key.createdAt),
  created_by: { id: user, name: "Local User", image: "" },
  last_used_at: orNull(key.lastUsedAt),
  last_used_from_addr: key.lastUsedFromAddr,
  ...projectOf(key),
});

/** A key that was just made: the only answer that holds its secret. */
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

/** The user to whom the account belongs. */
export const currentUser = (state: State) => ({
  id: user,
  login: "local",
  name: "Local",
  last_name: "User",
  email: "local@example.invalid",
  image: "",
  plan: "free",
  projects_limit: 100,
  branches_limit: 500,
  billing_account: { id: state.accountId },
});
