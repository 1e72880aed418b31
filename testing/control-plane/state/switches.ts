import type { TiedOperations } from "./operations";

/** What the service makes of the project that a key of an organization is to be limited to. */
export type ProjectKeys = (typeof projectKeys)[number];

export const projectKeys = ["limited", "ignored", "null", "another", "unsaid"] as const;

/** Behavior that the service's description leaves open. Tests can set it either way. */
export interface Switches {
  /** Whether a new key cannot have the name of a live key (409). @default true */
  uniqueNames: boolean;
  /** How operations with the same creation time are paged. @default "unique" */
  tiedOperations: TiedOperations;
  /** Whether a last page that is not empty has a cursor, as on the public service. @default true */
  cursorOnLastPage: boolean;
  /** Whether account keys must name an organization to list or create projects (400). @default false */
  organizationRequired: boolean;
  /**
   * What becomes of the `project_id` of a new key. `limited`: the key is limited to the project, and every answer says so.
   * `ignored`: the key is one of the whole organization, as only the list says. `null`: the same, and the answer to the
   * creation says so, too. `another`: the key is limited to another project, also if none was requested. `unsaid`: the key
   * is limited to the project, but no answer says so. @default "limited"
   */
  projectKeys: ProjectKeys;
  /** Whether a project with a pending operation rejects changes (423). @default false */
  lockBusyProjects: boolean;
  /** Whether more than 40 requests a second per route, or 700 a minute in total, are rejected (429). @default false */
  rateLimits: boolean;
  /**
   * The shortest time between two uses of a key that are recorded, in milliseconds: `last_used_at` can be late by this.
   * @default 0: each use is recorded
   */
  lastUsedThrottleMs: number;
  /** How long after a use answers show it, in milliseconds. @default 0 */
  lastUsedDelayMs: number;
}

/** The default switches. */
export const defaultSwitches: Switches = {
  uniqueNames: true,
  tiedOperations: "unique",
  cursorOnLastPage: true,
  organizationRequired: false,
  projectKeys: "limited",
  lockBusyProjects: false,
  rateLimits: false,
  lastUsedThrottleMs: 0,
  lastUsedDelayMs: 0,
};
