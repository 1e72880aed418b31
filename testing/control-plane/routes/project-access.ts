import { ApiError } from "../api-error";
import type { ProjectEntity } from "../state/entities";
import type { Call } from "./route";

/** Whether the caller's key can access a project. */
export function reaches({ caller: { scope } }: Call, project: ProjectEntity): boolean {
  if (scope.kind === "account") return true;
  if (scope.kind === "organization") return scope.organizationId === project.organizationId;
  return scope.projectId === project.id;
}

/** The project in the call's path, or 404. */
export function projectOf(call: Call): ProjectEntity {
  const project = call.state.projects.get(call.params.project_id ?? "");
  if (project && reaches(call, project)) return project;
  throw new ApiError(404, "project not found");
}

/** The project that the call changes. Throws 404 if it is not found, and 423 while it is locked. */
export function changingProjectOf(call: Call): ProjectEntity {
  const project = projectOf(call);
  const { clock, operations, switches } = call.state;
  if (switches.lockBusyProjects && operations.isBusy(project.id, clock.timeline())) {
    throw new ApiError(
      423,
      "project already has running (conflicting) operations, scheduling of new ones is prohibited",
    );
  }
  return project;
}
