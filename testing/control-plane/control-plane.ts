import type { ClockReading, ClockSettings } from "./clock";
import type { HeldRequest } from "./faults/held";
import type { HeldRule, Rule } from "./faults/rule";
import type { LogEntry, LogFilter } from "./request-log";
import type { OperationCourse } from "./state/operations";
import type { ProjectSeed } from "./state/projects";
import type { StateSnapshot } from "./state/state";
import type { Switches } from "./state/switches";

/** A live key as tests see it. */
export interface LiveKey {
  /** The key's id. */
  id: number;
  /** The name that it was made with. */
  name: string;
  /** ISO 8601, whole seconds. */
  createdAt: string;
  /** ISO 8601, whole seconds; `null` if never used. */
  lastUsedAt: string | null;
  /** The organization whose key it is; absent for a key of the account. */
  organizationId?: string;
  /** The project that the key is limited to. */
  projectId?: string;
}

/** Operations to be started behind the service's back. */
export interface StartedOperations extends OperationCourse {
  /** The project that they belong to. */
  projectId: string;
  /** @default "start_compute" */
  action?: string;
  /** How many. @default 1 */
  count?: number;
  /** How long ago the newest was born, in milliseconds. @default 0 */
  ageMs?: number;
  /** Milliseconds between the births of two of them; 0 = born together. @default 0 */
  gapMs?: number;
}

/** A control plane, in this process or another: what tests set and see beside its API. */
export interface ControlPlane {
  /** The base URL, ending in `/api/v2`. */
  readonly url: string;
  /** Where the control endpoints are, ending in `/_control`. They need no key. */
  readonly controlUrl: string;
  /** The secret of the admin key; empty where the plane runs in another process, which keeps it to itself. */
  readonly apiKey: string;

  /** The latest requests, oldest first, with what they committed: all, or the last 50 000 at least. */
  log(filter?: LogFilter): Promise<LogEntry[]>;
  /** How many requests came since the beginning, of a method and a route's template (`"DELETE", "/api_keys/{key_id}"`) if given. */
  count(method?: string, route?: string): Promise<number>;
  /** All live keys except the admin key, newest first. */
  liveKeys(): Promise<LiveKey[]>;
  /**
   * Every secret that came into being in the plane's process, the admin key's first: to search files for them. The admin
   * key's is left out where the plane keeps it to itself.
   */
  secretsEverIssued(): Promise<string[]>;

  /** Rules that break or delay answers, or put others in their place. */
  readonly rules: {
    /** Adds a rule and answers it with its id. */
    add(rule: Rule): Promise<HeldRule>;
    /** All rules, also spent ones, with how often they struck. */
    list(): Promise<HeldRule[]>;
    /** Removes one rule. */
    remove(id: number): Promise<void>;
    /** Removes all rules. */
    clear(): Promise<void>;
  };

  /** Requests that rules have parked. */
  readonly held: {
    /** The requests that rules have parked, oldest first. */
    list(): Promise<HeldRequest[]>;
    /** Waits until at least so many are parked; throws when there are fewer after `timeoutMs` (default 10 s). */
    wait(atLeast?: number, timeoutMs?: number): Promise<HeldRequest[]>;
    /** Lets all parked requests go on, or the one with this `seq`. */
    release(seq?: number): Promise<HeldRequest[]>;
    /** Drops all parked requests, or one: no effect if there was none yet, no answer. */
    drop(seq?: number): Promise<HeldRequest[]>;
  };

  /** Commits at once what waits to be committed late; answers how many. */
  commitLate(): Promise<number>;

  /** The plane's clock, which tests drive. */
  readonly clock: {
    /** What time it is, and how the clock goes. */
    read(): Promise<ClockReading>;
    /** Moves the clock ahead. */
    advance(ms: number): Promise<ClockReading>;
    /** Changes mode, step or offset. */
    set(settings: Partial<ClockSettings>): Promise<ClockReading>;
  };

  /** What is in the account, to be read and changed behind everybody's back. */
  readonly state: {
    /** The whole state, as the data file keeps it. */
    read(): Promise<StateSnapshot>;
    /** Makes a key behind everybody's back. */
    createKey(name: string): Promise<{ id: number; key: string }>;
    /** Revokes a key behind everybody's back. */
    revokeKey(id: number | string): Promise<void>;
    /** Marks a key as used just now, or `agoMs` before, from an address (default `192.0.2.1`). */
    useKey(id: number | string, agoMs?: number, address?: string): Promise<void>;
    /** Makes a project whose first operations have ended; answers its id. */
    createProject(seed?: ProjectSeed): Promise<{ id: string }>;
    /** Starts operations; answers their ids, oldest first. */
    startOperations(operations: StartedOperations): Promise<{ ids: string[] }>;
    /** Ends an operation now, whatever its course was. */
    endOperation(id: string, outcome?: string): Promise<void>;
    /** Changes what the description of the service leaves open. */
    switch(switches: Partial<Switches>): Promise<Switches>;
  };

  /** Refuses new connections and drops the open ones, for so many milliseconds of real time or until `accept`. */
  refuse(ms?: number): Promise<void>;
  /** Takes connections again. */
  accept(): Promise<void>;

  /** Goes back to the beginning: the seed, no rules, no log, a clock as at first. */
  reset(): Promise<void>;
  /** Stops the plane if it runs in this process; else only forgets it. */
  close(): Promise<void>;
}
