import { isDeepStrictEqual } from "node:util";
import { type Digest, isDigestOf } from "./digest";
import { type FieldRule, hasUnknown, type Planned } from "./field-types";
import type { Given, Outputs, Properties } from "./outputs";
import type { DueTerms, ResourceType } from "./resource-type";

/** The difference between a resource and what the program requests. */
export interface Difference {
  readonly changes: boolean;
  /** The fields that have changed, or that cause a change. */
  readonly fields: readonly string[];
  /** The fields that force a replacement. */
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
  /** Why the resource is replaced, or what is due that the program does not show, in words for the user. */
  readonly reasons: readonly string[];
}

/**
 * Compares a resource's outputs with new inputs by the field rules of its type. Makes no request.
 * `driftOnly` leaves out what is due for other reasons: a refresh reports outside changes, not the passing of time.
 * `isSupposed`: the engine is about to delete something that inputs depend on, before it replaces it, and supposes that
 * these change. It would also delete this resource first, with its key, which consumers still have. So only a resource that
 * ends with what it is in is replaced then. The engine compares again before it changes any other one.
 */
export function diff(
  type: ResourceType,
  outputs: Outputs,
  inputs: Planned<Given>,
  terms: DueTerms & { readonly driftOnly: boolean; readonly isSupposed?: boolean },
): Difference {
  const all = (type.due?.(outputs, inputs, terms) ?? []).filter((item) => item.drift || !terms.driftOnly);
  const before: Properties = { ...outputs, ...type.inForce?.(outputs, inputs) };
  const after: Properties = inputs;
  for (const [field, rule] of Object.entries(type.fields)) {
    const change = fieldChange(rule, before[field], after[field]);
    if (change !== undefined) all.push({ field, replace: change === "replace" });
  }
  const isUnknown = (field: string) => hasUnknown(after[field]);
  const endsFirst = (field: string) => isUnknown(field) && type.fields[field]?.isPlace === true;
  // Not even a change is shown otherwise: with `replaceOnChanges`, the engine replaces a resource for that.
  const due = terms.isSupposed ? all.filter(({ field, replace }) => replace && endsFirst(field)) : all;
  const replaces = [...new Set(due.flatMap(({ field, replace }) => (replace ? field : [])))];
  const isUnexplained = (field: string) => !due.some((item) => item.field === field && item.why !== undefined);
  return {
    changes: due.length > 0,
    fields: [...new Set(due.map((item) => item.field))],
    replaces,
    deleteBeforeReplace: replaces.length > 0 && (type.deleteBeforeReplace?.(outputs, inputs) ?? false),
    reasons: [
      ...due.flatMap((item) => item.why ?? []),
      // The engine shows the changes that replace the resource in its row, where 80 columns are too few.
      ...replaces
        .filter(isUnexplained)
        .map((field) => `replaced${isUnknown(field) ? ` if ${field} changes` : `, because ${field} changed`}`),
    ],
  };
}

function fieldChange(rule: FieldRule, inForce: unknown, given: unknown): "replace" | "update" | undefined {
  if (rule.change === "ignore") return undefined;
  const [before, after] = [normal(inForce, rule), normal(given, rule)];
  const isDigest = rule.isDigest && before !== undefined;
  const isEqual = isDigest ? isDigestOf(after, before as Digest) : isDeepStrictEqual(before, after);
  // A value that a preview does not know yet may be different, so it counts as a change.
  if (!hasUnknown(after) && (isEqual || rule.same?.(before, after))) return undefined;
  if (rule.onlyAdditions && !hasUnknown(after) && isPartOf(after, before)) return undefined;
  const unset = before === undefined || after === undefined;
  return rule.change === "replace" && !(rule.unsetUpdates && unset) ? "replace" : "update";
}

function isPartOf(list: unknown, whole: unknown): boolean {
  const entries = new Set(Array.isArray(whole) ? whole : []);
  return list === undefined || (Array.isArray(list) && list.every((entry) => entries.has(entry)));
}

/** A field's value, or its default. An empty map or list counts as absent. */
function normal(value: unknown, rule: FieldRule): unknown {
  const given = value ?? rule.fallback;
  const empty = typeof given === "object" && given !== null && Reflect.ownKeys(given).every((key) => key === "length");
  return empty ? undefined : given;
}

export function changedNames(olds: Properties, news: Properties): string[] {
  return Object.keys({ ...olds, ...news }).filter((name) => !isDeepStrictEqual(olds[name], news[name]));
}
