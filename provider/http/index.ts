// Sends, retries, limits, cancels and reports requests, each as one promise. This folder contains no endpoints.

export { formatReason, onAbort, withLinked } from "./abort-signals";
export { type BaseUrl, parseBaseUrl } from "./base-url";
export { HttpClient, type HttpOptions, type Retry } from "./client";
export { type Clock, systemClock } from "./clock";
export { type DiagnosticMessage, type Point, publishDiagnostic } from "./diagnostics";
export type { HttpAnswer, HttpRequest, Method, Replay } from "./types";
