import type { DiagnosticEvent, EngineEvent, Operation, StepMetadata, SummaryEvent } from "../engine/run/events";
import type { Properties } from "../engine/state/property";
import { isDefaultProvider, nameOf } from "../engine/state/urn";

/** The result of an engine run. */
export interface RunResult {
  /** The command's exit code, or `null` if a signal ended it. */
  readonly exit: number | null;
  /** The signal that ended the command, or `null` if it exited on its own. */
  readonly signal: NodeJS.Signals | null;
  /** The standard output. */
  readonly stdout: string;
  /** The standard error. */
  readonly stderr: string;
  /** All events, in order. */
  readonly events: readonly EngineEvent[];
  /**
   * The steps of the run, as reported when each step ended. In a preview, the planned steps. Omits steps of default
   * providers, because no program declares them and only the Pulumi CLI reports them.
   */
  readonly steps: readonly Step[];
  /** The steps that changed something, such as `create app`. */
  readonly changes: readonly string[];
  /** Warnings and errors, without markup. */
  readonly diagnostics: readonly Diagnostic[];
  /** The stack's outputs, with each secret as `[secret]`. Empty if the run did not produce outputs. */
  readonly outputs: Properties;
  /** The summary at the end of the run. Absent if the run did not reach it. */
  readonly summary?: SummaryEvent;
  /** Duration of the command, in milliseconds. */
  readonly durationMs: number;
  /** Id of the process that ran the providers. Known only for the embedded engine. */
  readonly hostPid?: number;
}

/** One step of a run. */
export interface Step {
  /** The operation. Only the Pulumi CLI imports, reads and discards. */
  readonly op:
    | Operation
    | "import"
    | "import-replacement"
    | "read"
    | "read-replacement"
    | "discard"
    | "discard-replaced";
  /** The resource. */
  readonly urn: string;
  /** Whether the step failed. */
  readonly failed: boolean;
  /** The inputs that caused a replacement. */
  readonly keys: readonly string[];
}

/** A warning or an error. */
export interface Diagnostic {
  /** Severity of the message. */
  readonly severity: "warning" | "error";
  /** The affected resource. Empty if the message is about the run. */
  readonly urn: string;
  /** The text of the message. */
  readonly message: string;
}

/** How a command ended, without its events. */
export type RunEnd = Pick<RunResult, "exit" | "signal" | "stdout" | "stderr" | "durationMs">;

/** Builds the result of a command from its end and its event log. */
export function resultOf(command: string, end: RunEnd, eventLog: string): RunResult {
  const events = parseEvents(eventLog);
  const summary = events.findLast((event) => event.summaryEvent)?.summaryEvent;
  const host = events.find((event) => event.hostEvent)?.hostEvent;
  const steps = stepsOf(command, events).filter(({ urn }) => !isDefaultProvider(urn));
  return {
    ...end,
    events,
    steps,
    changes: steps.filter(({ op }) => op !== "same" && op !== "refresh").map(({ op, urn }) => `${op} ${nameOf(urn)}`),
    diagnostics: events.flatMap(({ diagnosticEvent }) => (diagnosticEvent ? diagnosticOf(diagnosticEvent) : [])),
    outputs: outputsOf(events),
    ...(summary && { summary }),
    ...(host && { hostPid: host.pid }),
  };
}

/** Parses an event log with one JSON object per line. Ignores a last line that a kill truncated. */
export function parseEvents(log: string): EngineEvent[] {
  const lines = log.split("\n");
  const last = lines.pop() ?? "";
  return [...lines.filter((line) => line !== ""), ...(isJson(last) ? [last] : [])].map(
    (line) => JSON.parse(line) as EngineEvent,
  );
}

function stepsOf(command: string, events: readonly EngineEvent[]): Step[] {
  // Runs with a preview report both passes. Only the second pass is what was done.
  if (command === "preview") {
    return events.flatMap(({ resourcePreEvent: event }) => (event ? stepOf(event.metadata, false) : []));
  }
  return events.flatMap(({ resOutputsEvent: done, resOpFailedEvent: failed }) => {
    if (failed) return stepOf(failed.metadata, true);
    return done && !done.planning ? stepOf(done.metadata, false) : [];
  });
}

function stepOf({ op, urn, keys = [] }: StepMetadata, failed: boolean): Step {
  return { op, urn, failed, keys };
}

function diagnosticOf({ severity, urn = "", message, ephemeral }: DiagnosticEvent): Diagnostic[] {
  if (ephemeral || (severity !== "warning" && severity !== "error")) return [];
  return [{ severity, urn, message: withoutMarkup(message).trimEnd() }];
}

/** Removes the color directives that the CLI adds to messages. */
function withoutMarkup(message: string): string {
  return message.replace(/<\{%.*?%\}>/g, "");
}

function outputsOf(events: readonly EngineEvent[]): Properties {
  const stack = events.findLast((event) => event.resOutputsEvent?.metadata.type === "pulumi:pulumi:Stack");
  return stack?.resOutputsEvent?.metadata.new?.outputs ?? {};
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
