import type { Dispatcher } from "undici";
import type { BaseUrl } from "./base-url";

/** Longest time for a connection to stand, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Largest body taken, in bytes: a full list of keys is a few megabytes. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** What the connections of an account are made of. */
export interface ConnectionOptions {
  readonly base: BaseUrl;
  readonly requestTimeoutMs: number;
  /** Most connections at once. */
  readonly concurrency: number;
}

/**
 * Opens the connection pool of one origin. A proxy is used where the usual environment variables name one, never for
 * this machine itself.
 */
export function openConnections(options: ConnectionOptions): Dispatcher {
  const { base, concurrency, requestTimeoutMs } = options;
  // Certificates are checked whatever NODE_TLS_REJECT_UNAUTHORIZED says: the credential depends on it.
  const connect = { timeout: CONNECT_TIMEOUT_MS, minVersion: "TLSv1.2", rejectUnauthorized: true } as const;
  const settings = {
    connections: concurrency,
    // A request with an effect must not stand in line behind another on one connection.
    pipelining: 1,
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
    connect,
  } as const;
  // A proxy agent takes the terms of TLS from these two, to the service through the tunnel and to the proxy.
  const proxied = { ...settings, requestTls: connect, proxyTls: connect };
  // undici is loaded here, not before, so that a program that makes no request does not pay for it. Of undici it is the
  // part alone that is needed: all of it takes six times as long, in every process.
  if (!base.loopback && usesProxy()) {
    const { EnvHttpProxyAgent } = require("undici") as typeof import("undici");
    return new EnvHttpProxyAgent(proxied);
  }
  const Pool = require("undici/lib/dispatcher/pool") as typeof import("undici").Pool;
  return new Pool(base.origin, settings);
}

function usesProxy(): boolean {
  const { env } = process;
  return Boolean(env.https_proxy || env.HTTPS_PROXY || env.http_proxy || env.HTTP_PROXY);
}
