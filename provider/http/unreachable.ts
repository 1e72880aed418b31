import { formatDuration } from "../duration";
import type { Unanswered } from "./types";

/**
 * Explains why no answer came, by the transport's code: what it means, with the code, as part of a sentence, and what to do.
 * @param host - Name and port of the service.
 * @param baseUrl - Name of the setting with its address, for messages.
 * @param requestTimeoutMs - Maximum time without data from the service, in milliseconds.
 */
export function unreachable(
  { code, sent }: Pick<Unanswered, "code" | "sent">,
  host: string,
  baseUrl: string,
  requestTimeoutMs: number,
) {
  // The first pattern that matches counts.
  const explanations: readonly (readonly [code: RegExp, says: string, remedy: string])[] = [
    [
      /^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/,
      `the name ${host} cannot be resolved`,
      `Check the host in ${baseUrl}, your DNS, and your VPN if the service needs one.`,
    ],
    [
      /^ECONNREFUSED$/,
      `no service listens at ${host}`,
      `Check the host and port in ${baseUrl}. Start a local control plane with \`keyplane serve\`.`,
    ],
    [
      /^(EHOSTUNREACH|ENETUNREACH)$/,
      `there is no route to ${host}`,
      "Check the network, firewalls, and your VPN if the service needs one.",
    ],
    [
      /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
      `${host} did not accept the connection in time`,
      "Check firewalls, and set HTTPS_PROXY if you need a proxy.",
    ],
    [
      /^(UND_ERR_(HEADERS|BODY)_TIMEOUT|TimeoutError)$/,
      code === "TimeoutError"
        ? `${host} did not answer completely in time`
        : `${host} received the request, but did not answer within ${formatDuration(requestTimeoutMs)}`,
      "Try again, or contact the service's support.",
    ],
    [
      /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|EPROTO)$/,
      `${host} does not speak TLS`,
      "Check the port. http:// is allowed only for a service on this machine.",
    ],
    [
      /^(ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_EXCEEDED)/,
      `the certificate of ${host} is not trusted`,
      "If it is issued by your own CA, set NODE_EXTRA_CA_CERTS to the file of that CA.",
    ],
    [
      /^ERR_(SSL|TLS)_/,
      `the TLS connection to ${host} failed`,
      "The service must offer TLS 1.2 or newer. Check any proxy in between.",
    ],
    [
      /^PROXY_CLOSED$/,
      `the proxy closed the connection to ${host} without an answer`,
      "Check the address and the password of the proxy in HTTPS_PROXY.",
    ],
  ];
  const [, says, remedy] = explanations.find(([pattern]) => pattern.test(code)) ?? [
    code,
    `${host} ${sent ? "closed the connection" : "cannot be reached"}`,
    `Check the network, any proxy in between, and the host and port in ${baseUrl}.`,
  ];
  return { says: `${says} (${code})`, remedy };
}
