import type { ClockSettings, ClockSnapshot } from "../clock";
import { PlaneClock } from "../clock";
import type { KeysSnapshot } from "./api-keys";
import { ApiKeys } from "./api-keys";
import type { OperationEntity } from "./entities";
import { type OperationCourse, type OperationSubject, Operations } from "./operations";
import type { ProjectSeed, ProjectsSnapshot } from "./projects";
import { Projects } from "./projects";
import { RateLimits } from "./rate-limits";
import { defaultSwitches, type Switches } from "./switches";

/** Initial state of a control plane. */
export interface Seed {
  /** Secret of the admin key. */
  apiKey: string;
  /** Projects that exist from the start. Their operations have finished. @default one project named "demo" */
  projects?: ProjectSeed[];
  /** Id of the default organization of projects. @default "org-local-1" */
  organizationId?: string;
  /** Clock settings. @default mode `auto` */
  clock?: Partial<ClockSettings>;
  /** Behavior that the service's description leaves open. @default the usual behavior */
  switches?: Partial<Switches>;
}

/** The whole state as the data file stores it. */
export interface StateSnapshot {
  version: 1;
  clock: ClockSnapshot;
  keys: KeysSnapshot;
  projects: ProjectsSnapshot;
  operations: OperationEntity[];
  switches: Switches;
}

/** Everything that the control plane keeps between requests, except its log and its rules. */
export class State {
  readonly clock: PlaneClock;
  readonly keys: ApiKeys;
  readonly projects = new Projects();
  readonly operations = new Operations();
  readonly rateLimits = new RateLimits();
  readonly organizationId: string;
  readonly accountId = "7c1f0a52-9d5b-4a8e-8f36-2b6d1e90c4aa";
  switches: Switches;

  constructor(seed: Seed) {
    this.clock = new PlaneClock(seed.clock);
    this.keys = new ApiKeys(seed.apiKey, this.clock.now());
    this.organizationId = seed.organizationId ?? "org-local-1";
    this.switches = { ...defaultSwitches, ...seed.switches };
    for (const project of seed.projects ?? [{ name: "demo" }]) this.seedProject(project);
  }

  /** Creates a project whose first operations have already ended. */
  seedProject(seed: ProjectSeed) {
    const { project, branch, endpoint } = this.projects.create(seed, this.organizationId, this.clock.now());
    const subject = { projectId: project.id, branchId: branch.id, schedulingMs: 0, runningMs: 0 };
    this.startOperations([
      { ...subject, action: "create_timeline" },
      { ...subject, action: "start_compute", endpointId: endpoint.id },
    ]);
    return project;
  }

  /**
   * Starts operations with the same creation time.
   * @param ageMs - Age of the operations.
   */
  startOperations(subjects: (OperationSubject & OperationCourse)[], ageMs = 0): OperationEntity[] {
    return this.operations.start(subjects, this.clock.timeline() - ageMs, this.clock.now() - ageMs);
  }

  /** Returns what the data file stores. */
  save(): StateSnapshot {
    return {
      version: 1,
      clock: this.clock.save(),
      keys: this.keys.save(),
      projects: this.projects.save(),
      operations: this.operations.save(),
      switches: this.switches,
    };
  }

  /** Replaces the seed with the content of a data file. */
  load(snapshot: StateSnapshot): void {
    this.clock.load(snapshot.clock);
    this.keys.load(snapshot.keys);
    this.projects.load(snapshot.projects);
    this.operations.load(snapshot.operations);
    // The file of a former version lacks the switches that are newer.
    this.switches = { ...defaultSwitches, ...snapshot.switches };
  }
}
