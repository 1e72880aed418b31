import { randomUUID } from "node:crypto";
import { type Caller, readCaller } from "../../provider/api/keys/caller";
import { formatDuration } from "../../provider/duration";
import { messageOf } from "../../provider/errors";
import { HttpClient, parseBaseUrl, systemClock } from "../../provider/http";
import { openConnections } from "../../provider/http/connections";
import { exchange } from "../../provider/http/exchange";
import type { Answered, Outcome } from "../../provider/http/types";
import { unreachable } from "../../provider/http/unreachable";
import { MAX_SKEW_MS } from "../../provider/keys/clock-skew";
import type { Settings } from "../../provider/settings/settings";
import { VERSION } from "../../provider/version";
import { type Finding, fail, ok, warn } from "./finding";
import type { NamedAccount } from "./settings";

/** Request timeout in milliseconds. Shorter than in a deployment, because a person is waiting. */
const MAX_TIMEOUT_MS = 10_000;

/** Requests the list of keys once, and concludes from the result whether the settings work. */
export async function checkService(settings: Settings, signal: AbortSignal): Promise<Finding[]> {
  const connections = connect(settings);
  if (!("dispatch" in connections)) return [connections];
  const outcome = await probe(connections, settings, signal);
  const { host } = new URL(settings.baseUrl);
  if (outcome.kind === "failure") {
    const { says, remedy } = unreachable(outcome, host, "the base URL", timeoutOf(settings));
    return [fail("service", says, remedy)];
  }
  return [
    ok("service", `${host} answers`),
    await judged(outcome, settings, signal),
    ...(outcome.date === undefined ? [] : [clock(outcome.date)]),
  ];
}

/** Checks whether the service accepts a named account's key. */
export async function checkNamedAccount({ name, settings }: NamedAccount, signal: AbortSignal): Promise<Finding> {
  const findings = await checkService(settings, signal);
  const shown = findings.find(({ verdict }) => verdict === "fail") ?? findings[1] ?? ok("", "it answers");
  return { ...shown, check: `account ${name}` };
}

/** Opens connections to the service, or returns what is wrong with the proxy settings. */
function connect(settings: Settings): ReturnType<typeof openConnections> | Finding {
  const base = parseBaseUrl(settings.baseUrl);
  try {
    return openConnections({ base, requestTimeoutMs: timeoutOf(settings), concurrency: 1 });
  } catch (error) {
    return fail("proxy", messageOf(error), "Correct it, or unset it if no proxy is needed.");
  }
}

async function probe(
  connections: ReturnType<typeof openConnections>,
  settings: Settings,
  signal: AbortSignal,
): Promise<Outcome> {
  const base = parseBaseUrl(settings.baseUrl);
  const attempt = {
    origin: base.origin,
    path: `${base.prefix}/api_keys`,
    method: "GET" as const,
    route: "GET /api_keys",
    headers: {
      accept: "application/json",
      authorization: `Bearer ${settings.apiKey}`,
      "user-agent": `keyplane/${VERSION}`,
    },
    body: undefined,
    requestId: randomUUID(),
    signal,
    // Ends a very slow response. A silent service times out sooner.
    timeoutMs: 2 * MAX_TIMEOUT_MS,
    timeoutAfterAbortMs: 0,
  };
  return exchange(connections, attempt);
}

const timeoutOf = ({ requestTimeoutMs }: Settings): number => Math.min(requestTimeoutMs, MAX_TIMEOUT_MS);

async function judged(answer: Answered, settings: Settings, signal: AbortSignal): Promise<Finding> {
  const { status } = answer;
  if (status === 401) {
    return fail(
      "credential",
      "the service does not accept the API key (401)",
      "Set KEYPLANE_API_KEY, or the account's apiKey, to a live key.",
    );
  }
  if (status >= 300 && status < 400) {
    return fail(
      "base-url",
      `the service redirects (${status}), and keyplane does not follow redirects, because they would receive the credential`,
      "Set the base URL to the target of the redirect.",
    );
  }
  if (status === 423 || status === 429 || status === 503) {
    return warn("service", `the service is busy (${status})`, "Run `keyplane doctor` again later.");
  }
  if (status >= 500)
    return fail(
      "service",
      `the service has an internal error (${status})`,
      "Try again later, or contact the service's support.",
    );
  if (status >= 200 && status < 300) {
    if (!Array.isArray(answer.json)) return wrongAddress("does not return a list of keys");
    return ok("credential", `accepted${formatKind(await caller(settings, signal))}`);
  }
  const who = await caller(settings, signal);
  if (who !== undefined || status === 403) {
    return fail(
      "credential",
      `accepted${formatKind(who)}, but it does not have the permission to list keys (${status})`,
      "Use a personal key of a user who manages keys. Keys of organizations and projects cannot manage keys.",
    );
  }
  if (status === 404) return wrongAddress("has no list of keys at this path (404)");
  return fail("service", `the service refuses to list keys (${status})`, "Check the base URL and the credential.");
}

function wrongAddress(what: string): Finding {
  return fail(
    "base-url",
    `the server ${what}, so the path is probably wrong`,
    "Correct the path of the base URL. It usually ends in /api/v2.",
  );
}

/** Returns who the key belongs to, if the service reports it. */
async function caller(settings: Settings, signal: AbortSignal): Promise<Caller | undefined> {
  const http = new HttpClient({
    ...settings,
    requestTimeoutMs: timeoutOf(settings),
    clock: systemClock,
    random: Math.random,
  });
  return readCaller(http, { signal }).catch(() => undefined);
}

function formatKind(who: Caller | undefined): string {
  if (who === undefined) return "";
  const kinds: Readonly<Record<string, string>> = {
    api_key_user: "a personal key",
    api_key_org: "an organization's key",
  };
  return `: ${kinds[who.method] ?? who.method}`;
}

function clock(date: number): Finding {
  const skew = date - Date.now();
  if (Math.abs(skew) <= MAX_SKEW_MS) return ok("clock", "agrees with the service's");
  return warn(
    "clock",
    `this machine's clock is ${formatDuration(Math.abs(skew))} ${skew > 0 ? "behind" : "ahead of"} the service's clock`,
    "Correct it. Until then, keyplane rotates no key that is due only by this machine's clock.",
  );
}
