/** A step: one operation on one resource. */

import type { Deployment } from "../run/deployment";
import type { Operation } from "../run/events";
import type { ResourceState } from "../state/checkpoint";
import type { Resource } from "../state/resource";

/** The result of a step. */
export interface Outcome {
  /** Why it failed. */
  readonly error?: Error;
  /** True if the step took effect although it failed: the resource exists but is not ready. */
  readonly partial?: boolean;
  /** Resumes what waits for the step. Called after the result is recorded. */
  readonly complete?: () => void;
}

/** One step of a run. */
export interface Step {
  readonly op: Operation;
  readonly urn: string;
  /** The resource before the step. */
  readonly old?: Resource | undefined;
  /** The resource after the step. */
  readonly new?: Resource | undefined;
  /** The inputs that cause a replacement. */
  readonly keys?: readonly string[];
  /** The inputs that changed. */
  readonly diffs?: readonly string[];
  /** True if the program requested the step, false if it follows from another step. */
  readonly logical: boolean;

  apply(deployment: Deployment): Promise<Outcome>;
}

/** Returns the latest known resource of a step. */
export function subjectOf(step: Step): Resource {
  const subject = step.op === "refresh" ? step.old : (step.new ?? step.old);
  if (subject === undefined) throw new Error(`a step without a resource: ${step.op} ${step.urn}`);
  return subject;
}

/** Combines the reasons why a resource is not ready into one error. */
export function notReady(reasons: readonly string[]): Error {
  const count = reasons.length === 1 ? "1 error occurred" : `${reasons.length} errors occurred`;
  return new Error(`${count}:\n${reasons.map((reason) => `\t* ${reason}`).join("\n")}`);
}

/** Returns the current time in checkpoint format. */
export function timestamp(): string {
  return new Date().toISOString();
}

/** Returns the id of a resource that must have one. */
export function idOf(state: ResourceState): string {
  return state.id ?? "";
}
