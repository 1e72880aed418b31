/** What a key may reach: the whole account, one organization, or one project of an organization. */
export type KeyScope =
  | { kind: "account" }
  | { kind: "organization"; organizationId: string }
  | { kind: "project"; organizationId: string; projectId: string };

/** A live API key. Its secret is not kept: only the hash that authenticates it. */
export interface KeyEntity {
  id: number;
  name: string;
  /** SHA-256 of the secret, hexadecimal. */
  hash: string;
  scope: KeyScope;
  /** Epoch milliseconds by the plane's clock. */
  createdAt: number;
  lastUsedAt: number | null;
  lastUsedFromAddr: string;
}

/** A project. A deleted one is kept so that its operations can still be polled. */
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

/** An operation. Its status is not stored but follows from its times and the clock. */
export interface OperationEntity {
  id: string;
  projectId: string;
  branchId: string | null;
  endpointId: string | null;
  action: string;
  /** Birth on the clock's timeline, in epoch milliseconds. */
  bornAt: number;
  /** Birth as shown to clients, in epoch milliseconds. */
  createdAt: number;
  /** Position in the list, in epoch microseconds. */
  position: number;
  /** How long it is `scheduling`, in milliseconds. */
  schedulingMs: number;
  /** How long it is `running`, in milliseconds; `null` = until it is ended by hand. */
  runningMs: number | null;
  /** The status in which it ends: any text. */
  outcome: string;
}
