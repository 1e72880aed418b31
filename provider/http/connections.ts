import type { buildConnector, Dispatcher } from "undici";
import type { AccountSettings } from "../account-settings";
import type { BaseUrl } from "../base-url";
import { proxyFor } from "./proxy";
import { throughProxy } from "./tunnel";

/** Maximum time to establish a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Maximum time of this for each address of a name, in milliseconds. Node's 250 are too few far from the service. */
const ADDRESS_TIMEOUT_MS = 2_500;
/** Maximum size of a body, in bytes. A full list of keys is a few megabytes. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** `concurrency` is also the maximum number of connections. */
type ConnectionOptions = Pick<AccountSettings, "concurrency" | "requestTimeoutMs"> & { readonly base: BaseUrl };

/**
 * Opens the connection pool of one origin. Uses the proxy that the environment names. Throws a `ConfigError` if the address of the proxy is invalid.
 */
export function openConnections({ base, concurrency, requestTimeoutMs }: ConnectionOptions): Dispatcher {
  // Certificates are checked even if NODE_TLS_REJECT_UNAUTHORIZED disables it, to protect the credential.
  const tls = { minVersion: "TLSv1.2", rejectUnauthorized: true } as const;
  const addresses = { autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS };
  const direct = { timeout: CONNECT_TIMEOUT_MS, ...addresses, ...tls };
  const proxy = proxyFor(base);
  // Loaded here, so that a program that sends no request does not load it. All of undici takes six times as long.
  const Pool = require("undici/lib/dispatcher/pool") as typeof import("undici").Pool;
  const connector = require("undici/lib/core/connect") as typeof buildConnector;
  const timeouts = { connectTimeoutMs: CONNECT_TIMEOUT_MS, answerTimeoutMs: requestTimeoutMs };
  return new Pool(base.origin, {
    connections: concurrency,
    // A request with an effect must not queue behind another one on a connection.
    pipelining: 1,
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
    connect:
      proxy === undefined
        ? direct
        : throughProxy(proxy, { secure: connector(direct), socket: { ...addresses, ...tls }, ...timeouts }),
  });
}
