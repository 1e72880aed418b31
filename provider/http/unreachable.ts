import { formatDuration } from "../duration";
import type { Unanswered } from "./types";

/** Why a service cannot be reached, and what to do. */
export interface Unreachable {
  /** The meaning of the transport's code, with the code, as part of a sentence. */
  readonly says: string;
  readonly remedy: string;
}

const NO_TLS = /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|EPROTO)$/;
const CERTIFICATE =
  /^(ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_EXCEEDED)/;

/**
 * Explains why no answer came, by the transport's code.
 * @param host - Name and port of the service.
 * @param baseUrl - Name of the setting with its address, for messages.
 * @param requestTimeoutMs - Maximum time without data from the service, in milliseconds.
 */
export function unreachable(
  { code, sent }: Pick<Unanswered, "code" | "sent">,
  host: string,
  baseUrl: string,
  requestTimeoutMs: number,
): Unreachable {
  const problem = (says: string, remedy: string): Unreachable => ({ says: `${says} (${code})`, remedy });
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "EAI_NODATA") {
    return problem(
      `the name ${host} cannot be resolved`,
      `Check the host in ${baseUrl}, your DNS, and your VPN if the service needs one.`,
    );
  }
  if (code === "ECONNREFUSED") {
    return problem(
      `no service listens at ${host}`,
      `Check the host and port in ${baseUrl}. Start a local control plane with \`keyplane serve\`.`,
    );
  }
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH") {
    return problem(
      `there is no route to ${host}`,
      "Check the network, firewalls, and your VPN if the service needs one.",
    );
  }
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") {
    return problem(
      `${host} did not accept the connection in time`,
      "Check firewalls, and set HTTPS_PROXY if you need a proxy.",
    );
  }
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    const time = formatDuration(requestTimeoutMs);
    return problem(
      `${host} received the request, but did not answer within ${time}`,
      "Try again, or contact the service's support.",
    );
  }
  if (NO_TLS.test(code)) {
    return problem(
      `${host} does not speak TLS`,
      "Check the port. http:// is allowed only for a service on this machine.",
    );
  }
  if (CERTIFICATE.test(code)) {
    return problem(
      `the certificate of ${host} is not trusted`,
      "If it is issued by your own CA, set NODE_EXTRA_CA_CERTS to the file of that CA.",
    );
  }
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) {
    return problem(
      `the TLS connection to ${host} failed`,
      "The service must offer TLS 1.2 or newer. Check any proxy in between.",
    );
  }
  if (code === "PROXY_CLOSED") {
    return problem(
      `the proxy closed the connection to ${host} without an answer`,
      "Check the address and the password of the proxy in HTTPS_PROXY.",
    );
  }
  const how = sent ? "closed the connection" : "cannot be reached";
  return problem(`${host} ${how}`, `Check the network, any proxy in between, and the host and port in ${baseUrl}.`);
}
