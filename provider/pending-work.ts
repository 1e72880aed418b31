/** Work that must end before an existing key is ready. */
export interface PendingWork {
  /** An operation's action such as `start_compute`, or `verify` for a new key's test call. */
  readonly action: string;
  /** The project of an operation. */
  readonly projectId?: string;
  /** The operation's id. */
  readonly operationId?: string;
  /** Set if the work has failed. The next `up` then replaces the key. */
  readonly status?: "failed";
}
