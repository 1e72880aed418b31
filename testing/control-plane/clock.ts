/**
 * How the control plane's clock moves. `real` follows the machine's clock. `auto` also follows it, and jumps ahead by
 * `stepMs` at each poll of an operation. `driven` stands still. `advance` moves the clock in every mode.
 */
export type ClockMode = "real" | "auto" | "driven";

/** Settings of the clock. */
export interface ClockSettings {
  /** How the clock moves. */
  mode: ClockMode;
  /** Milliseconds that each poll of an operation adds in mode `auto`. @default 1000 */
  stepMs: number;
  /** Milliseconds added to every timestamp and to the `Date` header. Does not affect durations. @default 0 */
  offsetMs: number;
}

/** The clock's settings and current readings. */
export interface ClockReading extends ClockSettings {
  /** The time that timestamps and the `Date` header show, in epoch milliseconds. */
  now: number;
  /** The time that durations are measured with, in epoch milliseconds: `now` without the offset. */
  timeline: number;
}

/** The clock as the data file stores it. */
export type ClockSnapshot = ClockSettings & {
  /** The clock's position in mode `driven`, else how far it is ahead of the machine's clock. */
  position: number;
};

/** The clock that drives operations and timestamps all records. */
export class PlaneClock {
  private settings: ClockSettings;
  private anchor = Date.now();
  private anchoredAt = this.anchor;

  /** @param settings - Omitted settings take their defaults. The default mode is `auto`. */
  constructor(settings: Partial<ClockSettings> = {}) {
    this.settings = { mode: "auto", stepMs: 1000, offsetMs: 0, ...settings };
  }

  /** The time that durations are measured with, in epoch milliseconds. */
  timeline(): number {
    return this.settings.mode === "driven" ? this.anchor : this.anchor + (Date.now() - this.anchoredAt);
  }

  /** The time that timestamps and the `Date` header show, in epoch milliseconds. */
  now(): number {
    return this.timeline() + this.settings.offsetMs;
  }

  /** Moves the clock ahead. */
  advance(ms: number): void {
    this.anchor += ms;
  }

  /** Tells the clock that an operation was polled. */
  polled(): void {
    if (this.settings.mode === "auto") this.advance(this.settings.stepMs);
  }

  /** Changes the settings. The timeline continues from its current position. */
  set(settings: Partial<ClockSettings>): void {
    this.anchor = this.timeline();
    this.anchoredAt = Date.now();
    this.settings = { ...this.settings, ...settings };
  }

  /** Returns the settings and the current readings. */
  read(): ClockReading {
    return { ...this.settings, now: this.now(), timeline: this.timeline() };
  }

  /** Returns what the data file stores. */
  save(): ClockSnapshot {
    const driven = this.settings.mode === "driven";
    return { ...this.settings, position: driven ? this.anchor : this.timeline() - Date.now() };
  }

  /** Restores the clock from a data file. */
  load({ position, ...settings }: ClockSnapshot): void {
    this.settings = settings;
    this.anchoredAt = Date.now();
    this.anchor = settings.mode === "driven" ? position : this.anchoredAt + position;
  }
}

/** Formats a time as the service does: ISO 8601, UTC, whole seconds. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
