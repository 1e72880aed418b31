import { randomUUID } from "node:crypto";
import type { Dispatcher } from "undici";
import { AbortedError, ConfigError, type KeyplaneError } from "../errors";
import { conceal } from "../secrets";
import { VERSION } from "../version";
import { formatReason, linkSignals } from "./abort";
import { type BaseUrl, parseBaseUrl } from "./base-url";
import type { Clock } from "./clock";
import { openConnections } from "./connections";
import { exchange } from "./exchange";
import { failureError, formatOutcome, TOO_LARGE } from "./failure";
import { DOCUMENTED_RATES, Limiter, type Limits } from "./limits/limiter";
import { nextDelay } from "./retry/backoff";
import { classify } from "./retry/classify";
import { parseRetryAfterMs } from "./retry/retry-after";
import { RetryBudget } from "./retry/retry-budget";
import type { HttpAnswer, HttpRequest, Outcome } from "./types";

/** Total time of one call, in milliseconds. */
const CALL_TIMEOUT_MS = 120_000;

/** What an `HttpClient` needs. */
export interface HttpOptions {
  /** Name of the account, for messages. @default the account of `keyplane:apiKey` */
  readonly account?: string | undefined;
  /** Where all routes begin; see `parseBaseUrl`. */
  readonly baseUrl: string;
  /** The credential: visible ASCII. */
  readonly apiKey: string;
  /** Longest silence of the service before and within an answer, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Most requests in flight. */
  readonly concurrency: number;
  /** Most requests per second on one route. @default 40; see `requestsPerMinute` */
  readonly requestsPerSecond?: number | undefined;
  /**
   * Most requests per minute in all. Where neither rate is given, and the service is on this machine, both are kept only
   * once it says "too many" to most requests. @default 700
   */
  readonly requestsPerMinute?: number | undefined;
  /** Told each time a request is to be sent again. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  readonly clock: Clock;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
}

/** A request that is to be sent again. */
export interface Retry {
  /** Method and path template, e.g. `POST /api_keys`. */
  readonly route: string;
  /** What came of the last attempt, e.g. `503 Service Unavailable` or `ECONNRESET`. */
  readonly outcome: string;
  /** The number of the next attempt; the first is 1. */
  readonly attempt: number;
  /** The pause before it, in milliseconds. */
  readonly pauseMs: number;
}

/** Sends requests to one service with one credential: attempts, limits, deadlines, and errors fit to be shown. */
export class HttpClient {
  readonly base: BaseUrl;
  readonly #options: HttpOptions;
  readonly #limiter: Limiter;
  readonly #budget = new RetryBudget();
  readonly #abort = new AbortController();
  readonly #headers: Readonly<Record<string, string>>;
  readonly #headersOfJson: Readonly<Record<string, string>>;
  #connections: Dispatcher | undefined;

  /** Throws a `ConfigError` if the base URL or the credential cannot be used. Opens nothing yet. */
  constructor(options: HttpOptions) {
    this.base = parseBaseUrl(options.baseUrl);
    if (!/^[\x21-\x7e]+$/.test(options.apiKey)) {
      throw new ConfigError("apiKey must be visible ASCII characters without spaces; check how it was copied");
    }
    this.#options = options;
    this.#limiter = new Limiter(limitsOf(options, this.base), options.clock);
    conceal(options.apiKey);
    this.#headers = {
      accept: "application/json",
      authorization: `Bearer ${options.apiKey}`,
      "user-agent": `keyplane/${VERSION}`,
    };
    this.#headersOfJson = { ...this.#headers, "content-type": "application/json" };
  }

  /** Fires when everything has to end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Ends every wait, pause and read, and what was not sent yet; nothing is sent any more. A change that was sent is
   * finished: only its answer tells what was done.
   */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Waits; rejects with an `AbortedError` when the signal fires or everything has to end. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const link = linkSignals(this.#abort.signal, signal);
    try {
      await unlessAborted(
        link.signal,
        () => this.#options.clock.sleep(ms, link.signal),
        () => aborted("waiting", link.signal),
      );
    } finally {
      link.dispose();
    }
    if (link.signal.aborted) throw aborted("waiting", link.signal);
  }

