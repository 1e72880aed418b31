// Sends, retries, limits, cancels and reports requests, each as one promise. This folder contains no endpoints.

export { formatReason, onAbort, withLinked } from "./abort-signals";
export { parseBaseUrl } from "./base-url";
export { HttpClient, type Retry } from "./client";
export { type Clock, systemClock } from "./clock";
export type { DiagnosticMessage } from "./diagnostics";
export type { HttpAnswer, HttpRequest } from "./types";
