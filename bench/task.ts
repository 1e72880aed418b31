/** What is measured. */
export type FunctionName = "create" | "refresh" | "rotate" | "retire" | "destroy";

/** One measurement, which runs in its own process. */
export interface Task {
  readonly name: FunctionName;
  /** Whose work it is: keyplane's, or the fewest requests that the service allows, sent by undici alone. */
  readonly client: "keyplane" | "bare";
  /** Number of keys. */
  readonly n: number;
  readonly url: string;
  readonly apiKey: string;
}

/** Prepares what each function needs, and returns the work to measure. */
export type Client = Readonly<Record<FunctionName, (task: Task) => Promise<() => Promise<unknown>>>>;

/** Maximum number of concurrent requests, which is keyplane's default. */
export const CONCURRENCY = 32;
