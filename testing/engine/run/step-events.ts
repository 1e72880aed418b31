/** Reports steps as events. */
import type { ResourceState } from "../state/checkpoint";
import { type Json, mapMapSecrets, type Properties } from "../state/property";
import type { Resource } from "../state/resource";
import type { Step } from "../steps";
import { type EngineEventBody, type Operation, SECRET_MARK, type StepMetadata, type StepState } from "./events";

/** Masks known secrets in a text. */
export type Masked = (text: string) => string;

/** Describes a step for an event. `op` is the resulting operation. */
export function metadataOf(step: Step, op: Operation, masked: Masked): StepMetadata {
  const { keys = [], diffs = [] } = step;
  const subject = step.op === "refresh" ? step.old : (step.new ?? step.old);
  return {
    op,
    urn: step.urn,
    type: subject?.state.type ?? "",
    old: stateOf(step.old, masked),
    new: stateOf(step.new, masked),
    ...(keys.length > 0 && { keys }),
    ...(diffs.length > 0 && { diffs }),
    detailedDiff: null,
    logical: step.logical,
    provider: subject?.state.provider ?? "",
  };
}

/** Creates an event with the result of a step, or with the planned result in a preview. */
export function outputsEvent(step: Step, op: Operation, planning: boolean, masked: Masked): EngineEventBody {
  return { resOutputsEvent: { metadata: metadataOf(step, op, masked), ...(planning && { planning }) } };
}

function stateOf(resource: Resource | undefined, masked: Masked): StepState | null {
  if (resource === undefined) return null;
  const { state } = resource;
  return {
    type: state.type,
    urn: state.urn,
    id: state.id ?? "",
    parent: state.parent ?? "",
    provider: state.provider ?? "",
    inputs: properties(state.inputs, masked),
    outputs: properties(state.outputs, masked),
    ...flags(state),
    ...(state.initErrors?.length && { initErrors: state.initErrors }),
  };
}

function flags(state: ResourceState): Partial<StepState> {
  const names = ["custom", "delete", "protect", "retainOnDelete"] as const;
  return Object.fromEntries(names.filter((name) => state[name]).map((name) => [name, true]));
}

function properties(values: Properties = {}, masked: Masked): Properties {
  const visible = mapMapSecrets(values, () => SECRET_MARK);
  return Object.fromEntries(Object.entries(visible).map(([key, value]) => [key, maskedIn(value, masked)]));
}

function maskedIn(value: Json, masked: Masked): Json {
  if (typeof value === "string") return masked(value);
  if (Array.isArray(value)) return value.map((item) => maskedIn(item, masked));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskedIn(item, masked)]));
}
