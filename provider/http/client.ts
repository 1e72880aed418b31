import { randomUUID } from "node:crypto";
import type { Dispatcher } from "undici";
import type { AccountSettings } from "../account-settings";
import { type BaseUrl, parseBaseUrl } from "../base-url";
import { AbortedError, InputError, type KeyplaneError } from "../errors";
import { conceal, holdsKey } from "../secrets";
import { VERSION } from "../version";
import { formatReason, withLinked } from "./abort-signals";
import type { Clock } from "./clock";
import { openConnections } from "./connections";
import { exchange } from "./exchange";
import { failureError, formatOutcome, type JudgedAttempt, TOO_LARGE } from "./failure";
import { Limiter } from "./limits/limiter";
import { nextDelay } from "./retry/backoff";
import { classify } from "./retry/classify";
import { parseRetryAfterMs } from "./retry/retry-after";
import { RetryBudget } from "./retry/retry-budget";
import { isThrottled } from "./statuses";
import type { HttpAnswer, HttpRequest, Outcome } from "./types";

/** Maximum total time of one call, in milliseconds. */
const CALL_TIMEOUT_MS = 120_000;

interface HttpOptions extends Omit<AccountSettings, "credentials" | "pollIntervalMs" | "operationTimeoutMs"> {
  /** Called with each answer to a request with the account's own key. */
  readonly onAnswer?: ((answer: HttpAnswer) => void) | undefined;
  /** Called before each retry of a request. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  readonly clock: Clock;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
}

export interface Retry {
  /** Method and path template, e.g. `POST /api_keys`. */
  readonly route: string;
  /** The outcome of the last attempt, e.g. `503 Service Unavailable` or `ECONNRESET`. */
  readonly outcome: string;
  /** The number of the next attempt; the first is 1. */
  readonly attempt: number;
  /** The pause before it, in milliseconds. */
  readonly pauseMs: number;
}

/** One call of `request`, across its attempts. */
interface Call {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  /** Monotonic time at which the call times out. */
  deadline: number;
  attempts: number;
  /** Tokens that the last retry took from the retry budget. */
  retryCost: number;
  /** Whether an earlier attempt was sent without getting a complete answer. */
  lostBefore: boolean;
}

/** Sends requests to one service with one credential: retries, limits, deadlines, and errors that are safe to show. */
export class HttpClient {
  readonly base: BaseUrl;
  readonly #options: HttpOptions;
  readonly #limiter: Limiter;
  readonly #budget = new RetryBudget();
  readonly #abort = new AbortController();
  /** Fires when the client is aborted. */
  readonly signal: AbortSignal = this.#abort.signal;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #jsonHeaders: Readonly<Record<string, string>>;
  #connections: Dispatcher | undefined;

