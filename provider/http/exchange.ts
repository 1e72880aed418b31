import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { TimeoutError } from "../errors";
import { onAbort } from "./abort-signals";
import { publishDiagnostic } from "./diagnostics";
import { codeOf } from "./error-code";
import { parseExactJson, TooManyValues } from "./exact-json";
import { TOO_LARGE, UNPARSABLE } from "./failure";
import { isJsonType } from "./retry/classify";
import { parseHttpDate } from "./retry/retry-after";
import { ProxyFailure } from "./tunnel";
import type { Answered, HttpRequest, Outcome } from "./types";

/** Header with the id of a request, for the service's support. */
const REQUEST_ID_HEADER = "x-request-id";

interface Attempt extends Pick<HttpRequest, "method" | "route"> {
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
  /** Without the request id. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly requestId: string;
  /** Aborts a read, or a change that was not sent yet. A sent change completes: only its answer shows what was done. */
  readonly signal: AbortSignal;
  /** Maximum time until the answer is complete, in milliseconds. */
  readonly timeoutMs: number;
  /** The same for a sent change from the moment when the signal fires. */
  readonly timeoutAfterAbortMs: number;
}

const utf8 = new TextDecoder();

/** Sends one request and reads its complete answer. Never throws: an error is part of the outcome. */
export async function exchange(connections: Dispatcher, attempt: Attempt): Promise<Outcome> {
  const { route, method, signal } = attempt;
  const gathering = new ResponseCollector(route);
  // Requests in flight run in real time, even if a test controls the clock.
  const endAfter = (ms: number) => setTimeout(() => gathering.abort(new TimeoutError("deadline")), Math.max(0, ms));
  const timers = [endAfter(attempt.timeoutMs)];
  const unfollow = onAbort(signal, () => {
    gathering.refuse(signal.reason);
    if (method === "GET" || !gathering.isSent) gathering.abort(signal.reason);
    // An answer that arrives bit by bit never times out for lack of data.
    else timers.push(endAfter(attempt.timeoutAfterAbortMs));
  });
  publishDiagnostic("before-send", route);
  try {
    const { origin, path, body = null } = attempt;
    const headers = { [REQUEST_ID_HEADER]: attempt.requestId, ...attempt.headers };
    connections.dispatch({ origin, path, method, headers, body }, gathering);
    return await gathering.outcome;
  } catch (error) {
    return unanswered(error, gathering);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    unfollow();
  }
}

type Head = Omit<Answered, "complete" | "json" | "bodyError">;

/**
 * Collects an answer as undici receives it. undici's usual `request` would create a stream for each body and need a
 * signal for each request, which is half of the time that a request costs here.
 */
class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<Outcome>;
  #settle: (outcome: Outcome) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #refused: Error | undefined;
  #isSent = false;
  #head: Head | undefined;
  readonly #chunks: Buffer[] = [];

  constructor(private readonly route: string) {
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /**
   * Whether the service may have received a part of the request. No error code shows it: `ECONNRESET` comes before and
   * after. undici announces each request to its handler right before the first byte, and does not announce what sets up
   * the connection, such as TLS or a tunnel through a proxy.
   */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Prevents the request from being sent if it still waits for its connection. */
  refuse(reason: Error): void {
    this.#refused = reason;
  }

  abort(reason: Error): void {
    this.refuse(reason);
    this.#controller?.abort(reason);
    this.#fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#refused !== undefined) {
      controller.abort(this.#refused);
      return;
    }
    this.#isSent = true;
    // undici writes the request before it returns.
    process.nextTick(publishDiagnostic, "after-send", this.route);
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
    this.#settle(this.#head === undefined ? unanswered(error, this) : cut(this.#head, codeOf(error)));
  }
}

function unanswered(error: unknown, { isSent: sent }: ResponseCollector): Outcome {
  if (error instanceof ProxyFailure) return { kind: "failure", code: error.reason, sent, proxy: error.proxy };
  return { kind: "failure", code: codeOf(error), sent };
}

function cut(head: Head, bodyError: string): Answered {
  return { ...head, complete: false, json: undefined, bodyError };
}

function answered(head: Head, chunks: readonly Buffer[]): Answered {
  const whole = { ...head, complete: true, bodyError: undefined };
  if (!isJsonType(head.contentType)) return { ...whole, json: undefined };
  const [only] = chunks;
  const content = utf8.decode(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks));
  try {
    return { ...whole, json: parseExactJson(content) };
  } catch (error) {
    // The parser's message quotes the text, which may contain a key.
    return cut(head, error instanceof TooManyValues ? TOO_LARGE : UNPARSABLE);
  }
}

function text(header: IncomingHttpHeaders[string]): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
