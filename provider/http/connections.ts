import type { Dispatcher, Pool } from "undici";
import type { AccountSettings } from "../account-settings";
import { ConfigError } from "../errors";
import type { BaseUrl } from "./base-url";

/** Maximum time to establish a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Maximum size of a body, in bytes. A full list of keys is a few megabytes. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** `concurrency` is also the maximum number of connections. */
type ConnectionOptions = Pick<AccountSettings, "concurrency" | "requestTimeoutMs"> & { readonly base: BaseUrl };

/**
 * Opens the connection pool of one origin. Uses the proxy from the usual environment variables, but never for this
 * machine. If a proxy is invalid, throws a `ConfigError` that names the variable and does not repeat the address, which
 * may contain a password.
 */
export function openConnections(options: ConnectionOptions): Dispatcher {
  const { base, concurrency, requestTimeoutMs } = options;
  // Certificates are checked even if NODE_TLS_REJECT_UNAUTHORIZED disables it, to protect the credential.
  const connect = { timeout: CONNECT_TIMEOUT_MS, minVersion: "TLSv1.2", rejectUnauthorized: true } as const;
  const settings = {
    connections: concurrency,
    // A request with an effect must not queue behind another one on a connection.
    pipelining: 1,
    headersTimeout: requestTimeoutMs,
    bodyTimeout: requestTimeoutMs,
    maxResponseSize: MAX_RESPONSE_BYTES,
    connect,
  } as const;
  // A proxy agent takes its TLS options from these two: for the service through the tunnel, and for the proxy.
  const proxied = { ...settings, requestTls: connect, proxyTls: connect };
  // undici is loaded here, so that a program that sends no request does not load it. Without a proxy, only the needed
  // part is loaded, because all of undici takes six times as long.
  if (!base.loopback && PROXIES.some((name) => process.env[name.toLowerCase()] || process.env[name])) {
    const { EnvHttpProxyAgent, Pool } = require("undici") as typeof import("undici");
    const clientFactory = (proxy: URL, options: object) => {
      const tunnels = new Pool(proxy, options);
      tunnels.connect = rejectingWithoutLoop(tunnels.connect.bind(tunnels));
      return tunnels;
    };
    const proxies = { httpProxy: proxyOf("HTTP_PROXY"), httpsProxy: proxyOf("HTTPS_PROXY") };
    return new EnvHttpProxyAgent({ ...proxied, clientFactory, ...proxies });
  }
  const Pool = require("undici/lib/dispatcher/pool") as typeof import("undici").Pool;
  return new Pool(base.origin, settings);
}

type Connect = Pool["connect"];

/** The proxy closed the connection before it opened a tunnel to the service. */
class ProxyClosed extends Error {
  readonly code = "PROXY_CLOSED";
}

/**
 * Gives another code to the error of a connection that the proxy closes without an answer. With undici's own code
 * (`UND_ERR_SOCKET`), undici tries the same connection again at once and without end, even after the request timed out.
 */
function rejectingWithoutLoop(connect: Connect): Connect {
  return async (options: Parameters<Connect>[0]) => {
    try {
      return await connect(options);
    } catch (error) {
      throw (error as { code?: unknown }).code === "UND_ERR_SOCKET" ? new ProxyClosed() : error;
    }
  };
}

const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY"] as const;

/** The address of a proxy. Checked here, because the errors of undici and of `URL` contain the whole text. */
function proxyOf(name: (typeof PROXIES)[number]): string {
  const variable = process.env[name.toLowerCase()] === undefined ? name : name.toLowerCase();
  const text = process.env[variable] ?? "";
  if (text === "") return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(https?|socks5?):$/.test(url.protocol) || !canDecode(url.username + url.password)) {
    throw new ConfigError(
      `${variable} is not the address of a proxy. It must look like http://HOST:PORT. Percent-encode special characters ` +
        "in a password",
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
