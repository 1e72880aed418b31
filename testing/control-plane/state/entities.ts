/** What a key may access: the whole account, one organization, or one project of an organization. */
export type KeyScope =
  | { kind: "account" }
  | { kind: "organization"; organizationId: string }
  | { kind: "project"; organizationId: string; projectId: string };

/** A live API key. The secret is not stored, only the hash that authenticates it. */
export interface KeyEntity {
  id: number;
  name: string;
  /** SHA-256 of the secret, hexadecimal. */
  hash: string;
  scope: KeyScope;
  /** Epoch milliseconds of the control plane's clock. */
  createdAt: number;
  lastUsedAt: number | null;
  lastUsedFromAddr: string;
  /** Uses that no answer shows yet, oldest first. */
  hiddenUses?: { lastUsedAt: number; lastUsedFromAddr: string }[];
}

/** A project. Deleted projects are kept so that their operations can still be polled. */
export interface ProjectEntity {
  id: string;
  name: string;
  organizationId: string;
  regionId: string;
  pgVersion: number;
  createdAt: number;
  updatedAt: number;
  deleted: boolean;
}

/** A branch of a project. */
export interface BranchEntity {
  id: string;
  projectId: string;
  name: string;
  parentId: string | null;
  createdAt: number;
}

/** A compute endpoint of a branch. */
export interface EndpointEntity {
  id: string;
  projectId: string;
  branchId: string;
  suspended: boolean;
  createdAt: number;
}

/** An operation. Its status is not stored. It is calculated from its times and the clock. */
export interface OperationEntity {
  id: string;
  projectId: string;
  branchId: string | null;
  endpointId: string | null;
  action: string;
  /** Creation time on the clock's timeline, in epoch milliseconds. */
  bornAt: number;
  /** Creation time as shown to clients, in epoch milliseconds. */
  createdAt: number;
  /** Position in the list, in epoch microseconds. */
  position: number;
  /** Time in `scheduling`, in milliseconds. */
  schedulingMs: number;
  /** Time in `running`, in milliseconds. `null` means until a test ends it. */
  runningMs: number | null;
  /** The status in which it ends: any text. */
  outcome: string;
}
