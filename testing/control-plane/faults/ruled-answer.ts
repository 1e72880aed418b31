import { errorBody } from "../api-error";
import type { PlaneRequest } from "../dispatch";
import type { Answer } from "../routes/route";
import type { Rule } from "./rule";

/** Name of the list in a body that is an object, such as `operations` next to `pagination`. */
const listName = (body: Record<string, unknown>): string | undefined =>
  Object.keys(body).find((name) => Array.isArray(body[name]));

/**
 * Changes a real response as a rule says: overrides or removes fields, empties or shortens the page, changes the
 * cursor.
 */
export function shape({ patch, omit = [], page, lacks }: Rule, answer: Answer, request: PlaneRequest): Answer {
  if (typeof answer.body !== "object" || answer.body === null) return answer;
  const shortened = (entries: readonly unknown[]) => (page === "empty" ? [] : entries.filter((_, at) => at !== lacks));
  if (Array.isArray(answer.body)) return { ...answer, body: shortened(answer.body) };
  const body: Record<string, unknown> = { ...answer.body, ...patch };
  for (const name of omit) delete body[name];
  const list = listName(body);
  if (list !== undefined) body[list] = shortened(body[list] as readonly unknown[]);
  const cursor = new URLSearchParams(request.query).get("cursor");
  if (page === "repeated-cursor" && cursor !== null) body.pagination = { cursor };
  if (page === "no-cursor" || page === "empty") delete body.pagination;
  return { ...answer, body };
}

function retryAfterHeader(retryAfter: Rule["retryAfter"], now: number): Record<string, string> {
  if (retryAfter === undefined) return {};
  if (typeof retryAfter === "number") return { "Retry-After": String(retryAfter) };
  return { "Retry-After": new Date(now + retryAfter.date).toUTCString() };
}

/**
 * Builds the response for a request that a rule applies to.
 * @param truth - The real response, if the request has taken effect.
 * @param now - Time of the control plane's clock.
 */
export function ruledAnswer(rule: Rule, truth: Answer | undefined, requestId: string, now: number): Answer {
  const headers = { ...retryAfterHeader(rule.retryAfter, now), ...rule.headers };
  if (rule.status === undefined && truth) return { ...truth, headers: { ...truth.headers, ...headers } };
  const status = rule.status ?? 200;
  const body =
    rule.body ?? errorBody(requestId, { code: "", message: `a rule of the control plane responds with ${status}` });
  return { status, headers, body };
}
