import type { DiagnosticEvent, EngineEvent, Operation, StepMetadata, SummaryEvent } from "../engine/events";
import type { Properties } from "../engine/property";
import { isDefaultProvider, nameOf } from "../engine/urn";

/** What a run of an engine did. */
export interface RunResult {
  /** The command's exit code; null where a signal ended it. */
  readonly exit: number | null;
  /** The signal that ended the command; null where it ended by itself. */
  readonly signal: NodeJS.Signals | null;
  /** What it printed. */
  readonly stdout: string;
  /** What it printed to standard error. */
  readonly stderr: string;
  /** All events, in order. */
  readonly events: readonly EngineEvent[];
  /**
   * What was done, as reported at the completion of each step; in a preview, what would be done. Steps of default
   * providers are not among them: no program declares those, and only the Pulumi CLI reports them.
   */
  readonly steps: readonly Step[];
  /** The steps that changed something, as `create app`. */
  readonly changes: readonly string[];
  /** Warnings and errors, without markup. */
  readonly diagnostics: readonly Diagnostic[];
  /** The stack's outputs, each secret as `[secret]`; empty where the run did not come to them. */
  readonly outputs: Properties;
  /** The counts of the run's end; absent where it did not come to it. */
  readonly summary?: SummaryEvent;
  /** From the start of the command to its end, in milliseconds. */
  readonly durationMs: number;
  /** The process that ran the providers. Known of the embedded engine only. */
  readonly hostPid?: number;
}

/** One step of a run. */
export interface Step {
  /** What was done. */
  readonly op: Operation;
  /** The resource that it was done to. */
  readonly urn: string;
  /** Whether it failed. */
  readonly failed: boolean;
  /** The inputs that made it a replacement. */
  readonly keys: readonly string[];
}

/** A warning or an error. */
export interface Diagnostic {
  /** How bad it is. */
  readonly severity: "warning" | "error";
  /** The resource it is about; empty for one about the run. */
  readonly urn: string;
  /** What it says. */
  readonly message: string;
}

/** How a command ended, before its events were read. */
export type RunEnd = Pick<RunResult, "exit" | "signal" | "stdout" | "stderr" | "durationMs">;

/** The result of a command that has ended and left an event log. */
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

/** The events of a log, a JSON object a line. A last line cut off by a kill is left out. */
export function parseEvents(log: string): EngineEvent[] {
  const lines = log.split("\n");
  const last = lines.pop() ?? "";
  return [...lines.filter((line) => line !== ""), ...(isJson(last) ? [last] : [])].map(
    (line) => JSON.parse(line) as EngineEvent,
  );
}

function stepsOf(command: string, events: readonly EngineEvent[]): Step[] {
  // A preview only plans; a run with a preview before it reports both, and only the second is what was done.
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

/** Without the colour directives the CLI puts into messages. */
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
