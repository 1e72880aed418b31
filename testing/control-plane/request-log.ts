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

/** So many entries are always kept, the latest; there are never more than twice as many. */
const KEPT = 50_000;
/** Longest path and longest query in an entry, in characters. */
const MAX_TEXT = 1_000;

/** Requests of one method and one route. */
interface Tally extends Pick<LogEntry, "method" | "route"> {
  count: number;
}

/** The log of requests with what they committed: the ground truth of tests. What it forgets is still counted. */
export class RequestLog {
  private entries: LogEntry[] = [];
  private tallies = new Map<string, Tally>();
  private last = 0;

  /** Appends the entry of a request that has just arrived. */
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

  /** Notes how a request ended. */
  close(entry: LogEntry, status: number | "dropped", bytes: number): void {
    entry.status = status;
    entry.bytes = bytes;
    entry.answeredAt = Date.now();
  }

  /** The entries that pass the filter, oldest first. */
  read({ since = 0, method, route }: LogFilter = {}): LogEntry[] {
    return this.entries.filter((entry) => {
      return entry.seq > since && (method ?? entry.method) === entry.method && (route ?? entry.route) === entry.route;
    });
  }

  /** How many requests came since the beginning, also those whose entries are gone. */
  count({ method, route }: Omit<LogFilter, "since"> = {}): number {
    return [...this.tallies.values()]
      .filter((each) => (method ?? each.method) === each.method && (route ?? each.route) === each.route)
      .reduce((sum, { count }) => sum + count, 0);
  }

  /** Forgets everything. */
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
