import { ApiError } from "../api-error";
import { type ClockSettings, timestamp } from "../clock";
import type { LiveKey, StartedOperations } from "../control-plane";
import type { Plane } from "../plane";
import type { LogFilter } from "../request-log";
import type { KeyEntity } from "../state/entities";
import type { ProjectSeed } from "../state/projects";
import type { Switches } from "../state/switches";
import { need, readFields } from "./input";

/** What a control call is given. */
export interface ControlInput {
  /** The last segment of a path that ends in `:id`. */
  id: string;
  query: URLSearchParams;
  body: unknown;
}

/** One control endpoint below `/_control`. */
export interface ControlCall {
  method: "GET" | "POST" | "DELETE";
  path: string;
  run(plane: Plane, input: ControlInput): unknown;
}

const numberOf = (text: string | null): number | undefined => (text === null || text === "" ? undefined : Number(text));

const live = (key: KeyEntity): LiveKey => ({
  id: key.id,
  name: key.name,
  createdAt: timestamp(key.createdAt),
  lastUsedAt: key.lastUsedAt === null ? null : timestamp(key.lastUsedAt),
});

function keyOf({ state }: Plane, id: string): KeyEntity {
  const key = state.keys.get(Number(id));
  if (!key) throw new ApiError(404, `no live key has the id ${id}`);
  return key;
}

function logFilter(query: URLSearchParams): LogFilter {
  const [since, method, route] = [numberOf(query.get("since")), query.get("method"), query.get("route")];
  return { ...(since ? { since } : {}), ...(method ? { method } : {}), ...(route ? { route } : {}) };
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

/** Every control endpoint except those that belong to the listener. A call that answers nothing is answered `{}`. */
export const controlCalls: readonly ControlCall[] = [
  { method: "GET", path: "/log", run: ({ log }, { query }) => log.read(logFilter(query)) },

  { method: "GET", path: "/rules", run: ({ rules }) => rules.list() },
  { method: "POST", path: "/rules", run: ({ rules }, { body }) => rules.add(body) },
  { method: "DELETE", path: "/rules", run: ({ rules }) => rules.clear() },
  {
    method: "DELETE",
    path: "/rules/:id",
    run({ rules }, { id }) {
      if (!rules.remove(Number(id))) throw new ApiError(404, `no rule has the id ${id}`);
    },
  },

  {
    method: "GET",
    path: "/held",
    run: ({ held }, { query }) => held.wait(numberOf(query.get("atLeast")) ?? 0, numberOf(query.get("timeoutMs")) ?? 0),
  },
  {
    method: "POST",
    path: "/release",
    run({ held }, { body }) {
      const { seq, drop } = readFields<{ seq: number; drop: boolean }>(body, { seq: "number", drop: "boolean" });
      return held.release(drop ? "drop" : "continue", seq);
    },
  },
  {
    method: "POST",
    path: "/late",
    run: ({ late }) => ({ committed: late.run(Number.POSITIVE_INFINITY) }),
  },

  { method: "GET", path: "/clock", run: ({ state }) => state.clock.read() },
  {
    method: "POST",
    path: "/clock",
    run({ state }, { body }) {
      const settings = readFields<ClockSettings>(body, { mode: "string", stepMs: "number", offsetMs: "number" });
      if (settings.mode !== undefined && !["real", "auto", "driven"].includes(settings.mode)) {
        throw new ApiError(400, "mode must be real, auto or driven");
      }
      state.clock.set(settings);
      return state.clock.read();
    },
  },
  {
    method: "POST",
    path: "/clock/advance",
    run(plane, { body }) {
      const { ms } = readFields<{ ms: number }>(body, { ms: "number" });
      if (need(ms, "ms") < 0) throw new ApiError(400, "ms must not be negative: time does not go back");
      plane.state.clock.advance(need(ms, "ms"));
      plane.settle();
      return plane.state.clock.read();
    },
  },

  { method: "GET", path: "/state", run: ({ state }) => state.save() },
  { method: "GET", path: "/keys", run: ({ state }) => state.keys.listOthers().map(live) },
  { method: "GET", path: "/secrets", run: ({ state }) => state.keys.secretsEverIssued() },
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
        lockBusyProjects: flag,
      });
      const { tiedOperations: ties } = switches;
      if (ties !== undefined && !["unique", "skipped", "repeated"].includes(ties)) {
        throw new ApiError(400, "tiedOperations must be unique, skipped or repeated");
      }
      state.switches = { ...state.switches, ...switches };
      return state.switches;
    },
  },
  { method: "POST", path: "/reset", run: (plane) => plane.reset() },
];
