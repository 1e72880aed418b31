import { isDeepStrictEqual } from "node:util";
import { isMap, type Json } from "../../kit/engine/property";
import type { Call, Case, Observed, StateRow } from "./case";
import { wordedAs } from "./causes";
import { isEmpty, RECORDED_FIELDS } from "./observe";
import { inOrderOf } from "./order";
import { relationsAt, urnsByLabel } from "./relations";

/**
 * What was seen, in the terms of what was recorded: in its order, as far as the order is free, and in its words, where a
 * message names the same cause. Equal to the recording if and only if the engine did the same.
 */
export function inTermsOf(recorded: Case, index: number, seen: Observed): Observed {
  const step = recorded.steps[index];
  if (step === undefined) throw new Error(`${recorded.name} has no step ${index}`);
  const expected = asCompared(step.expect);
  const related = relationsAt(recorded, index);
  const byUrn = (a: { readonly urn: string }, b: { readonly urn: string }) => related(a.urn, b.urn);
  const urns = urnsByLabel(recorded);
  const byLabel = (a: Call, b: Call) => {
    const [one, other] = [labelOf(a), labelOf(b)];
    return (
      one === other ||
      [...(urns.get(one) ?? [])].some((urn) => [...(urns.get(other) ?? [])].some((u) => related(urn, u)))
    );
  };
  const rows = asCompared(seen).state.resources.map((row) => withRecordedFields(row, expected.state.resources));
  return {
    exit: seen.exit,
    calls: inOrderOf(expected.calls, seen.calls, isDeepStrictEqual, byLabel),
    steps: inOrderOf(expected.steps, seen.steps, isDeepStrictEqual, byUrn),
    diagnostics: inOrderOf(
      expected.diagnostics,
      seen.diagnostics.map((row) => wordedAs(expected.diagnostics, row)),
      isDeepStrictEqual,
      () => false,
    ),
    state: {
      resources: inOrderOf(expected.state.resources, rows, isDeepStrictEqual, byUrn),
      pendingOperations: inOrderOf(
        expected.state.pendingOperations,
        seen.state.pendingOperations,
        isDeepStrictEqual,
        () => false,
      ),
    },
  };
}

/** Without empty fields, and with lists of URNs in one order, so that only what says something is compared. */
export function asCompared(observed: Observed): Observed {
  const resources = observed.state.resources.map((row) => {
    const fields = Object.entries(row).map(([field, value]) => [field, sorted(field, value)] as const);
    return { ...Object.fromEntries(fields.filter(([, value]) => !isEmpty(value))), urn: row.urn };
  });
  return { ...observed, state: { ...observed.state, resources } };
}

/** The fields the recordings always hold, and those that the recorded twin of a resource has besides. */
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

/** The label of the resource a call is about: `label` of the last properties given. */
function labelOf({ args }: Call): string {
  const properties = args.findLast((arg) => isMap(arg) && "label" in arg);
  return isMap(properties) ? String(properties.label) : "";
}
