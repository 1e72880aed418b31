/** Numbers events and passes them to listeners: the display, the log, the digest. */
import { openSync, writeSync } from "node:fs";
import type { EngineEvent, EngineEventBody } from "../run/events";

/** Receives each event. */
export type EventListener = (event: EngineEvent) => void;

/** Numbers the events of one command, across all its passes. */
export class EventStream {
  private sequence = 0;

  constructor(
    private readonly listeners: readonly EventListener[],
    /** Current time in milliseconds since 1970. */
    private readonly now: () => number = Date.now,
  ) {}

  /** Passes an event to all listeners. Bound, so that it can be passed as a function. */
  readonly emit = (body: EngineEventBody): void => {
    const event = { sequence: this.sequence, timestamp: Math.floor(this.now() / 1000), ...body };
    this.sequence += 1;
    for (const listener of this.listeners) listener(event);
  };
}

/**
 * Creates a listener that writes the log of `--event-log`. Writes each event immediately, so that a kill loses none.
 */
export function eventLog(path: string): EventListener {
  const file = openSync(path, "w");
  return (event) => {
    writeSync(file, `${JSON.stringify(event)}\n`);
  };
}
