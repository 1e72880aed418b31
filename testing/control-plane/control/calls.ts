import { ApiError } from "../api-error";
import type { ClockSettings } from "../clock";
import type { LogFilter } from "../request-log";
import type { ControlCall } from "./control-call";
import { need, readFields } from "./input";
import { stateCalls } from "./state-calls";

const numberOf = (text: string | null): number | undefined => (text === null || text === "" ? undefined : Number(text));

function logFilter(query: URLSearchParams): LogFilter {
  const [since, method, route] = [numberOf(query.get("since")), query.get("method"), query.get("route")];
  return { ...(since ? { since } : {}), ...(method ? { method } : {}), ...(route ? { route } : {}) };
}

/** All control endpoints except the listener's. A call without a result returns `{}`. */
export const controlCalls: readonly ControlCall[] = [
  {
    method: "GET",
    path: "/count",
    run: ({ log }, { query }) => ({ count: log.count(logFilter(query)) }),
  },
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
      if (need(ms, "ms") < 0) throw new ApiError(400, "ms must not be negative");
      plane.state.clock.advance(need(ms, "ms"));
      plane.settle();
      return plane.state.clock.read();
    },
  },

  ...stateCalls,
  { method: "POST", path: "/reset", run: (plane) => plane.reset() },
];
