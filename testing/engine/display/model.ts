// The state of a run, collected from its events. Both displays use it.
import type { DiagnosticEvent, EngineEvent, Operation, StepMetadata, SummaryEvent } from "../run/events";
import type { Properties } from "../state/property";
import { oneLine } from "./text";

/** One step of one resource. */
export interface Row {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly op: Operation;
  /** The inputs that changed. */
  readonly changed: readonly string[];
  readonly state: "running" | "done" | "failed";
  /** Start time in milliseconds. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The latest message of the step. */
  readonly message: string;
}

/** All messages of one resource, in order. */
export interface Messages {
  readonly title: string;
  readonly lines: readonly Pick<DiagnosticEvent, "severity" | "message">[];
}

/** Collects the events of one pass of a run. */
export class RunModel {
  private readonly running = new Map<string, Row>();
  private readonly said = new Map<string, { severity: DiagnosticEvent["severity"]; message: string }[]>();
  /** The outputs of the stack, once they are known. */
  outputs: Properties = {};
  summary: SummaryEvent | undefined;
  failures = 0;

  /**
   * Processes an event.
   * @returns the row that the event starts, ends or updates with a message.
   */
  take(event: EngineEvent, now: number): Row | undefined {
    if (event.summaryEvent) this.summary = event.summaryEvent;
    if (event.diagnosticEvent) return this.takeMessage(event.diagnosticEvent);
    if (event.resourcePreEvent) return this.begin(event.resourcePreEvent.metadata, now);
    if (event.resOutputsEvent) return this.end(event.resOutputsEvent.metadata, "done", now);
    if (event.resOpFailedEvent) return this.end(event.resOpFailedEvent.metadata, "failed", now);
    return undefined;
  }

  /** The active steps, oldest first. */
  get active(): Row[] {
    return [...this.running.values()];
  }

  /** The messages to keep, by resource. Messages without a resource come last. */
  get messages(): Messages[] {
    const urns = [...this.said.keys()].toSorted((a, b) => Number(a === "") - Number(b === ""));
    return urns.map((urn) => ({ title: urn && titleOf(urn), lines: this.said.get(urn) ?? [] }));
  }

  private begin(metadata: StepMetadata, now: number): Row {
    const row: Row = { ...rowOf(metadata), state: "running", startedAt: now, message: "" };
    this.running.set(metadata.urn, row);
    return row;
  }

  private end(metadata: StepMetadata, state: "done" | "failed", now: number): Row | undefined {
    const begun = this.running.get(metadata.urn);
    this.running.delete(metadata.urn);
    if (metadata.type === STACK_TYPE && metadata.new) this.outputs = metadata.new.outputs ?? {};
    // A preview reports a component twice: when it is registered, and when its outputs are.
    if (!begun && state === "done") return undefined;
    if (state === "failed") this.failures += 1;
    const message = state === "failed" ? this.lastError(metadata.urn) : "";
    return { ...rowOf(metadata), state, startedAt: begun?.startedAt ?? now, endedAt: now, message };
  }

  private takeMessage({ urn = "", severity, message, ephemeral }: DiagnosticEvent): Row | undefined {
    if (severity === "debug") return undefined;
    if (!ephemeral) this.keep(urn, severity, message);
    const row = this.running.get(urn);
    if (row === undefined) return undefined;
    const told = { ...row, message: oneLine(message) };
    this.running.set(urn, told);
    return told;
  }

  private keep(urn: string, severity: DiagnosticEvent["severity"], message: string): void {
    const lines = this.said.get(urn);
    if (lines) lines.push({ severity, message });
    else this.said.set(urn, [{ severity, message }]);
  }

  private lastError(urn: string): string {
    return oneLine(this.said.get(urn)?.findLast(({ severity }) => severity === "error")?.message ?? "");
  }
}

/** The type of the row for the whole stack. */
export const STACK_TYPE = "pulumi:pulumi:Stack";

function rowOf({
  urn,
  type,
  op,
  diffs = [],
  keys = [],
}: StepMetadata): Pick<Row, "urn" | "type" | "name" | "op" | "changed"> {
  // Names with this prefix belong to the engine or to keyplane's provider code, not to the user.
  const changed = [...new Set([...keys, ...diffs])].filter((key) => !key.startsWith("__"));
  return { urn, type: shortType(type), name: nameOf(urn), op, changed };
}

/** Shortens a type to its package and name: `keyplane:ApiKey`. */
function shortType(type: string): string {
  return type.replace(/^pulumi-nodejs:dynamic\//, "");
}

function nameOf(urn: string): string {
  return oneLine(urn.slice(urn.lastIndexOf("::") + 2));
}

function titleOf(urn: string): string {
  const [, , qualifiedType = ""] = urn.split("::");
  return `${shortType(qualifiedType.slice(qualifiedType.lastIndexOf("$") + 1))} (${nameOf(urn)})`;
}