  /** Throws a `ConfigError` if the base URL is invalid. Opens no connection yet. */
  constructor(options: HttpOptions) {
    this.base = parseBaseUrl(options.baseUrl);
    this.#options = options;
    this.#limiter = new Limiter({ ...options, loopback: this.base.loopback }, options.clock);
    conceal(options.apiKey);
    this.#headers = {
      accept: "application/json",
      authorization: `Bearer ${options.apiKey}`,
      "user-agent": `keyplane/${VERSION}`,
    };
    this.#jsonHeaders = { ...this.#headers, "content-type": "application/json" };
  }

  /**
   * Ends every wait, pause and read, and every request that was not sent yet. Nothing is sent afterwards. A change that
   * was already sent completes, because only its answer shows what was done. It has the request timeout at most.
   */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Waits. Rejects with an `AbortedError` when the signal fires or the client is aborted. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await withLinked([this.signal, signal], async (either) => {
      const end = () => aborted("waiting", either);
      await unlessAborted(either, () => this.#options.clock.sleep(ms, either), end);
      if (either.aborted) throw end();
    });
  }

  /**
   * Sends the request, with retries if that is safe, and returns its complete successful answer.
   * Throws an `InputError` and sends nothing if the address or the body contains a secret: only a header may.
   * Throws `AnswerLostError` for a request with replay `once` that may have been applied; otherwise `ApiError`,
   * `TransportError`, `TimeoutError`, `BadAnswerError` or `AbortedError`.
   */
  async request(request: HttpRequest): Promise<HttpAnswer> {
    // A cursor is the service's own text, and can have any form.
    const address = this.#pathOf({ ...request, query: request.query && { ...request.query, cursor: undefined } });
    if (holdsKey(JSON.stringify([address, request.body]))) {
      const problem =
        "a name, an id or the base URL contains what looks like an API key, so the request was not sent. Remove it";
      throw new InputError(request.route, problem);
    }
    if (request.signal === undefined) return this.#requestWithRetries(request, this.signal);
    return withLinked([this.signal, request.signal], (either) => this.#requestWithRetries(request, either));
  }

  /** Sends a request once, and returns what happened. Throws a `ConfigError` if the settings of the proxy are invalid. */
  async probe(request: HttpRequest & { readonly signal: AbortSignal }): Promise<Outcome> {
    return this.#send(request, randomUUID(), request.timeoutMs ?? CALL_TIMEOUT_MS);
  }

  async #requestWithRetries(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + (request.timeoutMs ?? CALL_TIMEOUT_MS);
    const call: Call = { request, signal, deadline, attempts: 0, retryCost: 0, lostBefore: false };
    for (;;) {
      await this.#waitForTurn(call);
      const attempt = await this.#attempt(call);
      const { outcome, verdict, requestId, sentAt } = attempt;
      if (verdict === "ok" && outcome.kind === "answer") {
        this.#budget.success(call.retryCost);
        const { status, json, date } = outcome;
        const answer = { status, json, date, requestId, sentAt };
        if (request.credential === undefined) this.#options.onAnswer?.(answer);
        return answer;
      }
      const isLost = verdict === "ambiguous";
      // A refusal stays the reason. That of a lost change tells the caller to look for what it did.
      const saysMore = verdict === "refused" || (isLost && request.replay === "once");
      if (signal.aborted && !saysMore) {
        throw abortedRequest({ ...call, lostBefore: call.lostBefore || isLost });
      }
      const pauseMs = this.#pauseAfter(attempt, call);
      if (pauseMs === undefined) throw this.#failure(attempt, call);
      call.lostBefore ||= isLost;
      await this.#pause(pauseMs, outcome, call);
    }
  }

  /** Waits until the service's limits allow the next attempt. This time does not count towards the deadline. */
  async #waitForTurn(call: Call): Promise<void> {
    const { request, signal } = call;
    const queuedAt = this.#options.clock.monotonic();
    const acquire = () => this.#limiter.acquire(request.route, signal, request.perSecond);
    await unlessAborted(signal, acquire, () => abortedRequest(call));
    call.deadline += this.#options.clock.monotonic() - queuedAt;
  }

  /** Sends the request once, and classifies its outcome. */
  async #attempt(call: Call): Promise<JudgedAttempt> {
    const { clock } = this.#options;
    const sentAt = clock.now();
    const requestId = randomUUID();
    const startedAt = clock.monotonic();
    call.attempts++;
    let tooMany = false;
    try {
      const outcome = await this.#send({ ...call.request, signal: call.signal }, requestId, call.deadline - startedAt);
      tooMany = outcome.kind === "answer" && isThrottled(outcome.status);
      // A date is on the service's clock, and so is the answer's own.
      const { retryAfter, date = clock.now() } = outcome.kind === "answer" ? outcome : {};
      const retryAfterMs = parseRetryAfterMs(retryAfter, date);
      const remainingMs = call.deadline - clock.monotonic();
      return { outcome, verdict: classify(outcome, call.request.replay), requestId, sentAt, retryAfterMs, remainingMs };
    } finally {
      this.#limiter.release(call.request.route, startedAt, { tooMany });
    }
  }

  async #send(
    request: HttpRequest & { readonly signal: AbortSignal },
    requestId: string,
    timeoutMs: number,
  ): Promise<Outcome> {
    this.#connections ??= openConnections({ ...this.#options, base: this.base });
    const { signal } = request;
    if (signal.aborted) return { kind: "failure", code: "ABORTED", sent: false };
    request.onSend?.();
    return exchange(this.#connections, {
      origin: this.base.origin,
      path: this.#pathOf(request),
      method: request.method,
      route: request.route,
      headers: this.#headersOf(request),
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      requestId,
      signal,
      timeoutMs,
      timeoutAfterAbortMs: this.#options.requestTimeoutMs,
    });
  }

  /** Milliseconds until the next attempt; `undefined` for no retry. Takes the cost of a retry from the budget. */
  #pauseAfter({ outcome, verdict, retryAfterMs, remainingMs }: JudgedAttempt, call: Call): number | undefined {
    const answered = outcome.kind === "answer" ? outcome : undefined;
    // The status of a truncated answer proves nothing.
    const isWhole = verdict === "throttled" || answered?.complete || answered?.bodyError === TOO_LARGE;
    const pauseMs = nextDelay({
      verdict,
      status: isWhole ? answered?.status : undefined,
      replay: call.request.replay,
      attempt: call.attempts,
      remainingMs,
      retryAfterMs,
      random: this.#options.random(),
    });
    const cost = pauseMs === undefined ? undefined : this.#budget.take(answered?.status);
    if (cost === undefined) return undefined;
    call.retryCost = cost;
    return pauseMs;
  }

  /** Waits before the next attempt, and reports it. */
  async #pause(pauseMs: number, outcome: Outcome, call: Call): Promise<void> {
    const { request, signal, attempts } = call;
    const { clock, onRetry } = this.#options;
    onRetry?.({ route: request.route, outcome: formatOutcome(outcome), attempt: attempts + 1, pauseMs });
    const sleep = () => clock.sleep(pauseMs, signal);
    await unlessAborted(signal, sleep, () => abortedRequest(call));
  }

  #failure(attempt: JudgedAttempt, { request, attempts, lostBefore }: Call): KeyplaneError {
    const { account, apiKeyFrom, requestTimeoutMs } = this.#options;
    const { host } = new URL(this.base.origin);
    return failureError({ ...attempt, request, host, requestTimeoutMs, account, apiKeyFrom, attempts, lostBefore });
  }

  #pathOf({ path, query }: HttpRequest): string {
    return this.base.prefix + path + queryText(query);
  }

  #headersOf({ body, credential }: HttpRequest): Readonly<Record<string, string>> {
    const headers = body === undefined ? this.#headers : this.#jsonHeaders;
    return credential === undefined ? headers : { ...headers, authorization: `Bearer ${credential}` };
  }
}

function queryText(query: HttpRequest["query"]): string {
  if (query === undefined) return "";
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, `${value}`])).toString();
  return text === "" ? "" : `?${text}`;
}

/** Waits. Throws `end()` if the signal has fired or fires meanwhile. */
async function unlessAborted(signal: AbortSignal, wait: () => Promise<void>, end: () => KeyplaneError): Promise<void> {
  if (signal.aborted) throw end();
  try {
    await wait();
  } catch (error) {
    throw signal.aborted ? end() : error;
  }
}

function abortedRequest({ request, signal, lostBefore }: Call): KeyplaneError {
  const { method, route } = request;
  const done = lostBefore && method !== "GET" ? "The service may have applied it." : "Nothing was changed.";
  return aborted(route, signal, ` ${done}`);
}

function aborted(what: string, signal: AbortSignal, done = ""): KeyplaneError {
  return new AbortedError(`${what} was aborted${formatReason(signal)}.${done} Run the command again to continue`);
}
