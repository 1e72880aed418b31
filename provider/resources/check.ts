import { hasUnknown } from "./fields";
import type { Context, Failure, Kind, Properties } from "./kind";

/**
 * Checks a kind's inputs against its field rules, without any request. Values that a preview does not know yet are
 * left for the real run. Answers the inputs without empty entries, and what is wrong with them.
 */
export function check(
  kind: Kind,
  news: Properties,
  context: Context,
): { readonly inputs: Properties; readonly failures: readonly Failure[] } {
  const inputs = Object.fromEntries(
    Object.entries(news).filter(([, value]) => value !== undefined && value !== null),
  ) as Properties;
  const failures: Failure[] = [];

  for (const property of Object.keys(inputs)) {
    if (!Object.hasOwn(kind.fields, property)) {
      const known = Object.keys(kind.fields).filter((name) => kind.fields[name]?.internal !== true);
      failures.push({ property, reason: `is not an input of ${kind.name}; its inputs are ${known.join(", ")}` });
    }
  }
  for (const [property, rule] of Object.entries(kind.fields)) {
    const value = inputs[property];
    if (value === undefined) {
      if (rule.required) failures.push({ property, reason: "is required" });
    } else if (!hasUnknown(value)) {
      const problem = rule.type(value);
      if (problem !== undefined) failures.push({ property, reason: problem });
    }
  }
  if (failures.length === 0 && kind.rules !== undefined) failures.push(...kind.rules(inputs, context));
  return { inputs, failures };
}
