/**
 * The engine's events in the JSON format of Pulumi's `--event-log`: one event per line, with one kind of event each.
 */
import type { Properties } from "../state/property";

/** The operation of a step. */
export type Operation =
  | "same"
  | "create"
  | "update"
  | "delete"
  | "replace"
  | "create-replacement"
  | "delete-replaced"
  | "remove-pending-replace"
  | "refresh";

/** One event: `sequence`, `timestamp` (Unix time in seconds), and exactly one of the other fields. */
export interface EngineEvent {
  readonly sequence: number;
  readonly timestamp: number;
  readonly preludeEvent?: PreludeEvent;
  readonly resourcePreEvent?: StepEvent;
  readonly resOutputsEvent?: StepEvent;
  readonly resOpFailedEvent?: FailedEvent;
  readonly diagnosticEvent?: DiagnosticEvent;
  readonly stdoutEvent?: StdoutEvent;
  readonly summaryEvent?: SummaryEvent;
  readonly cancelEvent?: Record<string, never>;
  readonly errorEvent?: { readonly error: string };
  /** The plugin host or a plugin has started. Only this engine reports it, because crash tests need the process. */
  readonly hostEvent?: HostEvent;
}

/** An event without its number. */
export type EngineEventBody = Omit<EngineEvent, "sequence" | "timestamp">;

/** A run starts with this configuration (secrets as `[secret]`). */
export interface PreludeEvent {
  readonly config: Readonly<Record<string, string>>;
}

/** A step starts, or has ended. */
export interface StepEvent {
  readonly metadata: StepMetadata;
  /** True in a preview. */
  readonly planning?: boolean;
}

/** A step has failed. */
export interface FailedEvent {
  readonly metadata: StepMetadata;
  readonly status: number;
  readonly steps: number;
}

/** Description of a step. */
export interface StepMetadata {
  readonly op: Operation;
  readonly urn: string;
  readonly type: string;
  readonly old: StepState | null;
  readonly new: StepState | null;
  /** The inputs that cause a replacement. */
  readonly keys?: readonly string[];
  /** The inputs that changed. */
  readonly diffs?: readonly string[];
  readonly detailedDiff: Readonly<Record<string, { readonly diffKind: string; readonly inputDiff: boolean }>> | null;
  /**
   * True for a step of the program, false for a step that follows from one (such as the delete after a replacement).
   */
  readonly logical?: boolean;
  readonly provider: string;
}

/** A resource before or after a step, with secrets as `[secret]`. */
export interface StepState {
  readonly type: string;
  readonly urn: string;
  readonly custom?: boolean;
  readonly delete?: boolean;
  readonly id: string;
  readonly parent: string;
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
  readonly inputs: Properties;
  readonly outputs: Properties;
  readonly provider: string;
  readonly initErrors?: readonly string[];
}

/** Severity of a message. `info#err` is standard error output of a process. */
export type Severity = "debug" | "info" | "info#err" | "warning" | "error";

/** A message, about one resource if `urn` is set. */
export interface DiagnosticEvent {
  readonly urn?: string;
  readonly prefix?: string;
  readonly message: string;
  readonly color: string;
  readonly severity: Severity;
  readonly streamID?: number;
  /** True if the message is shown only in the resource's row while the resource is in progress. */
  readonly ephemeral?: boolean;
}

/** A line of the command's own output. */
export interface StdoutEvent {
  readonly message: string;
  readonly color: string;
}

/** A run has ended. */
export interface SummaryEvent {
  readonly maybeCorrupt: boolean;
  readonly durationSeconds: number;
  /** Number of steps by operation. */
  readonly resourceChanges: Readonly<Partial<Record<Operation, number>>>;
  readonly PolicyPacks: Readonly<Record<string, string>>;
  readonly isPreview: boolean;
  readonly result: "succeeded" | "failed";
}

/** A process that runs providers. It leads its own process group. */
export interface HostEvent {
  readonly pid: number;
  /** The package whose resources it provides. */
  readonly package: string;
}

/** Replaces a secret in events and on the screen. */
export const SECRET_MARK = "[secret]";
