import type { FailedOperation, PendingOperation } from "../errors";

/** An API key of the account, as the service lists it; never its secret. */
export interface ApiKeyRecord {
  /** The key's id: decimal text. */
  readonly id: string;
  /** The name that it was made with. */
  readonly name: string;
  /** ISO 8601 time of creation. */
  readonly createdAt: string;
  /** ISO 8601 time of the last use; `null` if it was never used. */
  readonly lastUsedAt: string | null;
  /** Address of the last use; `null` if it was never used. */
  readonly lastUsedFromAddr: string | null;
  /** Who made it, where the service tells. */
  readonly createdBy?: string;
  /** The project that the key is limited to; only in the list of an organization. */
  readonly projectId?: string;
}

/** A key just made, with its secret, which the service shows only here. */
export interface CreatedKey {
  readonly id: string;
  /** The secret. */
  readonly key: string;
  readonly name: string;
  /** ISO 8601 time of creation: the answer's field, else the answer's `Date` header. */
  readonly createdAt: string;
  /** Operations that the creation has started; usually none. */
  readonly operations: readonly Operation[];
}

/** An action of the control plane on an object of a project. */
export interface Operation {
  /** UUID. */
  readonly id: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The branch that it is done to, where there is one. */
  readonly branchId?: string;
  /** The compute endpoint that it is done to, where there is one. */
  readonly endpointId?: string;
  /** Kind of operation, e.g. `start_compute`; the service may add kinds at any time. */
  readonly action: string;
  /** E.g. `scheduling`, `running`, `finished`, `failed`; the service may add more at any time. */
  readonly status: string;
  /** How often it was tried in vain. */
  readonly failuresCount: number;
  /** ISO 8601 time. */
  readonly createdAt: string;
  /** ISO 8601 time. */
  readonly updatedAt: string;
}

/** A project of the account. */
export interface Project {
  /** The project's id. */
  readonly id: string;
  /** Its name; several projects may have one. */
  readonly name: string;
  /** The cloud that it runs on. */
  readonly platformId?: string;
  /** The region that it runs in. */
  readonly regionId?: string;
  /** What runs its computes. */
  readonly provisioner?: string;
  /** The major version of Postgres. */
  readonly pgVersion?: number;
  /** Whether an operation on it is under way. */
  readonly locked?: boolean;
  /** CPU time used in this billing period, in seconds. */
  readonly cpuUsedSec?: number;
  /** ISO 8601 time. */
  readonly createdAt: string;
  /** ISO 8601 time. */
  readonly updatedAt: string;
  /** The host that its connections go through. */
  readonly proxyHost?: string;
  /** In MiB. */
  readonly branchLogicalSizeLimit?: number;
  /** The organization that it belongs to. */
  readonly orgId?: string;
}

/** Names one operation. */
export interface OperationRef {
  readonly projectId: string;
  readonly id: string;
}

/** Where a wait stands. */
export interface WaitProgress {
  /** For people: `waiting for start_compute (running, 12 s)`. */
  readonly text: string;
  /** What has not ended yet. */
  readonly pending: readonly PendingOperation[];
  /** Time since the wait began, in milliseconds. */
  readonly elapsedMs: number;
  /** How often the service was asked so far. */
  readonly polls: number;
  /** How many of these could not be answered. */
  readonly errors: number;
}

/** Options of every read. */
export interface ReadOptions {
  /** Ends the call; nothing is sent afterwards. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of every wait. */
export interface WaitOptions extends ReadOptions {
  /** Longest time to wait, in milliseconds. @default the account's `operationTimeoutMs` */
  readonly timeoutMs?: number | undefined;
  /** Time between two looks, in milliseconds. @default the account's `pollIntervalMs` */
  readonly pollIntervalMs?: number | undefined;
  /** Called after every poll that has left something pending. */
  readonly onProgress?: ((progress: WaitProgress) => void) | undefined;
  /** Called once for every status that this version does not know. @default the account's `onWarning` */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Options of waiting for named operations. */
export interface WaitOperationsOptions extends WaitOptions {
  /** Whether the first failure ends the wait, or only the last operation does. @default true */
  readonly failFast?: boolean | undefined;
}

/** Options of waiting until a project has no pending operation. */
export interface WaitIdleOptions extends WaitOptions {
  /** Kinds of operation that do not count. @default the platform's own background work */
  readonly ignoreActions?: readonly string[] | undefined;
  /** How far back, in milliseconds, to look for pending operations. @default 24 hours */
  readonly horizonMs?: number | undefined;
}

/** What a wait until idle has found. */
export interface IdleResult {
  /** Operations that were pending when the wait began, or came during it, and have since ended well. */
  readonly waitedFor: readonly Operation[];
  /** Time spent, in milliseconds. */
  readonly elapsedMs: number;
  /** How often the service was asked. */
  readonly polls: number;
}

export type { FailedOperation, PendingOperation };
