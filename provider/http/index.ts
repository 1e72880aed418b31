// Requests that are sent, repeated, limited, cancelled and reported as one promise each; no endpoint is known here.
export { type BaseUrl, parseBaseUrl } from "./base-url";
export { HttpClient, type HttpOptions, type Retry } from "./client";
export { type Clock, systemClock } from "./clock";
export { linkSignals } from "./link-signals";
export { onAbort, sayReason } from "./on-abort";
export { type Point, type PointMessage, publishPoint } from "./points";
export { cleanText, printable, printableJson } from "./text";
export type { HttpAnswer, HttpRequest, Method, Replay } from "./types";
