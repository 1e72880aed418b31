import { isBusy, isBusyButWorking, isInconclusive, isSuccess } from "../statuses";
import type { Outcome, Replay } from "../types";

/**
 * What an outcome proves.
 * - `ok`: applied, with a complete answer of the right type
 * - `refused`: not applied, and a retry would not help
 * - `throttled`: not applied, and the service asks for a retry
 * - `not_sent`: not applied, because the request never reached a connection
 * - `unusable`: not applied, and no request can be sent at all (bad certificate, bad header)
 * - `ambiguous`: nothing
 */
export type Verdict = "ok" | "refused" | "throttled" | "not_sent" | "unusable" | "ambiguous";

/**
 * Errors of the certificate or of our own request, or refusals of a proxy, which a retry would repeat. An alert of TLS is
 * the peer's word, and can pass.
 */
const PERMANENT =
  /^(PROXY_4(?!08|29)|UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED|ERR_TLS_|ERR_SSL_(?!.*_ALERT_)|ERR_INVALID_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/;

/** Judges one attempt; see `Verdict`. Pure. */
export function classify(outcome: Outcome, replay: Replay): Verdict {
  if (outcome.kind === "failure") {
    if (outcome.sent) return "ambiguous";
    return PERMANENT.test(outcome.code) ? "unusable" : "not_sent";
  }
  const { status } = outcome;
  // "Unavailable" also comes from proxies when the service has already done something.
  if (isBusyButWorking(status) || (isBusy(status) && replay === "safe")) return "throttled";
  if (isSuccess(status)) {
    return outcome.complete && isJsonType(outcome.contentType) ? "ok" : "ambiguous";
  }
  // 303 refers to the result of a completed action.
  if (status === 303 || isInconclusive(status)) return "ambiguous";
  return status >= 300 ? "refused" : "ambiguous";
}

export function isJsonType(contentType: string): boolean {
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType);
}
