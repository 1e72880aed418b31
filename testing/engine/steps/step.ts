/** What a step is: one thing done to one resource. */
import type { ResourceState } from "../checkpoint";
import type { Deployment } from "../deployment";
import type { Operation } from "../events";
import type { RegisterResult } from "../goal";
import type { Resource } from "../resource";

/** How a step ended. */
export interface Outcome {
  /** Why it failed. */
  readonly error?: Error;
  /** True where it took effect though it failed: the resource exists, but is not ready. */
  readonly partial?: boolean;
  /** Lets go on what waits for the step, once its result is recorded. */
  readonly complete?: () => void;
}

/** One step of a run. */
export interface Step {
  readonly op: Operation;
  readonly urn: string;
  /** The resource before. */
  readonly old?: Resource | undefined;
  /** The resource after. */
  readonly new?: Resource | undefined;
  /** The inputs that make it a replacement. */
  readonly keys?: readonly string[];
  /** The inputs that changed. */
  readonly diffs?: readonly string[];
  /** Whether the program asked for it, rather than that it follows from such a step. */
  readonly logical: boolean;
  /** Whether the resource is left out of a limited run, and so not looked at. */
  readonly untargeted?: boolean;
  /** Whether it stands for a creation left out of a limited run: nothing is recorded. */
  readonly skippedCreate?: boolean;

  apply(deployment: Deployment): Promise<Outcome>;

  /** Answers the program that the resource failed, or was skipped because of another one. */
  abandon(result: Exclude<RegisterResult["result"], "success">): void;
}

/** The resource a step is about, as it is last known. */
export function subjectOf(step: Step): Resource {
  const subject = step.op === "refresh" ? step.old : (step.new ?? step.old);
  if (subject === undefined) throw new Error(`a step without a resource: ${step.op} ${step.urn}`);
  return subject;
}

/** The reasons why a resource is not ready, as one error. */
export function notReady(reasons: readonly string[]): Error {
  const count = reasons.length === 1 ? "1 error occurred" : `${reasons.length} errors occurred`;
  return new Error(`${count}:\n${reasons.map((reason) => `\t* ${reason}`).join("\n")}`);
}

/** Now, as a checkpoint says it. */
export function timestamp(): string {
  return new Date().toISOString();
}

/** The id of a resource that must have one. */
export function idOf(state: ResourceState): string {
  return state.id ?? "";
}
