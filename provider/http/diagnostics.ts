import { channel } from "node:diagnostics_channel";

/** The points of a request, in order, and the end of the verb that it belongs to. */
export type Point = "before-send" | "after-send" | "after-answer" | "after-body" | "before-return";

/** A message on the diagnostics channel `keyplane:provider`. */
export interface DiagnosticMessage {
  readonly point: string;
  /** Method and path template of the request; at the end of a verb, the verb and the resource type. */
  readonly route: string;
}

const points = channel("keyplane:provider");

/** Publishes on `keyplane:provider` that the point was reached. Costs nothing without subscribers. */
export function publishDiagnostic(point: string, route: string): void {
  if (points.hasSubscribers) points.publish({ point, route } satisfies DiagnosticMessage);
}
