import type { TiedOperations } from "./operations";

/** What the description of the service leaves open, to be set either way. */
export interface Switches {
  /** Whether a live key's name may not be given again (409). @default true */
  uniqueNames: boolean;
  /** How operations born together are paged. @default "unique" */
  tiedOperations: TiedOperations;
  /** Whether a last page that is not empty still carries a cursor, as the public service's does. @default true */
  cursorOnLastPage: boolean;
  /** Whether account keys must name an organization to list or make projects (400). @default false */
  organizationRequired: boolean;
  /** Whether a project with an operation under way refuses changes (423). @default false */
  lockBusyProjects: boolean;
  /** Whether more than 40 requests a second on a route, or 700 a minute in all, are refused (429). @default false */
  rateLimits: boolean;
}

/** The switches as they are where nothing is said. */
export const defaultSwitches: Switches = {
  uniqueNames: true,
  tiedOperations: "unique",
  cursorOnLastPage: true,
  organizationRequired: false,
  lockBusyProjects: false,
  rateLimits: false,
};
