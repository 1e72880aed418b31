import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { keyOf, type PlaneRequest } from "./dispatch";
import type { Plane } from "./plane";
import type { LogEntry } from "./request-log";
import type { Route } from "./routes/route";

/** A hono context on Node. */
export type PlaneContext = Context<{ Bindings: HttpBindings }>;

/** Returns the client's request id if it is safe to echo, else a new one. */
const requestIdOf = (sent: string | undefined): string =>
  sent !== undefined && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : randomUUID();

/** Removes secrets that a client put into a URL by mistake. */
const withoutSecrets = (text: string, admin: string): string =>
  text.replaceAll(admin, "[secret]").replace(/kp_[a-z0-9]{64}/g, "[secret]");

/**
 * Reads a request without its body, and opens its log entry.
 * @param base - Path of the base URL.
 * @param route - The endpoint, or `undefined` if no route matches.
 */
export function readRequest(
  plane: Plane,
  context: PlaneContext,
  base: string,
  route: Route | undefined,
): { request: PlaneRequest; entry: LogEntry } {
  const { incoming } = context.env;
  const [target = "", query = ""] = (incoming.url ?? "").split(/\?(.*)/s);
  const request: PlaneRequest = {
    route,
    method: context.req.method,
    path: target.slice(base.length),
    params: context.req.param() as Record<string, string>,
    query,
    authorization: incoming.headers.authorization,
    contentType: incoming.headers["content-type"],
    text: "",
    requestId: requestIdOf(context.req.header("x-request-id")),
    remoteAddress: incoming.socket.remoteAddress ?? "",
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
