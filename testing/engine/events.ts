/** The engine's events, in the JSON of Pulumi's `--event-log`: one event a line, one kind of event in each. */
import type { Json, Properties } from "./property";

/** What a step does. */
export type Operation =
  | "same"
  | "create"
  | "update"
  | "delete"
  | "replace"
  | "create-replacement"
  | "delete-replaced"
  | "read"
  | "read-replacement"
  | "discard"
  | "discard-replaced"
  | "remove-pending-replace"
  | "refresh"
  | "import"
  | "import-replacement";

/** One event: `sequence`, `timestamp` (Unix time, seconds), and exactly one of the others. */
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
  /** The plugin host has started. Only this engine says so: tests of crashes need the process. */
  readonly hostEvent?: HostEvent;
}

/** An event before it has been numbered. */
export type EngineEventBody = Omit<EngineEvent, "sequence" | "timestamp">;

/** A run begins, with this configuration (secrets as `[secret]`). */
export interface PreludeEvent {
  readonly config: Readonly<Record<string, string>>;
}

/** A step is about to be taken, or has been taken. */
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

/** What a step is about. */
export interface StepMetadata {
  readonly op: Operation;
  readonly urn: string;
  readonly type: string;
  readonly old: StepState | null;
  readonly new: StepState | null;
  /** The inputs that make it a replacement. */
  readonly keys?: readonly string[];
  /** The inputs that changed. */
  readonly diffs?: readonly string[];
  readonly detailedDiff: Readonly<Record<string, { readonly diffKind: string; readonly inputDiff: boolean }>> | null;
  /** True for a step of the program, false for what follows from one (such as the delete of what was replaced). */
  readonly logical?: boolean;
  readonly provider: string;
}

/** A resource before or after a step, with its secrets as `[secret]`. */
export interface StepState {
  readonly type: string;
  readonly urn: string;
  readonly custom?: boolean;
  readonly delete?: boolean;
  readonly id: string;
  readonly parent: string;
  readonly protect?: boolean;
  readonly taint?: boolean;
  readonly external?: boolean;
  readonly retainOnDelete?: boolean;
  readonly inputs: Properties;
  readonly outputs: Properties;
  readonly provider: string;
  readonly initErrors?: readonly string[];
  readonly hideDiffs?: readonly Json[];
}

/** How much a message matters; `info#err` is what a process wrote to its standard error. */
export type Severity = "debug" | "info" | "info#err" | "warning" | "error";

/** A message, of one resource where `urn` is given. */
export interface DiagnosticEvent {
  readonly urn?: string;
  readonly prefix?: string;
  readonly message: string;
  readonly color: string;
  readonly severity: Severity;
  readonly streamID?: number;
  /** Shown in the resource's row while it is being worked on, and nowhere later. */
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
  /** Steps by operation. */
  readonly resourceChanges: Readonly<Partial<Record<Operation, number>>>;
  readonly PolicyPacks: Readonly<Record<string, string>>;
  readonly isPreview: boolean;
  readonly result: "succeeded" | "failed";
}

/** The process that runs the providers, leader of its own process group. */
export interface HostEvent {
  readonly pid: number;
}

/** What stands for a secret in events and on the screen. */
export const SECRET_MARK = "[secret]";
