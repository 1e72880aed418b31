/** Describes an input that a provider did not accept. */
import type { CheckFailure } from "../provider/provider";
import type { Json } from "../state/property";
import type { Resource } from "../state/resource";
import { nameOf } from "../state/urn";
import { containsUnknown, withoutSecrets } from "../state/values";

/**
 * Describes an invalid input of a resource. Like the CLI, it shows the value even if it is secret, so that tests find a
 * provider that names a secret input.
 */
export function invalidInput({ urn, state }: Resource, { property, reason }: CheckFailure): string {
  const value = state.inputs?.[property];
  const where = property ? `: property ${property} value ${shown(value && withoutSecrets(value))}` : "";
  return `${state.type} resource '${nameOf(urn)}'${where} has a problem: ${reason}`;
}

function shown(value: Json | undefined): string {
  if (value === undefined || value === null) return "{<nil>}";
  if (containsUnknown(value)) return "{unknown}";
  return `{${typeof value === "string" ? value : JSON.stringify(value)}}`;
}
