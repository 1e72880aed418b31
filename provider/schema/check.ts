import { type FieldRule, hasUnknown } from "./field-types";
import type { Given, Properties } from "./outputs";
import type { Context, Failure, ResourceType } from "./resource-type";

/**
 * Checks a resource's inputs against its field rules, without a request. Values that a preview does not know yet are
 * checked in the actual run. Returns the inputs without empty entries, and what is wrong with them.
 * @param before - The inputs in the state.
 */
export function check(
  type: ResourceType,
  news: Properties,
  context: Context,
  before: Given = {},
): { readonly inputs: Given; readonly failures: readonly Failure[] } {
  const inputs = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined && value !== null));
  const failures: Failure[] = [];

  for (const property of Object.keys(inputs)) {
    if (!Object.hasOwn(type.fields, property)) {
      const isOffered = (rule?: FieldRule) => rule?.internal !== true && rule?.refused !== true;
      const known = Object.keys(type.fields).filter((name) => isOffered(type.fields[name]));
      failures.push({ property, reason: `is not an input of ${type.name}. Its inputs are ${known.join(", ")}`, known });
    }
  }
  for (const [property, rule] of Object.entries(type.fields)) {
    const value = inputs[property];
    if (value === undefined) {
      if (rule.required) failures.push({ property, reason: "is required" });
    } else if (!hasUnknown(value)) {
      const problem = rule.type(value);
      if (problem !== undefined) failures.push({ property, reason: problem, ...(rule.code && { code: rule.code }) });
    }
  }
  if (failures.length === 0 && type.rules !== undefined) failures.push(...type.rules(inputs, context, before));
  const of = failures.length === 0 ? undefined : type.declaredAs?.(inputs);
  return {
    inputs: type.completed?.(inputs, before, context) ?? inputs,
    failures: of === undefined ? failures : failures.map((failure) => ({ ...failure, of })),
  };
}
