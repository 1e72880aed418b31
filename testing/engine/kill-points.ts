/** Named moments of a run at which crash tests kill the engine. */
import { channel } from "node:diagnostics_channel";

/** A moment: around the write of a pending operation, the call of the provider, and the write of its result. */
export type KillPoint =
  | "before-pending-write"
  | "after-pending-write"
  | "before-call"
  | "after-call"
  | "before-state-write"
  | "after-state-write";

/** What is published on the channel `keyplane:engine`, synchronously. */
export interface KillPointMessage {
  readonly point: KillPoint;
  readonly urn: string;
  /** The step's operation, or for a call the provider's method. */
  readonly op: string;
}

const points = channel("keyplane:engine");

/** Says that a moment has come. Costs nothing where nobody listens. */
export function reachKillPoint(point: KillPoint, urn: string, op: string): void {
  if (points.hasSubscribers) points.publish({ point, urn, op } satisfies KillPointMessage);
}
