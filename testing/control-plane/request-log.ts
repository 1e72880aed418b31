/** One change that a request made. */
export type Effect =
  | { kind: "key-created"; id: number; name: string }
  | { kind: "key-revoked"; id: number; name: string }
  | { kind: "project-created" | "project-deleted"; projectId: string }
  | { kind: "branch-created" | "branch-deleted"; projectId: string; branchId: string }
  | { kind: "operation-started"; projectId: string; operationId: string; action: string };

/** One request. Never contains a secret. */
export interface LogEntry {
  /** Position in the log, starting at 1. */
  seq: number;
  /** Time of arrival by the control plane's clock (ISO 8601). */
  at: string;
  /** The HTTP method. */
  method: string;
  /** The route template, such as `/api_keys/{key_id}`, or `null` if no route matches. */
  route: string | null;
  /** The path as sent, below the base URL. */
  path: string;
  /** The query as sent, without `?`. */
  query: string;
  /** Status of the response. `null` until there is one, `"dropped"` if the client got no complete response. */
  status: number | "dropped" | null;
  /** Name of the fault that a rule used in place of the response. */
  fault: string | null;
  /** Id of the rule that applied. */
  rule: number | null;
  /** Id of the request's key, if the key was live on arrival. */
  keyId: number | null;
  /** The request id in the response. */
  requestId: string;
  /** Size of the response body that was passed to the network, in bytes. */
  bytes: number;
  /** What was committed, in order. */
  effects: Effect[];
  /** For a late effect: `seq` of the request that caused it. */
  lateOf: number | null;
  /** Time of arrival by the machine's clock, in epoch milliseconds. */
  startedAt: number;
  /** When the response was sent or dropped, by the machine's clock. `null` until then. */
  answeredAt: number | null;
}

/** Selects log entries. Omitted fields do not filter. */
export interface LogFilter {
  /** Only entries after this position. */
  since?: number;
  /** The HTTP method. */
  method?: string;
  /** The route template. */
  route?: string;
}

/** What is known about a request when it arrives. */
export type Arrival = Pick<LogEntry, "method" | "route" | "path" | "query" | "keyId" | "requestId"> & {
  /** Time of the control plane's clock. */
  now: number;
  lateOf?: number;
};

/** Number of latest entries that are always kept. The log never has more than twice as many. */
const KEPT = 50_000;
/** Maximum length of a path and of a query in an entry, in characters. */
const MAX_TEXT = 1_000;

/** The request count of one method and route. */
interface Tally extends Pick<LogEntry, "method" | "route"> {
  count: number;
}

/** The log of requests and what they committed. Tests compare results with it. Discarded entries are still counted. */
export class RequestLog {
  private entries: LogEntry[] = [];
  private tallies = new Map<string, Tally>();
  private last = 0;

  /** Adds an entry for a request that has just arrived. */
  open({ now, lateOf = 0, ...arrival }: Arrival): LogEntry {
    const entry: LogEntry = {
      seq: ++this.last,
      at: new Date(now).toISOString(),
      ...arrival,
      path: arrival.path.slice(0, MAX_TEXT),
      query: arrival.query.slice(0, MAX_TEXT),
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
    if (this.entries.length > 2 * KEPT) this.entries = this.entries.slice(-KEPT);
    this.tallyOf(entry).count += 1;
    return entry;
  }

  /** Records how a request ended. */
  close(entry: LogEntry, status: number | "dropped", bytes: number): void {
    entry.status = status;
    entry.bytes = bytes;
    entry.answeredAt = Date.now();
  }

  /** Returns the entries that match the filter, oldest first. */
  read({ since = 0, method, route }: LogFilter = {}): LogEntry[] {
    return this.entries.filter((entry) => {
      return entry.seq > since && (method ?? entry.method) === entry.method && (route ?? entry.route) === entry.route;
    });
  }

  /** Counts all requests since the start, including those whose entries were discarded. */
  count({ method, route }: Omit<LogFilter, "since"> = {}): number {
    return [...this.tallies.values()]
      .filter((each) => (method ?? each.method) === each.method && (route ?? each.route) === each.route)
      .reduce((sum, { count }) => sum + count, 0);
  }

  /** Clears the log and the counts. */
  clear(): void {
    this.entries = [];
    this.tallies.clear();
    this.last = 0;
  }

  private tallyOf({ method, route }: LogEntry): Tally {
    const name = `${method} ${route}`;
    const tally = this.tallies.get(name) ?? { method, route, count: 0 };
    this.tallies.set(name, tally);
    return tally;
  }
}
