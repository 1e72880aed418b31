import type { OperationRef } from "../provider/api";

/**
 * Whose work is measured: keyplane's, called in the same process or through Pulumi's host over gRPC; the fewest raw
 * requests that the service allows; or a first attempt's.
 */
export type Variant = "keyplane" | "host" | "floor" | "naive";

/** One measurement, which runs in its own process. */
export interface Task {
  readonly scenario: string;
  readonly variant: Variant;
  /** Number of keys, operations or calls. */
  readonly n: number;
  readonly url: string;
  readonly apiKey: string;
  /** Operations to wait for, or the project whose operations are listed. */
  readonly operations: readonly OperationRef[];
  /** Time between two polls of an operation, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Whether to measure memory instead of time. Measuring memory takes time. */
  readonly memory: boolean;
}

/** The result of a measurement. */
export interface Measured {
  readonly ms: number;
  /** Growth of the used heap from the first page of a list to its end, in bytes. */
  readonly heapGrowth?: number;
}

/** The work to measure. `end` cleans up after it. */
export type Work = (() => Promise<unknown>) & { readonly end?: () => Promise<void> };

/** Prepares everything before the measured time. */
export type Prepare = (task: Task) => Promise<Work>;

/** Maximum number of concurrent requests, which is keyplane's default. */
export const CONCURRENCY = 32;
