import { channel } from "node:diagnostics_channel";

/** A message on the diagnostics channel `keyplane:provider`. */
export interface DiagnosticMessage {
  /** `before-send`, `after-send`, `after-answer` and `after-body` of a request, and `before-return` of its verb. */
  readonly point: string;
  /** Method and path template of the request; at the end of a verb, the verb and the resource type. */
  readonly route: string;
}

const points = channel("keyplane:provider");

/** Publishes on `keyplane:provider` that the point was reached. Costs nothing without subscribers. */
export function publishDiagnostic(point: string, route: string): void {
  if (points.hasSubscribers) points.publish({ point, route } satisfies DiagnosticMessage);
}
