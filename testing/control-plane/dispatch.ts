import { ApiError, errorBody } from "./api-error";
import type { RuleOperation } from "./faults/rule";
import type { Effect } from "./request-log";
import { operationRecord } from "./routes/project-records";
import { type Answer, type Call, type Route, startOperations } from "./routes/route";
import { nameOf, routes } from "./routes/table";
import type { KeyEntity } from "./state/entities";
import type { State } from "./state/state";

/** A request that was read completely. */
export interface PlaneRequest {
  /** The endpoint, or `undefined` if no route matches. */
  route: Route | undefined;
  method: string;
  /** The path as sent, below the base URL. */
  path: string;
  /** The decoded path parameters. */
  params: Record<string, string>;
  query: string;
  authorization: string | undefined;
  contentType: string | undefined;
  /** The body, or `undefined` if it exceeds the service's limit. */
  text: string | undefined;
  requestId: string;
  remoteAddress: string;
}

/** Returns the live key of an `Authorization` header. */
export function keyOf(state: State, authorization: string | undefined): KeyEntity | undefined {
  const [, secret] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
  return secret === undefined ? undefined : state.keys.withSecret(secret);
}

function authenticate(state: State, { authorization, remoteAddress }: PlaneRequest): KeyEntity {
  const key = keyOf(state, authorization);
  if (!key) throw new ApiError(401, "supplied credentials do not pass authentication");
  const now = state.clock.now();
  const { lastUsedThrottleMs, lastUsedDelayMs } = state.switches;
  const isRecorded = key.lastUsedAt === null || lastUsedThrottleMs === 0 || now - key.lastUsedAt >= lastUsedThrottleMs;
  if (!isRecorded) return key;
  const use = { lastUsedAt: now, lastUsedFromAddr: remoteAddress };
  if (lastUsedDelayMs === 0) Object.assign(key, use);
  else key.hiddenUses = [...(key.hiddenUses ?? []), use];
  return key;
}

/** Rejects a request that exceeds the public service's rate limits, if the limits are enabled. */
function limitRate({ switches, rateLimits, clock }: State, route: Route): void {
  if (!switches.rateLimits || rateLimits.admits(nameOf(route), clock.timeline(), route.perSecond)) return;
  throw new ApiError(429, "too many requests");
}

function parseBody({ contentType, text }: PlaneRequest): unknown {
  if (text === "") return undefined;
  if (text === undefined) throw new ApiError(413, "request body is too large");
  if (!/^application\/json\b/i.test(contentType ?? ""))
    throw new ApiError(400, "Content-Type must be application/json");
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, "request body is not valid JSON");
  }
}

/** Rejects a request without a route: 405 if the path has other methods, else 404. */
function refuseUnknown({ path }: PlaneRequest): never {
  const allowed = routes.filter((route) => new RegExp(`^${route.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path));
  if (allowed.length === 0) throw new ApiError(404, "this endpoint does not exist");
  const methods = allowed.map((route) => route.method).join(", ");
  throw new ApiError(405, "method not allowed", "", { Allow: methods });
}

/** Starts a rule's operations and adds them to the response. */
function carry(call: Call, answer: Answer, operations: RuleOperation[]): Answer {
  const { state } = call;
  const projectId = state.projects.list().at(-1)?.id ?? "";
  const branchId = state.projects.branchesOf(projectId)[0]?.id ?? null;
  const started = startOperations(
    call,
    operations.map((operation) => ({ projectId, branchId, ...operation })),
  );
  const body = answer.body as Record<string, unknown>;
  const before = Array.isArray(body.operations) ? body.operations : [];
  const records = started.map((operation) => operationRecord(operation, state.clock.timeline()));
  return { ...answer, body: { ...body, operations: [...before, ...records] } };
}

/**
 * Authenticates a request, changes the state, and returns the response. Runs synchronously, so that requests never see
 * each other's partial changes.
 * @param effects - Receives what is committed.
 * @param operations - Operations to add to the response.
 */
export function dispatch(state: State, request: PlaneRequest, effects: Effect[], operations?: RuleOperation[]): Answer {
  try {
    // An empty path segment is redirected before anything else, as the public service does.
    const tidy = request.path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
    if (!request.route && tidy !== request.path) {
      throw new ApiError(301, "moved permanently", "", { Location: `/api/v2${tidy}` });
    }
    const caller = authenticate(state, request);
    const { route, params } = request;
    if (!route) return refuseUnknown(request);
    limitRate(state, route);
    const query = new URLSearchParams(request.query);
    const call: Call = { state, caller, params, query, body: parseBody(request), effects };
    const answer = route.handle(call);
    if (route.polls) state.clock.polled();
    return operations ? carry(call, answer, operations) : answer;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, headers: error.headers, body: errorBody(request.requestId, error) };
  }
}