  /**
   * Sends the request, repeatedly where that is safe, and returns its complete successful answer.
   * Throws `AnswerLostError` for a request with replay `once` that may have been applied; else `ApiError`,
   * `TransportError`, `TimeoutError`, `BadAnswerError` or `AbortedError`.
   */
  async request(request: HttpRequest): Promise<HttpAnswer> {
    const link = request.signal === undefined ? undefined : linkSignals(this.#abort.signal, request.signal);
    try {
      return await this.#requestWithRetries(request, link?.signal ?? this.#abort.signal);
    } finally {
      link?.dispose();
    }
  }

  async #requestWithRetries(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { clock, random } = this.#options;
    let deadline = clock.monotonic() + (request.timeoutMs ?? CALL_TIMEOUT_MS);
    let taken = 0;
    let lostBefore = false;
    const end = () => abortedRequest(request, signal, lostBefore);
    for (let attempts = 1; ; attempts++) {
      const queuedAt = clock.monotonic();
      const { route, perSecond } = request;
      await unlessAborted(signal, () => this.#limiter.acquire(route, signal, perSecond), end);
      // Waiting for the limits of the service is not the service being slow.
      deadline += clock.monotonic() - queuedAt;
      const sentAt = clock.now();
      const requestId = randomUUID();
      const outcome = await this.#attempt(request, requestId, signal, deadline - clock.monotonic());
      const verdict = classify(outcome);
      if (verdict === "ok" && outcome.kind === "answer") {
        this.#budget.success(taken);
        return { status: outcome.status, json: outcome.json, date: outcome.date, requestId, sentAt };
      }
      const answered = outcome.kind === "answer" ? outcome : undefined;
      const lost = verdict === "ambiguous";
      if (signal.aborted && verdict !== "refused" && !(lost && request.replay === "once")) {
        throw abortedRequest(request, signal, lostBefore || lost);
      }
      const remainingMs = deadline - clock.monotonic();
      const retryAfterMs = parseRetryAfterMs(answered?.retryAfter, clock.now());
      const whole = verdict === "throttled" || answered?.complete || answered?.bodyError === TOO_LARGE;
      const status = whole ? answered?.status : undefined;
      const { replay } = request;
      const delay = nextDelay({
        verdict,
        status,
        replay,
        attempt: attempts,
        remainingMs,
        retryAfterMs,
        random: random(),
      });
      const cost = delay === undefined ? undefined : this.#budget.take(answered?.status);
      if (delay === undefined || cost === undefined) {
        const tooLong = retryAfterMs !== undefined && retryAfterMs >= remainingMs ? retryAfterMs : undefined;
        const { account } = this.#options;
        const ending = {
          request,
          host: new URL(this.base.origin).host,
          patienceMs: this.#options.requestTimeoutMs,
          account,
          outcome,
          verdict,
          attempts,
          requestId,
          sentAt,
          lostBefore,
          retryAfterMs: tooLong,
        };
        throw failureError(ending);
      }
      taken = cost;
      lostBefore ||= lost;
      this.#options.onRetry?.({ route, outcome: formatOutcome(outcome), attempt: attempts + 1, pauseMs: delay });
      await unlessAborted(signal, () => clock.sleep(delay, signal), end);
    }
  }

  async #attempt(request: HttpRequest, requestId: string, signal: AbortSignal, timeoutMs: number): Promise<Outcome> {
    const startedAt = this.#options.clock.monotonic();
    let tooMany = false;
    try {
      this.#connections ??= openConnections({ ...this.#options, base: this.base });
      if (signal.aborted) return { kind: "failure", code: "ABORTED", sent: false };
      request.onSend?.();
      const outcome = await exchange(this.#connections, {
        origin: this.base.origin,
        path: this.base.prefix + request.path + queryText(request.query),
        method: request.method,
        route: request.route,
        headers: this.#headersOf(request),
        body: request.body === undefined ? undefined : JSON.stringify(request.body),
        requestId,
        signal,
        timeoutMs,
      });
      tooMany = outcome.kind === "answer" && outcome.status === 429;
      return outcome;
    } finally {
      this.#limiter.release(request.route, startedAt, tooMany);
    }
  }

  #headersOf({ body, credential }: HttpRequest): Readonly<Record<string, string>> {
    const headers = body === undefined ? this.#headers : this.#headersOfJson;
    return credential === undefined ? headers : { ...headers, authorization: `Bearer ${credential}` };
  }
}

function limitsOf(options: HttpOptions, { loopback }: BaseUrl): Limits {
  const { concurrency, requestsPerSecond, requestsPerMinute } = options;
  const given = requestsPerSecond !== undefined || requestsPerMinute !== undefined;
  const { perSecond, perMinute } = DOCUMENTED_RATES;
  return {
    concurrency,
    perSecond: requestsPerSecond ?? perSecond,
    perMinute: requestsPerMinute ?? perMinute,
    ratesApply: given || !loopback,
  };
}

function queryText(query: HttpRequest["query"]): string {
  if (query === undefined) return "";
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parts.append(name, String(value));
  }
  const text = parts.toString();
  return text === "" ? "" : `?${text}`;
}

/** Waits, unless the signal has fired or fires meanwhile. */
async function unlessAborted(signal: AbortSignal, wait: () => Promise<void>, end: () => KeyplaneError): Promise<void> {
  if (signal.aborted) throw end();
  try {
    await wait();
  } catch (error) {
    throw signal.aborted ? end() : error;
  }
}

function abortedRequest({ method, route }: HttpRequest, signal: AbortSignal, maybeDone: boolean): KeyplaneError {
  const done = maybeDone && method !== "GET" ? "It may have been carried out." : "Nothing was done.";
  return aborted(route, signal, ` ${done}`);
}

function aborted(what: string, signal: AbortSignal, done = ""): KeyplaneError {
  return new AbortedError(`${what} was aborted${formatReason(signal)}.${done} Run the command again to continue`);
}
