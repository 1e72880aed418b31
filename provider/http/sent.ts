import { subscribe } from "node:diagnostics_channel";
import { publishPoint } from "./points";

/** Header that names a request; it also ties undici's own request object to the attempt that made it. */
export const REQUEST_ID_HEADER = "x-request-id";

/** Whether the attempt's headers were handed to a connection. */
export interface SentMark {
  readonly route: string;
  sent: boolean;
}

const watched = new Map<string, SentMark>();
let subscribed = false;

/**
 * Watches one attempt, known by its request id, until `unwatch`. Error codes cannot tell whether a request was sent
 * (`ECONNRESET` comes before and after); undici's diagnostics channel can, and errs only towards "sent".
 */
export function watchSent(requestId: string, route: string): SentMark {
  if (!subscribed) {
    subscribed = true;
    subscribe("undici:client:sendHeaders", onSendHeaders);
  }
  const mark: SentMark = { route, sent: false };
  watched.set(requestId, mark);
  return mark;
}

/** Ends the watch. */
export function unwatchSent(requestId: string): void {
  watched.delete(requestId);
}

function onSendHeaders(message: unknown): void {
  if (watched.size === 0) return;
  const headers = (message as { request?: { headers?: unknown } }).request?.headers;
  // Requests of other users of undici in this process come by, too; headers of HTTP/1 requests are a flat list.
  if (!Array.isArray(headers)) return;
  const at = headers.indexOf(REQUEST_ID_HEADER);
  const mark = at < 0 ? undefined : watched.get(String(headers[at + 1]));
  if (mark === undefined || mark.sent) return;
  mark.sent = true;
  // undici tells before it writes, and writes before it returns.
  process.nextTick(publishPoint, "after-send", mark.route);
}
