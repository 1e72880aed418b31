import { isDeepStrictEqual } from "node:util";
import { isMap, type Json } from "../../../testing/engine/state/property";
import type { Case, Observed, StateRow } from "./case";
import { wordedAs } from "./causes";
import { isEmpty, RECORDED_FIELDS } from "./observe";
import { inOrderOf } from "./order";
import { relationsAt } from "./relations";

/**
 * The observed step, rewritten for comparison with the recorded one: in the recorded order where the order is free, and
 * with the recorded messages where they name the same causes. It equals the recording if and only if the engine did the
 * same.
 */
export function inTermsOf(recorded: Case, index: number, seen: Observed): Observed {
  const step = recorded.steps[index];
  if (step === undefined) throw new Error(`${recorded.name} has no step ${index}`);
  const expected = asCompared(step.expect);
  const actual = asCompared(seen);
  const fixed = relationsAt(recorded, index);
  const free = () => false;
  const messages = actual.diagnostics.map((row) => wordedAs(expected.diagnostics, row));
  const rows = actual.state.resources.map((row) => withRecordedFields(row, expected.state.resources));
  const { pendingOperations } = expected.state;
  return {
    exit: actual.exit,
    calls: inOrderOf(expected.calls, actual.calls, isDeepStrictEqual, fixed.calls),
    steps: inOrderOf(expected.steps, actual.steps, isDeepStrictEqual, fixed.steps),
    diagnostics: inOrderOf(expected.diagnostics, messages, isDeepStrictEqual, free),
    state: {
      resources: inOrderOf(expected.state.resources, rows, isDeepStrictEqual, fixed.resources),
      pendingOperations: inOrderOf(pendingOperations, actual.state.pendingOperations, isDeepStrictEqual, free),
    },
  };
}

/**
 * Without empty fields, and with sorted lists of URNs and keys, so that only meaningful differences count. Providers are
 * left out, because their ids are random.
 */
export function asCompared(observed: Observed): Observed {
  const resources = observed.state.resources.filter(isNoProvider).map((row) => {
    const fields = Object.entries(row).map(([field, value]) => [field, sorted(field, value)] as const);
    return { ...Object.fromEntries(fields.filter(([, value]) => !isEmpty(value))), urn: row.urn };
  });
  const steps = observed.steps
    .filter(isNoProvider)
    .map((row) => ({ ...row, ...(row.keys && { keys: row.keys.toSorted() }) }));
  return { ...observed, steps, state: { ...observed.state, resources } };
}

function isNoProvider({ urn }: { readonly urn: string }): boolean {
  return !/(^|\$)pulumi:providers:/.test(urn);
}

/** The fields that recordings always contain, and the additional fields of the recorded resource. */
function withRecordedFields(row: StateRow, recorded: readonly StateRow[]): StateRow {
  const twin = recorded.find((other) => other.urn === row.urn && other.delete === row.delete) ?? {};
  const fields = new Set<string>([...RECORDED_FIELDS, ...Object.keys(twin)]);
  return { ...Object.fromEntries(Object.entries(row).filter(([field]) => fields.has(field))), urn: row.urn };
}

/** Lists of URNs have no order. */
function sorted(field: string, value: Json): Json {
  if (field === "dependencies" && Array.isArray(value)) return value.toSorted();
  if (field !== "propertyDependencies" || !isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, urns]) => [key, Array.isArray(urns) ? urns.toSorted() : urns]),
  );
}
