import type { ClockReading, ClockSettings } from "./clock";
import type { HeldRequest } from "./faults/held";
import type { HeldRule, Rule } from "./faults/rule";
import type { LogEntry, LogFilter } from "./request-log";
import type { OperationCourse } from "./state/operations";
import type { ProjectSeed } from "./state/projects";
import type { StateSnapshot } from "./state/state";
import type { Switches } from "./state/switches";

/** A live key. */
export interface LiveKey {
  /** The key's id. */
  id: number;
  /** The key's name. */
  name: string;
  /** Creation time: ISO 8601, whole seconds. */
  createdAt: string;
  /** Time of last use: ISO 8601, whole seconds. `null` if the key was never used. */
  lastUsedAt: string | null;
  /** The organization that owns the key. Absent for account keys. */
  organizationId?: string;
  /** The project that the key is limited to. */
  projectId?: string;
}

/** Operations to start directly, without an API request. */
export interface StartedOperations extends OperationCourse {
  /** The project that the operations belong to. */
  projectId: string;
  /** Kind of the operations. @default "start_compute" */
  action?: string;
  /** Number of operations. @default 1 */
  count?: number;
  /** Age of the newest operation, in milliseconds. @default 0 */
  ageMs?: number;
  /** Milliseconds between the creation times of two operations. 0 creates them at the same time. @default 0 */
  gapMs?: number;
}

/** A control plane in this process or in another one: what tests can set and read in addition to its API. */
export interface ControlPlane {
  /** The base URL, which ends in `/api/v2`. */
  readonly url: string;
  /** The URL of the control endpoints, which ends in `/_control`. They need no key. */
  readonly controlUrl: string;
  /** The secret of the admin key. Empty if the control plane runs in another process and does not reveal it. */
  readonly apiKey: string;

  /** Returns the latest requests and what they committed, oldest first: all of them, or at least the last 50 000. */
  log(filter?: LogFilter): Promise<LogEntry[]>;
  /**
   * Counts all requests since the start. Optionally only those with a method and a route template (`"DELETE",
   * "/api_keys/{key_id}"`).
   */
  count(method?: string, route?: string): Promise<number>;
  /** Returns all live keys except the admin key, newest first. */
  liveKeys(): Promise<LiveKey[]>;
  /**
   * Returns every secret created in the control plane's process, the admin key's first. Use it to search files for
   * secrets. The admin key's secret is omitted if the control plane does not reveal it.
   */
  secretsEverIssued(): Promise<string[]>;

  /** Rules that break, delay or replace responses. */
  readonly rules: {
    /** Adds a rule. Returns the rule with its id. */
    add(rule: Rule): Promise<HeldRule>;
    /** Returns all rules, including used-up ones, with how often each was applied. */
    list(): Promise<HeldRule[]>;
    /** Removes one rule. */
    remove(id: number): Promise<void>;
    /** Removes all rules. */
    clear(): Promise<void>;
  };

  /** Requests that rules hold. */
  readonly held: {
    /** Returns the held requests, oldest first. */
    list(): Promise<HeldRequest[]>;
    /** Waits until at least `atLeast` requests are held. Throws if there are fewer after `timeoutMs` (default 10 s). */
    wait(atLeast?: number, timeoutMs?: number): Promise<HeldRequest[]>;
    /** Releases all held requests, or the one with this `seq`. */
    release(seq?: number): Promise<HeldRequest[]>;
    /** Drops all held requests, or one. A dropped request gets no response, and no effect if it had none yet. */
    drop(seq?: number): Promise<HeldRequest[]>;
  };

  /** Commits all pending late effects now. Returns how many. */
  commitLate(): Promise<number>;

  /** The control plane's clock. */
  readonly clock: {
    /** Returns the clock's settings and current readings. */
    read(): Promise<ClockReading>;
    /** Moves the clock ahead. */
    advance(ms: number): Promise<ClockReading>;
    /** Changes the mode, the step or the offset. */
    set(settings: Partial<ClockSettings>): Promise<ClockReading>;
  };

  /** The content of the account. Tests can read and change it directly, without API requests. */
  readonly state: {
    /** Returns the whole state as the data file stores it. */
    read(): Promise<StateSnapshot>;
    /** Creates a key directly. */
    createKey(name: string): Promise<{ id: number; key: string }>;
    /** Revokes a key directly. */
    revokeKey(id: number | string): Promise<void>;
    /** Marks a key as used now, or `agoMs` earlier, from an address (default `192.0.2.1`). */
    useKey(id: number | string, agoMs?: number, address?: string): Promise<void>;
    /** Creates a project whose first operations have ended. Returns its id. */
    createProject(seed?: ProjectSeed): Promise<{ id: string }>;
    /** Starts operations. Returns their ids, oldest first. */
    startOperations(operations: StartedOperations): Promise<{ ids: string[] }>;
    /** Ends an operation now, whatever its configured course. */
    endOperation(id: string, outcome?: string): Promise<void>;
    /** Changes behavior that the service's description leaves open. */
    switch(switches: Partial<Switches>): Promise<Switches>;
  };

  /** Refuses new connections and drops open ones, for `ms` milliseconds of real time or until `accept`. */
  refuse(ms?: number): Promise<void>;
  /** Accepts connections again. */
  accept(): Promise<void>;

  /** Restores the initial state: the seed, no rules, an empty log, and the initial clock. */
  reset(): Promise<void>;
  /** Stops the control plane if it runs in this process. Otherwise only disconnects from it. */
  close(): Promise<void>;
}
