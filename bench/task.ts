import type { OperationRef } from "../provider/api";

/**
 * Whose work is measured: keyplane's, called in the same process or through Pulumi's host over gRPC; raw requests, as
 * few as the service allows; or a first attempt's.
 */
export type Variant = "keyplane" | "host" | "floor" | "naive";

/** One measurement, for a process of its own. */
export interface Task {
  readonly scenario: string;
  readonly variant: Variant;
  /** How many keys, operations or calls. */
  readonly n: number;
  readonly url: string;
  readonly apiKey: string;
  /** Operations that are waited for, or the project whose operations are listed. */
  readonly operations: readonly OperationRef[];
  /** Time between two looks at an operation, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Whether to measure memory, which takes time, instead of time. */
  readonly memory: boolean;
}

/** What was measured. */
export interface Measured {
  readonly ms: number;
  /** By how much the heap in use grew from the first page of a list to its end, in bytes. */
  readonly heapGrowth?: number;
}

/** The work that is measured; `end` tidies up after it. */
export type Work = (() => Promise<unknown>) & { readonly end?: () => Promise<void> };

/** Gets everything ready, outside of the measured time. */
export type Prepare = (task: Task) => Promise<Work>;

/** Requests in flight at most: keyplane's default. */
export const CONCURRENCY = 32;
