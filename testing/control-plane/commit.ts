import { dispatch, type PlaneRequest } from "./dispatch";
import type { WireAnswer } from "./faults/raw-answer";
import type { RuleOperation } from "./faults/rule";
import type { Plane } from "./plane";
import type { LogEntry } from "./request-log";
import type { Answer } from "./routes/route";

/**
 * Carries out a request. Resolves when its changes are on disk.
 * @param operations - Operations to add to the response.
 */
export async function commit(
  plane: Plane,
  request: PlaneRequest,
  entry: LogEntry,
  operations?: RuleOperation[],
): Promise<Answer> {
  const answer = dispatch(plane.state, request, entry.effects, operations);
  if (entry.effects.length > 0) await plane.persist();
  else plane.persistSoon();
  return answer;
}

/**
 * Carries out a request after its client has given up. The effect gets its own log entry.
 * @param lateMs - Delay in milliseconds of the control plane's clock. If omitted, a control call commits it.
 */
export function commitLate(plane: Plane, request: PlaneRequest, entry: LogEntry, lateMs: number | undefined): void {
  const due = lateMs === undefined ? Number.POSITIVE_INFINITY : plane.state.clock.timeline() + lateMs;
  plane.late.add(due, () => {
    const { method, route, path, query, keyId, requestId } = entry;
    const now = plane.state.clock.now();
    const late = plane.log.open({ method, route, path, query, keyId, requestId, now, lateOf: entry.seq });
    dispatch(plane.state, request, late.effects);
    plane.log.close(late, "dropped", 0);
    plane.persistSoon();
  });
}

/** Adds the headers that all responses have. */
export function toWire(plane: Plane, requestId: string, { status, headers, body }: Answer): WireAnswer {
  const standard = {
    "Content-Type": "application/json",
    "X-Request-ID": requestId,
    Date: new Date(plane.state.clock.now()).toUTCString(),
  };
  return {
    status,
    headers: { ...standard, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}
