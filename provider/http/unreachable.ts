import { STATUS_CODES } from "node:http";
import { isLoopback } from "../base-url";
import { formatDuration } from "../duration";
import { ignoredProxy } from "./proxy";
import type { ProxyName, Unanswered } from "./types";

/**
 * Explains why no answer came, by the transport's code: what it means, with the code, as part of a sentence, and what to do.
 * @param host - Name and port of the service.
 * @param baseUrl - Name of the setting with its address, for messages.
 * @param requestTimeoutMs - Maximum time without data from the service, in milliseconds.
 */
export function unreachable(
  { code, sent, proxy }: Omit<Unanswered, "kind">,
  host: string,
  baseUrl: string,
  requestTimeoutMs: number,
) {
  if (proxy !== undefined) return proxyFailed(code, proxy, host);
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
      /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST)$/,
      `${host} does not speak TLS`,
      "Check the port. http:// is allowed only for a service on this machine.",
    ],
    [
      /^(ERR_TLS_CERT|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_EXCEEDED)/,
      `the certificate of ${host} is not trusted`,
      "If it is issued by your own CA, set NODE_EXTRA_CA_CERTS to the file of that CA.",
    ],
    [
      /^(ERR_(SSL|TLS)_|EPROTO$)/,
      `the TLS connection to ${host} failed`,
      "The service must offer TLS 1.2 or newer. Check any proxy in between.",
    ],
  ];
  const [, says, remedy] = explanations.find(([pattern]) => pattern.test(code)) ?? [
    code,
    `${host} ${sent ? "closed the connection" : "cannot be reached"}`,
    `Check the network, any proxy in between, and the host and port in ${baseUrl}.`,
  ];
  return { says: `${says} (${code})`, remedy: remedy + (sent ? "" : aboutIgnoredProxy(host)) };
}

/** The same if the request did not get past the proxy. */
function proxyFailed(code: string, { address, variable }: ProxyName, host: string) {
  const named = `the proxy ${address} (${variable})`;
  const [, status] = /^PROXY_(\d+)$/.exec(code) ?? [];
  if (status === "407") {
    return {
      says: `${named} asks for a user name and a password that it accepts (407)`,
      remedy: `Set ${variable} to http://USER:PASSWORD@${address}, with percent-encoded special characters.`,
    };
  }
  const problems: readonly (readonly [code: RegExp, says: string])[] = [
    [/^PROXY_/, `${named} did not connect to ${host}`],
    [/^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, `the name of ${named} cannot be resolved`],
    [/^ECONNREFUSED$/, `${named} is not running, or not at this address`],
    [/^(EHOSTUNREACH|ENETUNREACH)$/, `there is no route to ${named}`],
    [/^ETIMEDOUT$/, `${named} did not answer in time`],
    [/^(ECONNRESET|EPIPE)$/, `${named} closed the connection without an answer`],
    [/^(HPE_|EPROTO$|ERR_SSL_)/, `${named} does not speak the protocol of its address`],
    [/CERT|^(UNABLE_TO_|HOSTNAME_MISMATCH)/, `the certificate of ${named} is not trusted`],
  ];
  const [, says] = problems.find(([pattern]) => pattern.test(code)) ?? [code, `${named} cannot be used`];
  const reason = status === undefined ? code : `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  return {
    says: `${says} (${reason})`,
    remedy: `Correct ${variable}, or add ${hostnameOf(host)} to NO_PROXY if it can be reached without a proxy.`,
  };
}

function aboutIgnoredProxy(host: string): string {
  const variable = isLoopback(hostnameOf(host)) ? undefined : ignoredProxy();
  return variable === undefined ? "" : ` ${variable} has no effect: if you need that proxy, set HTTPS_PROXY to it.`;
}

const hostnameOf = (host: string): string => new URL(`https://${host}`).hostname;
