import { isApiError, KeyplaneError } from "../../errors";
import type { HttpClient } from "../../http";
import { checkId } from "../../ids";
import { counted } from "../../text";
import { Collected } from "../collected";
import { PageSize, paginate } from "../paging";
import type { Project, ReadOptions } from "../records";
import { type ProjectPage, readProjectPage, readSingleProject } from "./read-projects";

const ROUTE = "GET /projects";

const GET = "GET /projects/{project_id}";

interface ProjectsOptions extends ReadOptions {
  /** Only projects of this organization. @default all that the credential can access without naming one */
  readonly organizationId?: string | undefined;
}

interface ListProjectsOptions extends ProjectsOptions {
  /** Called if the service could not read some projects in time. @default the account's `onWarning` */
  readonly onWarning?: ((message: string) => void) | undefined;
}

export class Projects {
  // The public service allows up to 400, and returns 10 by default.
  readonly #size = new PageSize([400, 100, 10, undefined]);

  constructor(
    private readonly http: HttpClient,
    private readonly warn: (message: string) => void,
  ) {}

  /**
   * The projects page by page (`GET /projects`). Holds one page in memory. Throws `KP-INPUT` if the service requires an
   * organization and none is given.
   */
  pages({ organizationId, signal }: ProjectsOptions = {}): AsyncGenerator<ProjectPage, void, undefined> {
    const org_id = organizationId && checkId("organization", organizationId, "organizationId");
    return paginate<Project, ProjectPage>({
      route: ROUTE,
      size: this.#size,
      idOf: (project) => project.id,
      fetch: async (cursor, limit) => {
        const query = { org_id, cursor, limit };
        const request = { method: "GET", route: ROUTE, path: "/projects", query, replay: "safe", signal } as const;
        try {
          return readProjectPage(ROUTE, await this.http.request(request));
        } catch (error) {
          throw (organizationId === undefined && lacksOrganization(error)) || error;
        }
      },
    });
  }

  /** All projects. Warns if the service could not read some of them in time. */
  async list(options: ListProjectsOptions = {}): Promise<Project[]> {
    const collected = new Collected(ROUTE);
    const projects: Project[] = [];
    const unavailable: string[] = [];
    for await (const page of this.pages(options)) {
      for (const each of collected.take(page.items)) projects.push(each);
      for (const each of collected.take(page.unavailable)) unavailable.push(each);
    }
    if (unavailable.length > 0) {
      const warn = options.onWarning ?? this.warn;
      warn(
        `${ROUTE} is incomplete: the service could not read ${counted(unavailable.length, "project")}: ${some(unavailable)}`,
      );
    }
    return projects;
  }

  /**
   * One project (`GET` on its id), or undefined if the account or the organization has none with that id. If the service
   * has no such call, reads the list up to the page that contains it. Returns `unavailable` if the service could not read
   * the project for the list in time, because the project may exist.
   */
  async get(id: string, options: ProjectsOptions = {}): Promise<Project | "unavailable" | undefined> {
    const path = `/projects/${checkId("project", id, "id")}`;
    const { organizationId, signal } = options;
    try {
      const answer = await this.http.request({ method: "GET", route: GET, path, replay: "safe", signal });
      const project = readSingleProject(GET, answer, id);
      const isElsewhere = organizationId !== undefined && (project.orgId ?? organizationId) !== organizationId;
      return isElsewhere ? undefined : project;
    } catch (error) {
      if (isUnknownProject(error)) return undefined;
      if (!hasNoRoute(error)) throw error;
    }
    let unavailable = false;
    for await (const page of this.pages(options)) {
      const project = page.items.find((each) => each.id === id);
      if (project !== undefined) return project;
      unavailable ||= page.unavailable.includes(id);
    }
    return unavailable ? "unavailable" : undefined;
  }
}

/** The service's message if projects belong to organizations, and a personal key names none. */
const ORGANIZATION_MISSING = [/\borg(anization)?_?id\b/i, /\b(required|missing)\b/i] as const;

/** The error that names the argument that is missing; undefined for another refusal. */
function lacksOrganization(error: unknown): KeyplaneError | undefined {
  if (!isApiError(error) || !ORGANIZATION_MISSING.every((part) => part.test(error.serviceMessage))) return undefined;
  return new KeyplaneError(
    "KP-INPUT",
    "organizationId: is missing, and this account's projects belong to organizations. Set it to the id in the settings of " +
      `the organization. ${error.message}`,
    error,
  );
}

/** Whether the service has looked for the project, and found none. */
function isUnknownProject(error: unknown): boolean {
  return isApiError(error) && error.kind === "not_found" && /\bproject\b/i.test(error.serviceMessage);
}

/** Whether the service may lack the call: a missing route is also answered with 404. */
function hasNoRoute(error: unknown): boolean {
  return isApiError(error) && (error.kind === "not_found" || error.status === 405 || error.status === 501);
}

function some(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).join(", ");
  return ids.length > 5 ? `${shown}, ...` : shown;
}
