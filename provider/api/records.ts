import type { PendingOperation } from "../errors";

/** An API key of the account, as the service lists it; never its secret. */
export interface ApiKeyRecord {
  /** The key's id: decimal text. */
  readonly id: string;
  /** The name that it was created with. */
  readonly name: string;
  /** ISO 8601 time of creation. */
  readonly createdAt: string;
  /** ISO 8601 time of the last use; `null` if it was never used. */
  readonly lastUsedAt: string | null;
  /** Address of the last use; `null` if it was never used. */
  readonly lastUsedFromAddr: string | null;
  /** Who created it, if the service provides it. */
  readonly createdBy?: string;
  /**
   * The project that the key is limited to; `null` for a key of a whole organization. Absent if the service does not say,
   * as for an account's own keys.
   */
  readonly projectId?: string | null;
}

/** A new key with its secret, which the service shows only once. */
export interface CreatedKey extends Pick<ApiKeyRecord, "id" | "name" | "projectId"> {
  /** The secret. */
  readonly key: string;
  /** ISO 8601 time of creation, from the answer's field or else from its `Date` header. */
  readonly createdAt: string;
  /** Operations that the creation started; usually none. */
  readonly operations: readonly Operation[];
}

/** An action of the control plane on a part of a project. */
export interface Operation {
  /** The operation's id, a UUID. */
  readonly id: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The branch that it acts on, if any. */
  readonly branchId?: string;
  /** The compute endpoint that it acts on, if any. */
  readonly endpointId?: string;
  /** Kind of operation, e.g. `start_compute`; the service may add kinds at any time. */
  readonly action: string;
  /** E.g. `scheduling`, `running`, `finished`, `failed`; the service may add more at any time. */
  readonly status: string;
  /** Number of failed attempts. */
  readonly failuresCount: number;
  /** When it was created, as an ISO 8601 time. */
  readonly createdAt: string;
  /** When it last changed, as an ISO 8601 time. */
  readonly updatedAt: string;
}

/** A project of the account. */
export interface Project {
  /** The project's id. */
  readonly id: string;
  /** Its name, which need not be unique. */
  readonly name: string;
  /** The cloud that it runs on. */
  readonly platformId?: string;
  /** The region that it runs in. */
  readonly regionId?: string;
  /** The system that runs its computes. */
  readonly provisioner?: string;
  /** The major version of Postgres. */
  readonly pgVersion?: number;
  /** Whether an operation on it is in progress. */
  readonly locked?: boolean;
  /** CPU time used in this billing period, in seconds. */
  readonly cpuUsedSec?: number;
  /** When it was created, as an ISO 8601 time. */
  readonly createdAt: string;
  /** When it last changed, as an ISO 8601 time. */
  readonly updatedAt: string;
  /** The host for its connections. */
  readonly proxyHost?: string;
  /** The maximum logical size of a branch, in MiB. */
  readonly branchLogicalSizeLimit?: number;
  /** The organization that it belongs to. */
  readonly orgId?: string;
}

/** Identifies one operation. */
export type OperationRef = Pick<Operation, "projectId" | "id">;

/** The progress of a wait. */
export interface WaitProgress {
  /** Readable text: `waiting for start_compute (running, 12 s)`. */
  readonly text: string;
  /** Operations that have not ended. */
  readonly pending: readonly PendingOperation[];
  /** Time since the wait began, in milliseconds. */
  readonly elapsedMs: number;
  /** Number of polls so far. */
  readonly polls: number;
  /** Number of these polls that failed. */
  readonly errors: number;
}

/** Options of every read. */
export interface ReadOptions {
  /** Cancels the call. Nothing is sent afterwards. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of every wait. */
export interface WaitOptions extends ReadOptions {
  /** Maximum time to wait, in milliseconds. @default the account's `operationTimeoutMs` */
  readonly timeoutMs?: number | undefined;
  /** Time between two polls, in milliseconds. @default the account's `pollIntervalMs` */
  readonly pollIntervalMs?: number | undefined;
  /** Called after every poll that leaves operations pending. */
  readonly onProgress?: ((progress: WaitProgress) => void) | undefined;
  /** Called once for every status that this version does not know. @default the account's `onWarning` */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Options of waiting until a project has no pending operation. */
export interface WaitIdleOptions extends WaitOptions {
  /** Kinds of operation to ignore. @default the platform's background work */
  readonly ignoreActions?: readonly string[] | undefined;
  /** How far back, in milliseconds, to look for pending operations. @default 24 hours */
  readonly horizonMs?: number | undefined;
}
