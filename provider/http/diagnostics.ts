import { channel } from "node:diagnostics_channel";

/** Moments of a request, in the order in which they come, and the end of the verb that it belongs to. */
export type Point = "before-send" | "after-send" | "after-answer" | "after-body" | "before-return";

/** What is published on the diagnostics channel `keyplane:provider`. */
export interface DiagnosticMessage {
  readonly point: string;
  /** Method and path template of the request; verb and kind at the end of a verb. */
  readonly route: string;
}

const points = channel("keyplane:provider");

/** Tells whoever has subscribed to `keyplane:provider` that the point was reached; free where nobody has. */
export function publishDiagnostic(point: string, route: string): void {
  if (points.hasSubscribers) points.publish({ point, route } satisfies DiagnosticMessage);
}
