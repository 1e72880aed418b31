import { ApiError } from "../api-error";
import { timestamp } from "../clock";
import type { LiveKey, StartedOperations } from "../control-plane";
import type { Plane } from "../plane";
import type { KeyEntity } from "../state/entities";
import type { ProjectSeed } from "../state/projects";
import { projectKeys, type Switches } from "../state/switches";
import type { ControlCall } from "./control-call";
import { need, readFields } from "./input";

const live = ({ id, name, createdAt, lastUsedAt, scope: { kind, ...limits } }: KeyEntity): LiveKey => ({
  id,
  name,
  createdAt: timestamp(createdAt),
  lastUsedAt: lastUsedAt === null ? null : timestamp(lastUsedAt),
  ...limits,
});

function keyOf({ state }: Plane, id: string): KeyEntity {
  const key = state.keys.get(Number(id));
  if (!key) throw new ApiError(404, `no live key has the id ${id}`);
  return key;
}

function startOperations({ state }: Plane, body: unknown): { ids: string[] } {
  const { projectId, action, count, ageMs, gapMs, ...course } = readFields<StartedOperations>(body, {
    projectId: "string",
    action: "string",
    count: "number",
    ageMs: "number",
    gapMs: "number",
    schedulingMs: "number",
    runningMs: "number",
    outcome: "string",
  });
  const project = need(projectId, "projectId");
  if (!state.projects.get(project)) throw new ApiError(404, `no project has the id ${project}`);
  const [branch] = state.projects.branchesOf(project);
  const [endpoint] = state.projects.endpointsOf(project);
  const subject = { projectId: project, branchId: branch?.id ?? null, endpointId: endpoint?.id ?? null };
  const number = count ?? 1;
  const ids = Array.from({ length: number }, (_, index) => {
    const age = (ageMs ?? 0) + (number - 1 - index) * (gapMs ?? 0);
    const started = state.startOperations([{ ...subject, action: action ?? "start_compute", ...course }], age);
    return started.map(({ id }) => id);
  });
  return { ids: ids.flat() };
}

function endOperation({ state }: Plane, id: string, body: unknown): void {
  const operation = state.operations.find(id);
  if (!operation) throw new ApiError(404, `no operation has the id ${id}`);
  const { outcome = "finished" } = readFields<{ outcome: string }>(body, { outcome: "string" });
  const age = state.clock.timeline() - operation.bornAt;
  operation.schedulingMs = Math.min(operation.schedulingMs, age);
  operation.runningMs = age - operation.schedulingMs;
  operation.outcome = outcome;
}

/** The secrets that may be revealed. Omits the admin key if it was given without permission to show it. */
function secretsToShow({ state, seed, showsApiKey }: Plane): string[] {
  return state.keys.secretsEverIssued().filter((secret) => showsApiKey || secret !== seed.apiKey);
}

/** Calls that read and change the state directly, without an API request. */
export const stateCalls: readonly ControlCall[] = [
  { method: "GET", path: "/state", run: ({ state }) => state.save() },
  { method: "GET", path: "/keys", run: ({ state }) => state.keys.listOthers().map(live) },
  { method: "GET", path: "/secrets", run: secretsToShow },
  {
    method: "POST",
    path: "/keys",
    run({ state }, { body }) {
      const { name } = readFields<{ name: string }>(body, { name: "string" });
      const { key, secret } = state.keys.create(need(name, "name"), { kind: "account" }, state.clock.now());
      return { id: key.id, key: secret };
    },
  },
  { method: "DELETE", path: "/keys/:id", run: (plane, { id }) => plane.state.keys.revoke(keyOf(plane, id)) },
  {
    method: "POST",
    path: "/keys/:id",
    run(plane, { id, body }) {
      const fields = { agoMs: "number", address: "string" } as const;
      const { agoMs = 0, address = "192.0.2.1" } = readFields<{ agoMs: number; address: string }>(body, fields);
      const key = keyOf(plane, id);
      key.lastUsedAt = plane.state.clock.now() - agoMs;
      key.lastUsedFromAddr = address;
    },
  },
  {
    method: "POST",
    path: "/projects",
    run({ state }, { body }) {
      const fields = { id: "string", name: "string", organizationId: "string", regionId: "string" } as const;
      return { id: state.seedProject(readFields<ProjectSeed>(body, { ...fields, pgVersion: "number" })).id };
    },
  },
  { method: "POST", path: "/operations", run: (plane, { body }) => startOperations(plane, body) },
  { method: "POST", path: "/operations/:id", run: (plane, { id, body }) => endOperation(plane, id, body) },
  {
    method: "POST",
    path: "/switches",
    run({ state }, { body }) {
      const flag = "boolean" as const;
      const switches = readFields<Switches>(body, {
        uniqueNames: flag,
        tiedOperations: "string",
        cursorOnLastPage: flag,
        organizationRequired: flag,
        projectKeys: "string",
        lockBusyProjects: flag,
        rateLimits: flag,
        lastUsedThrottleMs: "number",
        lastUsedDelayMs: "number",
      });
      const { tiedOperations: ties, lastUsedThrottleMs: throttle = 0, lastUsedDelayMs: delay = 0 } = switches;
      if (!(throttle >= 0)) throw new ApiError(400, "lastUsedThrottleMs must be 0 or more");
      if (!(delay >= 0)) throw new ApiError(400, "lastUsedDelayMs must be 0 or more");
      if (ties !== undefined && !["unique", "skipped", "repeated"].includes(ties)) {
        throw new ApiError(400, "tiedOperations must be unique, skipped or repeated");
      }
      if (switches.projectKeys !== undefined && !projectKeys.includes(switches.projectKeys)) {
        throw new ApiError(400, `projectKeys must be one of ${projectKeys.join(", ")}`);
      }
      state.switches = { ...state.switches, ...switches };
      return state.switches;
    },
  },
];
