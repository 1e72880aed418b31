import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { isJsonType } from "./classify";
import { publishPoint } from "./points";
import { parseHttpDate } from "./retry-after";
import { REQUEST_ID_HEADER, unwatchSent, watchSent } from "./sent";
import type { Answered, Method, Outcome } from "./types";

/** One attempt, ready to go. */
export interface Attempt {
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
  readonly method: Method;
  readonly route: string;
  /** Without the request id. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** Code of a body that ended well for the transport but is no complete JSON. */
export const UNPARSABLE = "INVALID_JSON";

/** Sends one request and reads its answer to the end. Never throws: what happened is the outcome. */
export async function exchange(connections: Dispatcher, attempt: Attempt): Promise<Outcome> {
  const mark = watchSent(attempt.requestId, attempt.route);
  publishPoint("before-send", attempt.route);
  try {
    const answer = await connections.request({
      origin: attempt.origin,
      path: attempt.path,
      method: attempt.method,
      headers: { [REQUEST_ID_HEADER]: attempt.requestId, ...attempt.headers },
      body: attempt.body ?? null,
      signal: attempt.signal,
    });
    publishPoint("after-answer", attempt.route);
    const outcome = await readAnswer(answer);
    publishPoint("after-body", attempt.route);
    return outcome;
  } catch (error) {
    return { kind: "failure", code: codeOf(error), sent: mark.sent };
  } finally {
    unwatchSent(attempt.requestId);
  }
}

async function readAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Answered> {
  const contentType = text(headers["content-type"]) ?? "";
  const head = {
    kind: "answer",
    status: statusCode,
    contentType,
    retryAfter: text(headers["retry-after"]),
    date: parseHttpDate(text(headers.date)),
  } as const;
  const cut = (bodyError: string): Answered => ({ ...head, complete: false, json: undefined, bodyError });
  try {
    // Always read to the end, or the connection could not be used again.
    const content = await body.text();
    if (!isJsonType(contentType)) return { ...head, complete: true, json: undefined, bodyError: undefined };
    return parsed(head, content) ?? cut(UNPARSABLE);
  } catch (error) {
    return cut(codeOf(error));
  }
}

function parsed(head: Omit<Answered, "complete" | "json" | "bodyError">, content: string): Answered | undefined {
  try {
    return { ...head, complete: true, json: JSON.parse(content), bodyError: undefined };
  } catch {
    // The parser's message quotes the text, which may hold a key.
    return undefined;
  }
}

function text(header: IncomingHttpHeaders[string]): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** The code of a transport error, else its name: never its message, which may quote what was sent. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  // With several addresses tried, the errors of each are inside.
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const code = (inner as { code?: unknown }).code ?? (error as { code?: unknown }).code;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : error.name;
}
