// Sends, retries, limits, cancels and reports requests, each as one promise. This folder contains no endpoints.

export { formatReason, onAbort, withLinked } from "./abort-signals";
export { HttpClient, type Retry } from "./client";
export { type Clock, systemClock } from "./clock";
export type { HttpAnswer, HttpRequest } from "./types";
