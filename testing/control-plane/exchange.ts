import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { commit, toWire } from "./commit";
import { keyOf } from "./dispatch";
import type { WireAnswer } from "./faults/raw-answer";
import { serveByRule } from "./faults/ruled-exchange";
import type { Plane } from "./plane";
import { readBody } from "./read-body";
import { type PlaneContext, readRequest } from "./read-request";
import type { Route } from "./routes/route";
import { nameOf } from "./routes/table";

/** Maximum size of a request body, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Called when a rule refuses new connections for a time. */
export type Refuse = (ms: number) => void;

/**
 * Serves one request: logs it, carries it out and responds, or does what the matching rule says.
 * @param base - Path of the base URL.
 * @param route - The endpoint, or `undefined` if no route matches.
 */
export async function exchange(
  plane: Plane,
  context: PlaneContext,
  base: string,
  route: Route | undefined,
  refuse: Refuse,
): Promise<Response> {
  plane.settle();
  const { request, entry } = readRequest(plane, context, base, route);
  const { incoming, outgoing } = context.env;
  const { socket } = incoming;
  const dropped = (bytes: number): Response => {
    if (entry.answeredAt === null) plane.log.close(entry, "dropped", bytes);
    return RESPONSE_ALREADY_SENT;
  };
  // If the client disconnects before it has the response, the request counts as dropped, whatever was committed.
  outgoing.once("close", () => void dropped(0));
  const answered = (answer: WireAnswer): Response => {
    if (socket.destroyed) return dropped(0);
    // These two statuses never have a body.
    const body = answer.status === 204 || answer.status === 304 ? "" : answer.body;
    const length = Buffer.byteLength(body);
    plane.log.close(entry, answer.status, length);
    // Write directly to the socket: a platform Response costs more than the rest of the request.
    outgoing.writeHead(answer.status, { ...answer.headers, ...(body === "" ? {} : { "Content-Length": length }) });
    outgoing.end(body);
    return RESPONSE_ALREADY_SENT;
  };

  const rule = plane.rules.forRequest(route && nameOf(route), `${request.method} ${request.path}`);
  entry.rule = rule?.id ?? null;
  entry.fault = rule?.fault ?? null;
  if (rule?.fault === "reset-before-body") {
    socket.resetAndDestroy();
    return dropped(0);
  }
  // Do not read the body of an unauthenticated request: it is rejected whatever the body holds.
  if (keyOf(plane.state, request.authorization) !== undefined) {
    try {
      request.text = await readBody(incoming, MAX_BODY_BYTES);
    } catch {
      // The client gave up while sending, so there is no complete request.
      return dropped(0);
    }
  }
  if (!rule) return answered(toWire(plane, request.requestId, await commit(plane, request, entry)));

  const outcome = await serveByRule({ plane, rule, request, entry, socket }, refuse);
  if (!outcome.answer) return dropped(outcome.bytes);
  outgoing.once("finish", () => void outcome.after());
  return answered(outcome.answer);
}
