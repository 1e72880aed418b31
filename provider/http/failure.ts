import { STATUS_CODES } from "node:http";
import type { AccountSettings } from "../account-settings";
import { AnswerLostError, ApiError, BadAnswerError, type KeyplaneError, TimeoutError, TransportError } from "../errors";
import { membersOf } from "../members";
import { holdsSecret, redact } from "../secrets";
import { accountSetting, cleanText } from "../text";
import type { Verdict } from "./retry/classify";
import { isBusy, isRedirect } from "./statuses";
import type { Answered, HttpRequest, Outcome, Unanswered } from "./types";
import { unreachable } from "./unreachable";

/** undici's code for a body that exceeds the maximum size. */
export const TOO_LARGE = "UND_ERR_RES_EXCEEDED_MAX_SIZE";

/** Code of a body that was transferred completely but is not valid JSON. */
export const UNPARSABLE = "INVALID_JSON";

/** Codes of exceeded time limits. The last one is the call's own deadline. */
const TIME_LIMITS = /^(UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT|ETIMEDOUT|TimeoutError)$/;

export interface JudgedAttempt {
  readonly outcome: Outcome;
  readonly verdict: Verdict;
  readonly requestId: string;
  /** Local wall-clock time at which the request was handed to the pool, in milliseconds. */
  readonly sentAt: number;
  /** The pause that the service requested with `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Time left of the call, in milliseconds. */
  readonly remainingMs: number;
}

/** A call that ended without a usable answer, with its last attempt. */
interface FailedRequest extends JudgedAttempt, Pick<AccountSettings, "account" | "apiKeyFrom" | "requestTimeoutMs"> {
  readonly request: Pick<HttpRequest, "method" | "route" | "path" | "replay">;
  /** Name and port of the service. */
  readonly host: string;
  readonly attempts: number;
  /** Whether an earlier attempt was sent without getting a complete answer. */
  readonly lostBefore: boolean;
}

export function failureError(failure: FailedRequest): KeyplaneError {
  const { request, outcome, verdict } = failure;
  if (verdict === "ambiguous" && request.replay === "once") {
    return new AnswerLostError(
      `${what(failure)} was sent, but ${howLost(outcome)}. The service may or may not have applied it${reference(failure)}`,
      facts(failure),
    );
  }
  return outcome.kind === "answer" ? answerError(failure, outcome) : transportError(failure, outcome);
}

/** Creates the error for an answer with an error status, or for one that does not come from this service. */
function answerError(failure: FailedRequest, outcome: Answered): KeyplaneError {
  const { status, bodyError } = outcome;
  if (status < 300 && bodyError !== undefined && bodyError !== TOO_LARGE && bodyError !== UNPARSABLE) {
    return transportError(failure, { code: bodyError, sent: true });
  }
  if (status < 300 || bodyError === TOO_LARGE) {
    return new BadAnswerError(
      `${what(failure)} returned ${statusText(status)} with ${bodyProblem(outcome)}${tries(failure)}. ` +
        `Check that ${baseUrlOf(failure)} is the address of the service's API.${reference(failure)}`,
      facts(failure, outcome),
    );
  }
  const words = serviceWords(outcome.json);
  const said = words === "" ? "" : `: "${words}"`;
  const next = advice(failure, status);
  return new ApiError(
    apiKind(status),
    `${what(failure)} returned ${statusText(status)}${said}${tries(failure)}.${next}${reference(failure, outcome)}`,
    facts(failure, outcome),
    words,
    failure.lostBefore,
  );
}

function transportError(failure: FailedRequest, cause: Omit<Unanswered, "kind">): KeyplaneError {
  const { host, requestTimeoutMs } = failure;
  const { code, sent } = cause;
  const { says, remedy } = unreachable(cause, host, baseUrlOf(failure), requestTimeoutMs);
  const end = `: ${says}${tries(failure)}. ${remedy}${reference(failure)}`;
  if (TIME_LIMITS.test(code))
    return new TimeoutError(`${what(failure)} was not answered in time${end}`, facts(failure));
  const answered = failure.outcome.kind === "answer" ? "not answered completely" : "not answered";
  const how = sent ? `was sent, but ${answered}` : "could not be sent";
  return new TransportError(`${what(failure)} ${how}${end}`, facts(failure), code, sent);
}

/** The request, with the ids in its path. */
function what({ request, host }: FailedRequest): string {
  // An id can be a secret that was given in the wrong place.
  return `${request.method} ${redact(request.path)} at ${host}`;
}

function howLost(outcome: Outcome): string {
  if (outcome.kind === "failure") return `failed with ${outcome.code}`;
  const isUsable = outcome.status >= 300 || (outcome.complete && outcome.json !== undefined);
  return `returned ${statusText(outcome.status)}${isUsable ? "" : ` with ${bodyProblem(outcome)}`}`;
}

