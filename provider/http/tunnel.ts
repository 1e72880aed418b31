import { request } from "node:http";
import { isIP, type Socket } from "node:net";
import type { buildConnector } from "undici";
import { codeOf } from "./error-code";
import type { HttpProxy } from "./proxy";
import type { ProxyName } from "./types";

/**
 * The proxy failed, rather than the service. Has no `code`, because undici tries a connection again at once and without end
 * after some codes.
 */
export class ProxyFailure extends Error {
  readonly proxy: ProxyName;

  constructor(
    { address, variable }: ProxyName,
    /** The transport's code, or `PROXY_` with the status that the proxy returned. */
    readonly reason: string,
  ) {
    super(reason);
    this.proxy = { address, variable };
  }
}

interface TunnelOptions {
  /** Opens TLS to the service in a socket. */
  readonly secure: buildConnector.connector;
  /** Options of the connection to the proxy, and of its TLS. */
  readonly socket: {
    readonly autoSelectFamilyAttemptTimeout: number;
    readonly minVersion: "TLSv1.2";
    readonly rejectUnauthorized: true;
  };
  /** Maximum time to connect to the proxy, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Maximum time for the proxy to open a tunnel, in milliseconds. */
  readonly answerTimeoutMs: number;
}

/** Connects to the service through a tunnel that a proxy opens. The proxy does not see what is sent in it. */
export function throughProxy(proxy: HttpProxy, options: TunnelOptions): buildConnector.connector {
  return (target, callback) => {
    openTunnel(proxy, `${target.hostname}:${target.port || 443}`, options).then(
      (httpSocket) => options.secure({ ...target, httpSocket }, callback),
      (error: ProxyFailure) => callback(error, null),
    );
  };
}

/** Rejects with a `ProxyFailure`. */
function openTunnel(proxy: HttpProxy, target: string, options: TunnelOptions): Promise<Socket> {
  const { url } = proxy;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const ask = url.protocol === "https:" ? (require("node:https") as typeof import("node:https")).request : request;
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new ProxyFailure(proxy, reason));
    const connect = ask({
      ...options.socket,
      agent: false,
      method: "CONNECT",
      host,
      // Otherwise the name of the service, from the header.
      servername: isIP(host) === 0 ? host : "",
      port: url.port,
      path: target,
      headers: { host: target, "proxy-connection": "keep-alive", ...credentials(url) },
      timeout: options.connectTimeoutMs,
    });
    connect.once("socket", (socket) => socket.once("connect", () => socket.setTimeout(options.answerTimeoutMs)));
    connect.once("timeout", () => {
      fail("ETIMEDOUT");
      connect.destroy();
    });
    connect.on("error", (error) => fail(codeOf(error)));
    connect.once("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) {
        socket.setTimeout(0);
        resolve(socket);
      } else {
        fail(`PROXY_${statusCode}`);
        socket.destroy();
      }
    });
    connect.end();
  });
}

function credentials({ username, password }: URL): { readonly "proxy-authorization"?: string } {
  if (username === "" && password === "") return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(text).toString("base64")}` };
}
