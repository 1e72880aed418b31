/** Describes an input that a provider did not accept. */
import type { CheckFailure } from "../provider/provider";
import { SECRET_MARK } from "../run/events";
import { mapSecrets, type Properties } from "../state/property";
import type { Resource } from "../state/resource";
import { nameOf } from "../state/urn";
import { containsUnknown } from "../state/values";

/** Describes an invalid input of a resource, in the CLI's words. */
export function invalidInput({ urn, state }: Resource, { property, reason }: CheckFailure): string {
  const where = property ? `: property ${property} value ${shownInput(state.inputs?.[property])}` : "";
  return `${state.type} resource '${nameOf(urn)}'${where} has a problem: ${reason}`;
}

/** Shows a value in braces, with its secrets masked. */
export function shownInput(value: Properties[string] | undefined): string {
  if (value === undefined) return "{}";
  if (containsUnknown(value)) return "{unknown}";
  const clear = mapSecrets(value, () => SECRET_MARK);
  return `{${typeof clear === "string" ? clear : JSON.stringify(clear)}}`;
}
