import type { Dispatcher } from "undici";
import { ConfigError } from "../errors";
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
 * this machine itself. Throws a `ConfigError` that names the variable of a proxy that cannot be used, and does not repeat
 * the address, which may hold a password.
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
    return new EnvHttpProxyAgent({ ...proxied, httpProxy: proxyOf("HTTP_PROXY"), httpsProxy: proxyOf("HTTPS_PROXY") });
  }
  const Pool = require("undici/lib/dispatcher/pool") as typeof import("undici").Pool;
  return new Pool(base.origin, settings);
}

const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY"] as const;

function usesProxy(): boolean {
  return PROXIES.some((name) => process.env[name.toLowerCase()] || process.env[name]);
}

/** The address of a proxy, checked here: the errors of undici and of `URL` hold the whole text. */
function proxyOf(name: (typeof PROXIES)[number]): string {
  const variable = process.env[name.toLowerCase()] === undefined ? name : name.toLowerCase();
  const text = process.env[variable] ?? "";
  if (text === "") return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(https?|socks5?):$/.test(url.protocol) || !canDecode(url.username + url.password)) {
    throw new ConfigError(
      `${variable} is not the address of a proxy: it must look like http://HOST:PORT, with special characters of a ` +
        "password percent-encoded",
    );
  }
  return text;
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