function bodyProblem({ complete, contentType, bodyError }: Answered): string {
  if (!complete) return `an incomplete body (${bodyError})`;
  return `a body that is not JSON${contentType === "" ? "" : ` (${cleanText(redact(contentType), 40)})`}`;
}

function apiKind(status: number): ApiError["kind"] & ("api" | "auth" | "not_found" | "conflict" | "rate_limit") {
  if (status === 401 || status === 403) return "auth";
  if (status === 404 || status === 410) return "not_found";
  if (status === 409) return "conflict";
  return isBusy(status) ? "rate_limit" : "api";
}

const baseUrlOf = ({ account }: FailedRequest): string => accountSetting("baseUrl", account);

/** What to do about a key that the service does not accept. */
function wrongKey({ account, apiKeyFrom }: FailedRequest): string {
  const apiKey = accountSetting("apiKey", account);
  const variable = account === undefined ? "KEYPLANE_API_KEY" : "KEYPLANE_ACCOUNTS";
  if (apiKeyFrom === "environment") return `Check ${variable}: its key is wrong or was revoked.`;
  if (apiKeyFrom !== "config") return `Check ${apiKey} (or ${variable}): the key is wrong or was revoked.`;
  // Without a program, Pulumi passes on the configuration that the last run of the program has left in the state.
  return (
    `Check ${apiKey} in the configuration: its key is wrong or was revoked. \`refresh\`, \`destroy\`, and the removal of a ` +
    "provider or of its last key, use the value that the last `pulumi up` has left in the state. If you have changed it " +
    "since, put back what you have removed and run `pulumi up`, or pass `--run-program`."
  );
}

function advice(failure: FailedRequest, status: number): string {
  const { account, request, retryAfterMs, remainingMs } = failure;
  const [baseUrl, apiKey] = [baseUrlOf(failure), accountSetting("apiKey", account)];
  if (status === 401) return ` ${wrongKey(failure)}`;
  if (status === 403) return ` The key in ${apiKey} does not have this permission. Use a key of a user who has it.`;
  if (isRedirect(status)) {
    return ` keyplane does not follow redirects, because they would forward the credential. Correct ${baseUrl}.`;
  }
  if (status === 404 || status === 410) {
    if (request.route.includes("{")) return ` Check the id, and that ${apiKey} belongs to the right account.`;
    // A route without an id always exists.
    return ` Check the path of ${baseUrl}: it usually ends in /api/v2.`;
  }
  if (status === 409) return " Remove the conflicting item, or choose another name.";
  if (isBusy(status)) {
    return retryAfterMs === undefined || retryAfterMs < remainingMs
      ? " Nothing was changed. Try again later."
      : ` Nothing was changed. The service asks to wait ${Math.ceil(retryAfterMs / 1000)} s, which is longer than the time left. Try again later.`;
  }
  if (status >= 500) return " Try again later.";
  return " Correct what the service's message names. If that does not help, contact the service's support.";
}

/** The service's error message, safe to show; empty if it has no readable one. */
function serviceWords(json: unknown): string {
  const { message, code } = membersOf(json);
  const words = [code, message].filter((each) => typeof each === "string" && each !== "").join(": ");
  // Masked before the text is cut, because the beginning of a key cannot be distinguished from other words.
  return cleanText(redact(words));
}

/** The outcome of an attempt, in a few words: `503 Service Unavailable`, `ECONNRESET`, `ECONNREFUSED of the proxy`. */
export function formatOutcome(outcome: Outcome): string {
  if (outcome.kind === "answer") return statusText(outcome.status);
  return outcome.proxy === undefined ? outcome.code : `${outcome.code} of the proxy`;
}

function statusText(status: number): string {
  const name = STATUS_CODES[status];
  return name === undefined ? String(status) : `${status} ${name}`;
}

const tries = ({ attempts }: FailedRequest): string => (attempts > 1 ? ` (${attempts} attempts)` : "");

/** The service's own request id if its answer has one, because the service may not have used ours. */
function requestIdOf(failure: FailedRequest, outcome?: Answered): string {
  const { request_id: id } = membersOf(outcome?.json);
  return typeof id === "string" && /^[\w.-]{1,64}$/.test(id) && !holdsSecret(id) ? id : failure.requestId;
}

const reference = (failure: FailedRequest, outcome?: Answered): string => ` [request ${requestIdOf(failure, outcome)}]`;

const facts = (failure: FailedRequest, outcome?: Answered) => ({
  status: failure.outcome.kind === "answer" ? failure.outcome.status : undefined,
  requestId: requestIdOf(failure, outcome),
  route: failure.request.route,
});
