import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { dispatch, keyOf, type PlaneRequest } from "./dispatch";
import { breakAnswer, type WireAnswer } from "./faults/raw-answer";
import type { HeldRule } from "./faults/rule";
import { ruledAnswer, shape } from "./faults/ruled-answer";
import type { Plane } from "./plane";
import type { LogEntry } from "./request-log";
import type { Answer, Route } from "./routes/route";
import { nameOf } from "./routes/table";

/** A hono context on Node. */
export type PlaneContext = Context<{ Bindings: HttpBindings }>;

/** Called when a rule wants new connections refused for a time. */
export type Refuse = (ms: number) => void;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A request id as the client sent it, if it can be echoed, else a new one. */
const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();

/** Takes the secret out of what a client should not have put into a URL. */
const withoutSecrets = (text: string, admin: string): string =>
  text.replaceAll(admin, "[secret]").replace(/kp_[a-z0-9]{64}/g, "[secret]");

function readHead(plane: Plane, context: PlaneContext, base: string, route: Route | undefined) {
  const [target = "", query = ""] = (context.env.incoming.url ?? "").split(/\?(.*)/s);
  const request: PlaneRequest = {
    route,
    method: context.req.method,
    path: target.slice(base.length),
    params: context.req.param() as Record<string, string>,
    query,
    authorization: context.req.header("authorization"),
    contentType: context.req.header("content-type"),
    text: "",
    requestId: requestIdOf(context.req.header("x-request-id")),
    remoteAddress: context.env.incoming.socket.remoteAddress ?? "",
  };
  const entry = plane.log.open({
    method: request.method,
    route: route?.path ?? null,
    path: withoutSecrets(request.path, plane.seed.apiKey),
    query: withoutSecrets(query, plane.seed.apiKey),
    keyId: keyOf(plane.state, request.authorization)?.id ?? null,
    requestId: request.requestId,
    now: plane.state.clock.now(),
  });
  return { request, entry };
}

/** Carries a request out and resolves when what it changed is on the disk. */
async function commit(plane: Plane, request: PlaneRequest, entry: LogEntry, rule?: HeldRule): Promise<Answer> {
  const answer = dispatch(plane.state, request, entry.effects, rule?.operations);
  if (entry.effects.length > 0) await plane.persist();
  else plane.persistSoon();
  return answer;
}

/** Has a request take effect once its client has given it up. */
function commitLate(plane: Plane, request: PlaneRequest, entry: LogEntry, lateMs: number | undefined): void {
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

function toWire(plane: Plane, requestId: string, { status, headers, body }: Answer): WireAnswer {
  const standard = { "X-Request-ID": requestId, Date: new Date(plane.state.clock.now()).toUTCString() };
  const type = { "Content-Type": "application/json" };
  return {
    status,
    headers: { ...standard, ...type, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/**
 * Serves one request: logs it, applies the rule that strikes it, carries it out, and answers or fails to.
 * @param base - Path of the base URL.
 * @param route - The endpoint; `undefined` where none is served.
 */
export async function exchange(
  plane: Plane,
  context: PlaneContext,
  base: string,
  route: Route | undefined,
  refuse: Refuse,
): Promise<Response> {
  plane.settle();
  const { request, entry } = readHead(plane, context, base, route);
  const name = route && nameOf(route);
  const rule = plane.rules.forRequest(name, `${request.method} ${request.path}`);
  const { socket } = context.env.incoming;
  const drop = (): Response => {
    socket.destroy();
    plane.log.close(entry, "dropped", 0);
    return RESPONSE_ALREADY_SENT;
  };
  if (rule) {
    entry.rule = rule.id;
    entry.fault = rule.fault ?? null;
  }
  if (rule?.fault === "reset-before-body") {
    breakAnswer(socket, rule.fault, { status: 0, headers: {}, body: "" });
    return drop();
  }
  request.text = await context.req.text();
  if (!rule) {
    const answer = toWire(plane, request.requestId, await commit(plane, request, entry));
    plane.log.close(entry, answer.status, Buffer.byteLength(answer.body));
    return new Response(answer.body, answer);
  }
  if (rule.delayMs) await sleep(rule.delayMs);
  const parked = { seq: entry.seq, method: request.method, route: entry.route, path: entry.path };
  if (rule.hold === "before" && (await plane.held.park({ ...parked, phase: "before" })) === "drop") return drop();
  const truth = rule.commit === "before" ? await commit(plane, request, entry, rule) : undefined;
  if (rule.commit === "late") commitLate(plane, request, entry, rule.lateMs);
  if (rule.hold === "after" && (await plane.held.park({ ...parked, phase: "after" })) === "drop") return drop();
  const answer = toWire(
    plane,
    request.requestId,
    ruledAnswer(rule, truth ? shape(rule, truth, request) : undefined, request.requestId, plane.state.clock.now()),
  );
  const after = async (): Promise<void> => {
    if (rule.refuseMs) refuse(rule.refuseMs);
    if (rule.commit === "after") await commit(plane, request, entry, rule);
  };
  if (rule.fault) {
    plane.log.close(entry, "dropped", breakAnswer(socket, rule.fault, answer));
    await after();
    return RESPONSE_ALREADY_SENT;
  }
  plane.log.close(entry, answer.status, Buffer.byteLength(answer.body));
  context.env.outgoing.once("finish", () => void after());
  return new Response(answer.body, answer);
}
