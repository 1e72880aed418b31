import type { Deployment, ResourceState } from "../../../testing/engine/state/checkpoint";
import { isMap, isSecret, type Json } from "../../../testing/engine/state/property";
import { isDefaultProvider } from "../../../testing/engine/state/urn";
import type { RunResult } from "../../../testing/workspace";
import type { DiagnosticRow, ObservedState, StateRow, StepRow } from "./case";

/** The fields of a resource that the recordings contain if they are not empty. */
export const RECORDED_FIELDS = [
  "custom",
  "id",
  "delete",
  "external",
  "protect",
  "retainOnDelete",
  "parent",
  "inputs",
  "outputs",
  "dependencies",
  "propertyDependencies",
  "additionalSecretOutputs",
  "initErrors",
  "replacementTrigger",
] as const;

const URN_PREFIX = "urn:pulumi:dev::proj::";
const URN_FIELDS = new Set(["parent", "dependencies", "propertyDependencies", "aliases", "deletedWith", "replaceWith"]);

/** The rows of a run. */
export function stepRows(result: RunResult): StepRow[] {
  return result.steps.map(({ op, urn, failed, keys }) => ({
    op,
    urn: shortUrn(urn),
    ...(failed && { failed }),
    ...(keys.length > 0 && { keys }),
  }));
}

/** The errors and warnings of a run. */
export function diagnosticRows(result: RunResult): DiagnosticRow[] {
  return result.diagnostics.map(({ severity, urn, message }) => ({ severity, urn: shortUrn(urn), message }));
}

/** A deployment with decrypted secrets and without default providers, as in the recordings. */
export function stateOf({ resources = [], pending_operations = [] }: Deployment): ObservedState {
  return {
    resources: resources.filter(({ urn }) => !isDefaultProvider(urn)).map(stateRow),
    pendingOperations: pending_operations.map(({ resource, type }) => ({ type, urn: shortUrn(resource.urn) })),
  };
}

function stateRow(resource: ResourceState): StateRow {
  const fields = Object.entries(resource as unknown as Record<string, Json>)
    .filter(([field]) => field !== "urn")
    .map(([field, value]) => [field, URN_FIELDS.has(field) ? withShortUrns(value) : cleaned(value)] as const)
    .filter(([, value]) => !isEmpty(value));
  return { ...Object.fromEntries(fields), urn: shortUrn(resource.urn) };
}

/** Without `__provider`, and with secrets as `{ $secret }`. */
export function cleaned(value: Json): Json {
  if (isSecret(value)) return { $secret: cleaned(JSON.parse(value.plaintext ?? "null") as Json) };
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "__provider")
      .map(([key, item]) => [key, cleaned(item)]),
  );
}

/** Maps of URNs leave out a key that has no URNs. */
function withShortUrns(value: Json): Json {
  if (typeof value === "string") return shortUrn(value);
  if (Array.isArray(value)) return value.map(withShortUrns).toSorted();
  if (!isMap(value)) return value;
  const entries = Object.entries(value).filter(([, urns]) => !isEmpty(urns));
  return Object.fromEntries(entries.map(([key, urns]) => [key, withShortUrns(urns)]));
}

/** Whether a value means the same as its absence. */
export function isEmpty(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isMap(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === false || value === "";
}

function shortUrn(urn: string): string {
  return urn.startsWith(URN_PREFIX) ? urn.slice(URN_PREFIX.length) : urn;
}
