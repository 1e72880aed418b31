/**
 * How the plane's clock moves: `real` follows the machine's clock; `auto` does too and jumps ahead by `stepMs` at every
 * poll of an operation; `driven` stands still. All three also move by `advance`.
 */
export type ClockMode = "real" | "auto" | "driven";

/** The clock as tests see and set it. */
export interface ClockSettings {
  /** How the clock moves. */
  mode: ClockMode;
  /** Milliseconds that each poll of an operation adds in mode `auto`. @default 1000 */
  stepMs: number;
  /** Milliseconds by which every timestamp and the `Date` header are off; durations do not feel it. @default 0 */
  offsetMs: number;
}

/** The clock's settings and its present readings. */
export interface ClockReading extends ClockSettings {
  /** What timestamps and the `Date` header show now, in epoch milliseconds. */
  now: number;
  /** Where durations are measured, in epoch milliseconds: `now` without the offset. */
  timeline: number;
}

/** The clock as it is kept in the data file. */
export type ClockSnapshot = ClockSettings & {
  /** Where the clock stood (`driven`), or how far it was ahead of the machine's clock. */
  position: number;
};

/** The clock by which operations advance and which stamps every record. */
export class PlaneClock {
  private settings: ClockSettings;
  private anchor = Date.now();
  private anchoredAt = this.anchor;

  /** @param settings - What is not given takes its default; the mode is `auto`. */
  constructor(settings: Partial<ClockSettings> = {}) {
    this.settings = { mode: "auto", stepMs: 1000, offsetMs: 0, ...settings };
  }

  /** Epoch milliseconds on which durations are measured. */
  timeline(): number {
    return this.settings.mode === "driven" ? this.anchor : this.anchor + (Date.now() - this.anchoredAt);
  }

  /** Epoch milliseconds that timestamps and the `Date` header show. */
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

  /** Changes the settings; the timeline goes on from where it stands. */
  set(settings: Partial<ClockSettings>): void {
    this.anchor = this.timeline();
    this.anchoredAt = Date.now();
    this.settings = { ...this.settings, ...settings };
  }

  /** The settings and the present readings. */
  read(): ClockReading {
    return { ...this.settings, now: this.now(), timeline: this.timeline() };
  }

  /** What the data file keeps. */
  save(): ClockSnapshot {
    const driven = this.settings.mode === "driven";
    return { ...this.settings, position: driven ? this.anchor : this.timeline() - Date.now() };
  }

  /** Takes up where a data file left off. */
  load({ position, ...settings }: ClockSnapshot): void {
    this.settings = settings;
    this.anchoredAt = Date.now();
    this.anchor = settings.mode === "driven" ? position : this.anchoredAt + position;
  }
}

/** A time as the service writes it: ISO 8601, UTC, whole seconds. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
