import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { TimeoutError } from "../errors";
import { onAbort } from "./abort";
import { publishDiagnostic } from "./diagnostics";
import { isJsonType } from "./retry/classify";
import { parseHttpDate } from "./retry/retry-after";
import { SentMark } from "./sent-tracker";
import type { Answered, Method, Outcome } from "./types";

/** Header that names a request, for the service's support. */
const REQUEST_ID_HEADER = "x-request-id";

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
  /** Ends what is not sent yet, and a read. A change that was sent goes on: only its answer tells what was done. */
  readonly signal: AbortSignal;
  /** Longest time until the answer is complete, in milliseconds. */
  readonly timeoutMs: number;
}

/** Code of a body that ended well for the transport but is no complete JSON. */
export const UNPARSABLE = "INVALID_JSON";

const utf8 = new TextDecoder();

/** Sends one request and reads its answer to the end. Never throws: what happened is the outcome. */
export async function exchange(connections: Dispatcher, attempt: Attempt): Promise<Outcome> {
  const { route, method, signal } = attempt;
  const mark = new SentMark(connections, route);
  const gathering = new ResponseCollector(mark, route);
  // What is in flight runs in real time, whatever clock is driven.
  const timer = setTimeout(() => gathering.abort(new TimeoutError("deadline")), Math.max(0, attempt.timeoutMs));
  const unfollow = onAbort(signal, () => {
    gathering.refuse(signal.reason);
    if (method === "GET" || !mark.maybeSent) gathering.abort(signal.reason);
  });
  publishDiagnostic("before-send", route);
  try {
    const { origin, path, body = null } = attempt;
    const headers = { [REQUEST_ID_HEADER]: attempt.requestId, ...attempt.headers };
    connections.dispatch({ origin, path, method, headers, body }, gathering);
    return await gathering.outcome;
  } catch (error) {
    return unanswered(error, mark);
  } finally {
    clearTimeout(timer);
    unfollow();
  }
}

type Head = Omit<Answered, "complete" | "json" | "bodyError">;

/**
 * Gathers an answer as it comes, for undici to call. The usual `request` would make a stream of each body and need a
 * signal for each request: half of the time that a request costs here.
 */
class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<Outcome>;
  #settle: (outcome: Outcome) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #refused: Error | undefined;
  #head: Head | undefined;
  readonly #chunks: Buffer[] = [];

  constructor(
    private readonly mark: SentMark,
    private readonly route: string,
  ) {
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Lets the request not be sent, if it still waits for its connection. */
  refuse(reason: Error): void {
    this.#refused = reason;
  }

  /** Ends the exchange at once. */
  abort(reason: Error): void {
    this.refuse(reason);
    this.#controller?.abort(reason);
    this.#fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.mark.announced(this.#refused === undefined);
    if (this.#refused !== undefined) controller.abort(this.#refused);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx responses are informational.
    if (status < 200) return;
    this.#head = {
      kind: "answer",
      status,
      contentType: text(headers["content-type"]) ?? "",
      retryAfter: text(headers["retry-after"]),
      date: parseHttpDate(text(headers.date)),
    };
    publishDiagnostic("after-answer", this.route);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const head = this.#head;
    if (head === undefined) return;
    publishDiagnostic("after-body", this.route);
    this.#settle(answered(head, this.#chunks));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(error: unknown): void {
    this.#settle(this.#head === undefined ? unanswered(error, this.mark) : cut(this.#head, codeOf(error)));
  }
}

function unanswered(error: unknown, mark: SentMark): Outcome {
  const code = codeOf(error);
  return { kind: "failure", code, sent: mark.maybeSentDespite(code) };
}

function answered(head: Head, chunks: readonly Buffer[]): Answered {
  if (!isJsonType(head.contentType)) return { ...head, complete: true, json: undefined, bodyError: undefined };
  const [only] = chunks;
  return parsed(head, utf8.decode(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks)));
}

function cut(head: Head, bodyError: string): Answered {
  return { ...head, complete: false, json: undefined, bodyError };
}

function parsed(head: Head, content: string): Answered {
  try {
    return { ...head, complete: true, json: JSON.parse(withExactIntegers(content)), bodyError: undefined };
  } catch {
    // The parser's message quotes the text, which may hold a key.
    return cut(head, UNPARSABLE);
  }
}

/**
 * The text with the whole numbers that a double cannot hold turned into text: parsed, they would come out changed, and a
 * changed id names something else.
 */
function withExactIntegers(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  // Texts are matched, too, so that digits in them stay as they are.
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`,
  );
}

function text(header: IncomingHttpHeaders[string]): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** undici's words for a proxy that refuses the way to the service; its code is that of any aborted request. */
const PROXY_REFUSED = /^Proxy response \(\d+\)/;

/** The code of a transport error, else its name: never its message, which may quote what was sent. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  if (PROXY_REFUSED.test(error.message)) return "PROXY_REFUSED";
  // With several addresses tried, the errors of each are inside.
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const code = (inner as { code?: unknown }).code ?? (error as { code?: unknown }).code;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : error.name;
}
