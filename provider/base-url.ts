import { isIP } from "node:net";
import { ConfigError } from "./errors";
import { withoutTrailing } from "./text";

export interface BaseUrl {
  /** E.g. `https://host:8443`. */
  readonly origin: string;
  /** Path that all routes begin with, without a trailing slash, e.g. `/api/v2`. */
  readonly prefix: string;
  /** Whether the service is on this machine. */
  readonly loopback: boolean;
}

/**
 * Reads a base URL. The credential is sent to it, so it must be https, or http on this machine, without user
 * information, query or fragment. Throws a `ConfigError` that names the setting and does not repeat the text.
 */
export function parseBaseUrl(text: string, setting = "keyplane:baseUrl"): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new ConfigError(`${setting} is not a valid URL. It must look like https://HOST/api/v2`);
  }
  const loopback = isLoopback(url.hostname);
  if (url.protocol === "http:" && !loopback) {
    throw new ConfigError(`${setting} must begin with https://. http:// is allowed only for this machine`);
  }
  if (url.username !== "" || url.password !== "" || text.includes("@")) {
    throw new ConfigError(
      `${setting} must not contain a user name or password. Put the credential into ${setting.replace("baseUrl", "apiKey")}`,
    );
  }
  if (text.includes("?") || text.includes("#"))
    throw new ConfigError(`${setting} must not contain a query or a fragment. Remove them`);
  return { origin: url.origin, prefix: withoutTrailing(url.pathname, "/"), loopback };
}

/** Whether the name of a host in a URL is one of this machine. */
export function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}
