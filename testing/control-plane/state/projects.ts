import { randomInt } from "node:crypto";
import type { BranchEntity, EndpointEntity, ProjectEntity } from "./entities";

const adjectives = ["amber", "brisk", "calm", "dusty", "early", "fading", "gentle", "hidden"];
const nouns = ["brook", "cliff", "dune", "field", "grove", "lake", "meadow", "ridge"];
const words = [adjectives, nouns].map((list) => () => list[randomInt(list.length)]);

const readableId = (prefix: string): string =>
  `${prefix}${words.map((word) => word()).join("-")}-${randomInt(10_000_000, 99_999_999)}`;

/** Options of a new project. Omitted fields take their defaults. */
export interface ProjectSeed {
  /** Id of the project. @default a readable random id */
  id?: string;
  /** Name of the project. @default the id */
  name?: string;
  /** The organization that owns the project. @default the control plane's own */
  organizationId?: string;
  /** Region of the project. @default "local-1" */
  regionId?: string;
  /** Postgres version of the project. @default 17 */
  pgVersion?: number;
}

/** What the data file stores of the projects. */
export interface ProjectsSnapshot {
  projects: ProjectEntity[];
  branches: BranchEntity[];
  endpoints: EndpointEntity[];
}

/** The projects of the account, with their branches and compute endpoints. */
export class Projects {
  private projects = new Map<string, ProjectEntity>();
  private branches = new Map<string, BranchEntity>();
  private endpoints = new Map<string, EndpointEntity>();

  /** Creates a project with its first branch and compute endpoint. */
  create(seed: ProjectSeed, organizationId: string, now: number) {
    const id = seed.id ?? readableId("");
    const project: ProjectEntity = {
      id,
      name: seed.name ?? id,
      organizationId: seed.organizationId ?? organizationId,
      regionId: seed.regionId ?? "local-1",
      pgVersion: seed.pgVersion ?? 17,
      createdAt: now,
      updatedAt: now,
      deleted: false,
    };
    this.projects.set(id, project);
    const branch = this.createBranch(id, "main", null, now);
    return { project, branch, endpoint: this.createEndpoint(branch, now) };
  }

  /** Returns a project that is not deleted. */
  get(id: string): ProjectEntity | undefined {
    const project = this.projects.get(id);
    return project?.deleted ? undefined : project;
  }

  /** Returns a project, deleted or not. */
  getEver(id: string): ProjectEntity | undefined {
    return this.projects.get(id);
  }

  /** Returns the projects that are not deleted, newest first. */
  list(): ProjectEntity[] {
    return [...this.projects.values()].filter((project) => !project.deleted).reverse();
  }

  /** Deletes a project and everything in it. */
  delete(project: ProjectEntity, now: number): void {
    project.deleted = true;
    project.updatedAt = now;
    for (const branch of this.branchesOf(project.id)) this.deleteBranch(branch);
  }

  /** Creates a branch. */
  createBranch(projectId: string, name: string | undefined, parentId: string | null, now: number): BranchEntity {
    const id = readableId("br-");
    const branch = { id, projectId, name: name ?? id, parentId, createdAt: now };
    this.branches.set(id, branch);
    return branch;
  }

  /** Returns a branch of a project. */
  getBranch(projectId: string, id: string): BranchEntity | undefined {
    const branch = this.branches.get(id);
    return branch?.projectId === projectId ? branch : undefined;
  }

  /** Returns the branches of a project, oldest first. */
  branchesOf(projectId: string): BranchEntity[] {
    return [...this.branches.values()].filter((branch) => branch.projectId === projectId);
  }

  /** Deletes a branch and its compute endpoints. */
  deleteBranch(branch: BranchEntity): void {
    this.branches.delete(branch.id);
    for (const endpoint of this.endpointsOf(branch.projectId)) {
      if (endpoint.branchId === branch.id) this.endpoints.delete(endpoint.id);
    }
  }

  /** Creates a compute endpoint of a branch. */
  createEndpoint({ id: branchId, projectId }: BranchEntity, now: number): EndpointEntity {
    const endpoint = { id: readableId("ep-"), projectId, branchId, suspended: false, createdAt: now };
    this.endpoints.set(endpoint.id, endpoint);
    return endpoint;
  }

  /** Returns a compute endpoint of a project. */
  getEndpoint(projectId: string, id: string): EndpointEntity | undefined {
    const endpoint = this.endpoints.get(id);
    return endpoint?.projectId === projectId ? endpoint : undefined;
  }

  /** Returns the compute endpoints of a project, oldest first. */
  endpointsOf(projectId: string): EndpointEntity[] {
    return [...this.endpoints.values()].filter((endpoint) => endpoint.projectId === projectId);
  }

  /** Returns what the data file stores. */
  save(): ProjectsSnapshot {
    return {
      projects: [...this.projects.values()],
      branches: [...this.branches.values()],
      endpoints: [...this.endpoints.values()],
    };
  }

  /** Loads the projects of a data file. */
  load({ projects, branches, endpoints }: ProjectsSnapshot): void {
    this.projects = new Map(projects.map((project) => [project.id, project]));
    this.branches = new Map(branches.map((branch) => [branch.id, branch]));
    this.endpoints = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  }
}
