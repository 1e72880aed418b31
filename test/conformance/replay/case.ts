import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../../testing/engine/state/property";
import type { EngineCommandName } from "../../../testing/workspace";

/** A recording of what the real engine did. */
export interface Case {
  readonly name: string;
  readonly about: string;
  readonly steps: readonly CaseStep[];
}

/** One command of a case. */
export interface CaseStep {
  readonly command: EngineCommandName;
  /** The program. If absent, the program of the previous step. */
  readonly program?: string;
  readonly args?: readonly string[];
  /** What the provider finds in the outside world. */
  readonly world?: Json;
  /** The engine is killed 0.3 s after this text appears in the log of calls. */
  readonly killAfter?: string;
  /** The engine gets one SIGINT (Ctrl+C once) 0.3 s after this text appears in the log of calls. */
  readonly interruptAfter?: string;
  /** How long processes that outlive a killed engine may take to end, in seconds. */
  readonly settle?: number;
  readonly expect: Observed;
}

/** The parts of a step that are compared: as recorded in the case, or as observed in the replay. */
export interface Observed {
  readonly exit: "ok" | "failed" | "killed";
  readonly calls: readonly Call[];
  readonly steps: readonly StepRow[];
  readonly diagnostics: readonly DiagnosticRow[];
  readonly state: ObservedState;
}

/** A call of the provider. */
export interface Call {
  readonly method: string;
  readonly args: readonly Json[];
}

/** A step as the engine reported it. */
export interface StepRow {
  readonly op: string;
  readonly urn: string;
  readonly failed?: boolean;
  readonly keys?: readonly string[];
}

/** An error or a warning. Its `urn` is empty if it does not belong to a single resource. */
export interface DiagnosticRow {
  readonly severity: string;
  readonly urn: string;
  readonly message: string;
}

/** The stack's state after the step. */
export interface ObservedState {
  readonly resources: readonly StateRow[];
  readonly pendingOperations: readonly { readonly type: string; readonly urn: string }[];
}

/** A resource of the state: its `urn` and its other fields that are not empty. */
export type StateRow = { readonly urn: string } & { readonly [field: string]: Json };

/** The cases of a folder. */
export function casesIn(folder: string): Case[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.toSorted().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Case);
}
