import type { BaseUrl } from "../base-url";
import { ConfigError } from "../errors";
import type { ProxyName } from "./types";

/** A proxy that the environment names. */
export interface HttpProxy extends ProxyName {
  /** May contain a password. */
  readonly url: URL;
}

interface Variable {
  readonly name: string;
  readonly text: string;
}

/**
 * The proxy for requests to a service; undefined if they use none. A service on this machine never needs one. Throws a `ConfigError` that names the variable
 * and does not repeat the address, which may contain a password.
 */
export function proxyFor({ origin, loopback }: BaseUrl): HttpProxy | undefined {
  const named = loopback ? undefined : namedProxy();
  return named === undefined || isExempt(new URL(origin)) ? undefined : parse(named);
}

/**
 * The variable of curl that names a proxy for all protocols, if it is the only one that names a proxy. It has no effect, as
 * in the Pulumi CLI and in its other providers.
 */
export function ignoredProxy(): string | undefined {
  return namedProxy() === undefined ? read("ALL_PROXY")?.name : undefined;
}

const namedProxy = (): Variable | undefined => read("HTTPS_PROXY") ?? read("HTTP_PROXY");

function read(variable: string): Variable | undefined {
  for (const name of [variable.toLowerCase(), variable]) {
    const text = process.env[name];
    if (text) return { name, text };
  }
  return undefined;
}

/** Whether NO_PROXY names the host: `HOST` with all hosts below it, also as `.HOST` and `*.HOST`, `HOST:PORT`, or `*`. */
function isExempt({ hostname, port }: URL): boolean {
  const entries = (read("NO_PROXY")?.text ?? "").toLowerCase().split(/[,\s]/);
  return entries.some((entry) => {
    const colon = entry.lastIndexOf(":");
    const only = colon < 0 ? "" : entry.slice(colon + 1);
    const hasPort = /^\d+$/.test(only);
    if (hasPort && only !== (port || "443")) return false;
    const name = (hasPort ? entry.slice(0, colon) : entry).replace(/^\*?\./, "");
    return name === "*" || (name !== "" && `.${hostname}`.endsWith(`.${name}`));
  });
}

/** Parsed here, because the error of `URL` contains the whole text. */
function parse({ name, text }: Variable): HttpProxy {
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || holdsStrayPassword(url)) {
    throw new ConfigError(
      `${name} is not the address of an HTTP proxy. It must look like http://HOST:PORT. Percent-encode special characters ` +
        "in a password",
    );
  }
  return { url, address: url.host, variable: name };
}

/** Whether the password has special characters that are not encoded, so that a part of it can be elsewhere in the URL. */
function holdsStrayPassword({ username, password, pathname, search, hash }: URL): boolean {
  if (`${pathname}${search}${hash}`.includes("@")) return true;
  try {
    decodeURIComponent(username + password);
    return false;
  } catch {
    return true;
  }
}
