/** Reports steps as events. */
import type { ResourceState } from "../state/checkpoint";
import { type Json, mapSecrets, type Properties } from "../state/property";
import type { Resource } from "../state/resource";
import type { Step } from "../steps";
import { type EngineEventBody, type Operation, SECRET_MARK, type StepMetadata, type StepState } from "./events";

/** How values appear in events. */
export interface Shown {
  /** Whether secrets appear in plain text. */
  readonly showSecrets: boolean;
  /** Masks known secrets in a text. */
  masked(text: string): string;
}

/** Describes a step for an event. `op` is the resulting operation. */
export function metadataOf(step: Step, op: Operation, shown: Shown): StepMetadata {
  const { keys = [], diffs = [] } = step;
  const subject = step.op === "refresh" ? step.old : (step.new ?? step.old);
  return {
    op,
    urn: step.urn,
    type: subject?.state.type ?? "",
    old: stateOf(step.old, shown),
    new: stateOf(step.new, shown),
    ...(keys.length > 0 && { keys }),
    ...(diffs.length > 0 && { diffs }),
    detailedDiff: null,
    logical: step.logical,
    provider: subject?.state.provider ?? "",
  };
}

/** Creates an event with the result of a step, or with the planned result in a preview. */
export function outputsEvent(step: Step, op: Operation, planning: boolean, shown: Shown): EngineEventBody {
  return { resOutputsEvent: { metadata: metadataOf(step, op, shown), ...(planning && { planning }) } };
}

function stateOf(resource: Resource | undefined, shown: Shown): StepState | null {
  if (resource === undefined) return null;
  const { state } = resource;
  return {
    type: state.type,
    urn: state.urn,
    id: state.id ?? "",
    parent: state.parent ?? "",
    provider: state.provider ?? "",
    inputs: properties(state.inputs, shown),
    outputs: properties(state.outputs, shown),
    ...flags(state),
    ...(state.initErrors?.length && { initErrors: state.initErrors }),
    ...(state.hideDiff?.length && { hideDiffs: state.hideDiff }),
  };
}

function flags(state: ResourceState): Partial<StepState> {
  const names = ["custom", "delete", "protect", "taint", "external", "retainOnDelete"] as const;
  return Object.fromEntries(names.filter((name) => state[name]).map((name) => [name, true]));
}

function properties(values: Properties = {}, { showSecrets, masked }: Shown): Properties {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, visible(value, showSecrets, masked)]));
}

function visible(value: Json, showSecrets: boolean, masked: Shown["masked"]): Json {
  const clear = mapSecrets(value, ({ plaintext = "null" }) =>
    showSecrets ? visible(JSON.parse(plaintext) as Json, true, masked) : SECRET_MARK,
  );
  return showSecrets ? clear : maskedIn(clear, masked);
}

function maskedIn(value: Json, masked: Shown["masked"]): Json {
  if (typeof value === "string") return masked(value);
  if (Array.isArray(value)) return value.map((item) => maskedIn(item, masked));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskedIn(item, masked)]));
}
