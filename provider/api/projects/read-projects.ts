import type { HttpAnswer } from "../../http";
import { ID_FORMS } from "../../ids";
import type { Page } from "../paging";
import { Reader } from "../reader";
import type { Project } from "../records";

/** A page of projects, with the ids of those that the service could not read in time. */
export interface ProjectPage extends Page<Project> {
  readonly unavailable: readonly string[];
}

export function readProjectPage(route: string, answer: HttpAnswer): ProjectPage {
  const reader = new Reader(route, answer);
  const body = reader.object(answer.json, "");
  const items = reader.array(reader.field(body, "projects"), "projects");
  const unavailable = reader.array(reader.field(body, "unavailable_project_ids") ?? [], "unavailable_project_ids");
  return {
    items: items.map((each, at) => readProject(reader, each, `projects[${at}]`)),
    cursor: reader.cursor(body),
    unavailable: unavailable.filter((each) => typeof each === "string" && ID_FORMS.project.matches(each)) as string[],
  };
}

/** The answer to the call for one project. */
export function readSingleProject(route: string, answer: HttpAnswer, id: string): Project {
  const reader = new Reader(route, answer);
  const body = reader.object(answer.json, "");
  const project = readProject(reader, reader.field(body, "project"), "project");
  return project.id === id ? project : reader.fail("project.id", "is not the requested id");
}

function readProject(reader: Reader, value: unknown, path: string): Project {
  const item = reader.object(value, path);
  const at = `${path}.`;
  const project = {
    id: reader.match(item, "id", at, ID_FORMS.project),
    name: reader.name(item, "name", at),
    platformId: reader.optionalText(item, "platform_id", at),
    regionId: reader.optionalText(item, "region_id", at),
    provisioner: reader.optionalText(item, "provisioner", at),
    pgVersion: reader.optionalNumber(item, "pg_version", at),
    locked: reader.optionalBoolean(item, "locked", at),
    cpuUsedSec: reader.optionalNumber(item, "cpu_used_sec", at),
    createdAt: reader.time(item, "created_at", at),
    updatedAt: reader.time(item, "updated_at", at),
    proxyHost: reader.optionalText(item, "proxy_host", at),
    branchLogicalSizeLimit: reader.optionalNumber(item, "branch_logical_size_limit", at),
    orgId: reader.optionalText(item, "org_id", at),
  };
  // A program's outputs must not contain undefined.
  return Object.fromEntries(Object.entries(project).filter(([, each]) => each !== undefined)) as unknown as Project;
}
