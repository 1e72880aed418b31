import type { HttpClient } from "../../http";
import { checkId } from "../../ids";
import { counted } from "../../text";
import { Collected } from "../collected";
import { PageSize, paginate } from "../paging";
import type { Project, ReadOptions } from "../records";
import { type ProjectPage, readProjectPage } from "./read-projects";

const ROUTE = "GET /projects";

interface ListProjectsOptions extends ReadOptions {
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

  /** The projects page by page (`GET /projects`). Holds one page in memory. */
  pages(options: ReadOptions = {}): AsyncGenerator<ProjectPage, void, undefined> {
    return paginate<Project, ProjectPage>({
      route: ROUTE,
      size: this.#size,
      idOf: (project) => project.id,
      fetch: async (cursor, limit) => {
        const query = { cursor, limit };
        const request = { method: "GET", route: ROUTE, path: "/projects", query, replay: "safe" } as const;
        return readProjectPage(ROUTE, await this.http.request({ ...request, signal: options.signal }));
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
   * One project, or undefined if the account has none with that id. Stops at the page that contains it. Returns
   * `unavailable` if the service could not read the project in time, because the project may exist.
   */
  async get(id: string, options: ReadOptions = {}): Promise<Project | "unavailable" | undefined> {
    checkId("project", id, "id");
    let unavailable = false;
    for await (const page of this.pages(options)) {
      const project = page.items.find((each) => each.id === id);
      if (project !== undefined) return project;
      unavailable ||= page.unavailable.includes(id);
    }
    return unavailable ? "unavailable" : undefined;
  }
}

function some(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).join(", ");
  return ids.length > 5 ? `${shown}, ...` : shown;
}
