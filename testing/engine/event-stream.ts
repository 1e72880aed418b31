/** Events on their way: numbered, and handed to whoever listens - the display, the log, the digest. */
import { openSync, writeSync } from "node:fs";
import type { EngineEvent, EngineEventBody } from "./events";

/** Gets each event. */
export type EventListener = (event: EngineEvent) => void;

/** Numbers the events of one command, over all its passes. */
export class EventStream {
  private sequence = 0;

  constructor(
    private readonly listeners: readonly EventListener[],
    /** Milliseconds since 1970. */
    private readonly now: () => number = Date.now,
  ) {}

  /** Hands an event to all listeners. Bound: may be passed on as a function. */
  readonly emit = (body: EngineEventBody): void => {
    const event = { sequence: this.sequence, timestamp: Math.floor(this.now() / 1000), ...body };
    this.sequence += 1;
    for (const listener of this.listeners) listener(event);
  };
}

/** A listener that writes the log of `--event-log`: each event at once, so that a kill loses none. */
export function eventLog(path: string): EventListener {
  const file = openSync(path, "w");
  return (event) => {
    writeSync(file, `${JSON.stringify(event)}\n`);
  };
}
