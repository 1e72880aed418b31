/** Named moments of a run at which crash tests kill the engine. */
import { channel } from "node:diagnostics_channel";

/** A moment before or after the write of a pending operation, the provider call, or the write of its result. */
export type KillPoint =
  | "before-pending-write"
  | "after-pending-write"
  | "before-call"
  | "after-call"
  | "before-state-write"
  | "after-state-write";

/** Published synchronously on the channel `keyplane:engine`. */
export interface KillPointMessage {
  readonly point: KillPoint;
  readonly urn: string;
  /** The step's operation. For a call, the provider's method. */
  readonly op: string;
}

const points = channel("keyplane:engine");

/** Publishes a kill point. Has no cost without listeners. */
export function reachKillPoint(point: KillPoint, urn: string, op: string): void {
  if (points.hasSubscribers) points.publish({ point, urn, op } satisfies KillPointMessage);
}
