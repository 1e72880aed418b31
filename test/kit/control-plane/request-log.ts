/** What one request changed. */
export type Effect =
  | { kind: "key-created"; id: number; name: string }
  | { kind: "key-revoked"; id: number; name: string }
  | { kind: "project-created" | "project-deleted"; projectId: string }
  | { kind: "branch-created" | "branch-deleted"; projectId: string; branchId: string }
  | { kind: "operation-started"; projectId: string; operationId: string; action: string };

/** One request as the plane saw it. Never holds a secret. */
export interface LogEntry {
  /** Position in the log, from 1. */
  seq: number;
  /** Time of arrival by the plane's clock (ISO 8601). */
  at: string;
  /** The HTTP method. */
  method: string;
  /** The route's template, such as `/api_keys/{key_id}`; `null` where no route is served there. */
  route: string | null;
  /** The path as sent, below the base URL. */
  path: string;
  /** The query as sent, without `?`. */
  query: string;
  /** Status of the answer; `null` while there is none yet; `"dropped"` where the client got no complete answer. */
  status: number | "dropped" | null;
  /** Name of the fault that a rule put in place of the answer. */
  fault: string | null;
  /** Id of the rule that applied. */
  rule: number | null;
  /** Id of the key that the request carried, if it was live on arrival. */
  keyId: number | null;
  /** The id that the answer carried. */
  requestId: string;
  /** Size of the answer's body that was handed to the network. */
  bytes: number;
  /** What was committed, in order. */
  effects: Effect[];
  /** For an effect that was committed late: `seq` of the request that asked for it. */
  lateOf: number | null;
  /** Arrival by the machine's clock, in epoch milliseconds. */
  startedAt: number;
  /** When the answer was handed over, or dropped, by the machine's clock; `null` while there is none. */
  answeredAt: number | null;
}

/** Which entries to read; what is not given does not narrow. */
export interface LogFilter {
  /** Only entries after this position. */
  since?: number;
  /** The HTTP method. */
  method?: string;
  /** The route's template. */
  route?: string;
}

/** What is known of a request when it arrives. */
export type Arrival = Pick<LogEntry, "method" | "route" | "path" | "query" | "keyId" | "requestId"> & {
  /** Time by the plane's clock. */
  now: number;
  lateOf?: number;
};

/** The append-only log of every request with what it committed: the ground truth of tests. */
export class RequestLog {
  private entries: LogEntry[] = [];

  /** Appends the entry of a request that has just arrived. */
  open({ now, lateOf = 0, ...arrival }: Arrival): LogEntry {
    const entry: LogEntry = {
      seq: this.entries.length + 1,
      at: new Date(now).toISOString(),
      ...arrival,
      status: null,
      fault: null,
      rule: null,
      bytes: 0,
      effects: [],
      lateOf: lateOf === 0 ? null : lateOf,
      startedAt: Date.now(),
      answeredAt: null,
    };
    this.entries.push(entry);
    return entry;
  }

  /** Notes how a request ended. */
  close(entry: LogEntry, status: number | "dropped", bytes: number): void {
    entry.status = status;
    entry.bytes = bytes;
    entry.answeredAt = Date.now();
  }

  /** The entries that pass the filter, oldest first. */
  read({ since = 0, method, route }: LogFilter = {}): LogEntry[] {
    return this.entries
      .slice(since)
      .filter((entry) => (method ?? entry.method) === entry.method && (route ?? entry.route) === entry.route);
  }

  /** Forgets everything. */
  clear(): void {
    this.entries = [];
  }
}
