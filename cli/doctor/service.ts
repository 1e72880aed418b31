import { type Caller, readCaller } from "../../provider/api/keys/caller";
import { formatDuration } from "../../provider/duration";
import { isKeyplaneError } from "../../provider/errors";
import { proxyFor } from "../../provider/http/proxy";
import { isBusy, isRedirect, isSuccess } from "../../provider/http/statuses";
import type { Answered } from "../../provider/http/types";
import { unreachable } from "../../provider/http/unreachable";
import { areClocksApart } from "../../provider/keys/clock";
import type { Members } from "../../provider/members";
import type { Settings } from "../../provider/settings/settings";
import { shownAccount } from "../../provider/text";
import { clientOf } from "../account";
import { type Finding, fail, ok, warn } from "./finding";

/** Request timeout in milliseconds. Shorter than in a deployment, because a person is waiting. */
const MAX_TIMEOUT_MS = 10_000;

/**
 * Requests the list of keys of an account once, and concludes from the result whether its settings work. A named
 * account has one finding.
 */
export async function checkService(settings: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings = await examine(settings, signal);
  if (settings.account === undefined) return findings;
  const shown = findings.find(({ verdict }) => verdict === "fail") ?? findings[1] ?? ok("", "it answers");
  return [{ ...shown, check: `account ${shownAccount(settings.account)}` }];
}

async function examine(settings: Settings, signal: AbortSignal): Promise<readonly Finding[]> {
  const requestTimeoutMs = Math.min(settings.requestTimeoutMs, MAX_TIMEOUT_MS);
  const http = clientOf({ ...settings, requestTimeoutMs });
  try {
    const list = { method: "GET", route: "GET /api_keys", path: "/api_keys", replay: "safe", signal } as const;
    // The timeout ends a very slow response. A silent service times out sooner.
    const outcome = await http.probe({ ...list, timeoutMs: 2 * MAX_TIMEOUT_MS });
    const { host } = new URL(settings.baseUrl);
    if (outcome.kind === "failure") {
      const { says, remedy } = unreachable(outcome, host, "the base URL", requestTimeoutMs);
      return [fail(outcome.proxy === undefined ? "service" : "proxy", says, remedy)];
    }
    const proxy = proxyFor(http.base);
    const through = proxy === undefined ? "" : ` through the proxy ${proxy.address} (${proxy.variable})`;
    return [
      ok("service", `${host} answers${through}`),
      await judged(outcome, () => readCaller(http, { signal }).catch(() => undefined)),
      ...(outcome.date === undefined ? [] : [clock(outcome.date)]),
    ];
  } catch (error) {
    if (!isKeyplaneError(error) || error.kind !== "config") throw error;
    return [fail("proxy", error.message, "Correct it, or unset it if no proxy is needed.")];
  }
}

/** The finding about a status that says by itself what is wrong. */
function findingFor(status: number): Finding | undefined {
  if (status === 401) {
    const remedy = "Set KEYPLANE_API_KEY, or the account's apiKey, to a live key.";
    return fail("credential", "the service does not accept the API key (401)", remedy);
  }
  if (isRedirect(status)) {
    const why = "keyplane does not follow redirects, because they would receive the credential";
    const remedy = "Set the base URL to the target of the redirect.";
    return fail("base-url", `the service redirects (${status}), and ${why}`, remedy);
  }
  if (isBusy(status)) return warn("service", `the service is busy (${status})`, "Run `keyplane doctor` again later.");
  if (status < 500) return undefined;
  const remedy = "Try again later, or contact the service's support.";
  return fail("service", `the service has an internal error (${status})`, remedy);
}

async function judged({ status, json }: Answered, who: () => Promise<Caller | undefined>): Promise<Finding> {
  const found = findingFor(status);
  if (found !== undefined) return found;
  if (isSuccess(status)) {
    if (!Array.isArray(json)) return wrongAddress("does not return a list of keys");
    return ok("credential", `accepted${formatKind(await who())}`);
  }
  const known = await who();
  if (known !== undefined || status === 403) {
    return fail(
      "credential",
      `accepted${formatKind(known)}, but it does not have the permission to list keys (${status})`,
      "Use a personal key of a user who manages keys. Keys of organizations and projects cannot manage keys.",
    );
  }
  if (status === 404) return wrongAddress("has no list of keys at this path (404)");
  return fail("service", `the service refuses to list keys (${status})`, "Check the base URL and the credential.");
}

function wrongAddress(what: string): Finding {
  const remedy = "Correct the path of the base URL. It usually ends in /api/v2.";
  return fail("base-url", `the server ${what}, so the path is probably wrong`, remedy);
}

function formatKind(who: Caller | undefined): string {
  if (who === undefined) return "";
  const kinds: Members = { api_key_user: "a personal key", api_key_org: "an organization's key" };
  return `: ${kinds[who.method] ?? who.method}`;
}

function clock(date: number): Finding {
  const skew = date - Date.now();
  if (!areClocksApart(skew)) return ok("clock", "agrees with the service's");
  return warn(
    "clock",
    `this machine's clock is ${formatDuration(Math.abs(skew))} ${skew > 0 ? "behind" : "ahead of"} the service's clock`,
    "Correct it, because rotation by age depends on it.",
  );
}
