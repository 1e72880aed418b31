import { getOrCreate } from "../get-or-create";
import { PREFIX_LENGTH_WITH_URN } from "../keys/names";
import { type FieldRule, types } from "../schema/field-types";
import type { ResourceType } from "../schema/resource-type";

/** How a resource revokes a compromised key. Only the plugin needs it, because it has no ledger. */
const retirementField = {
  retirement: { type: types.oneOf("replace", "inPlace"), fallback: "replace", change: "ignore" },
} as const satisfies Record<string, FieldRule>;

const parts = new WeakMap<ResourceType, ResourceType>();

/**
 * A resource type with the inputs that programs of any language have. The others are for the SDK of the dynamic
 * provider; with the plugin, explicit providers replace `account`.
 */
export function publicPart(type: ResourceType): ResourceType {
  return getOrCreate(parts, type, () => {
    const all = type.compromised === undefined ? type.fields : { ...type.fields, ...retirementField };
    const given = Object.entries(all).filter(([name, rule]) => rule.internal !== true && name !== "account");
    const fields: Record<string, FieldRule> = Object.fromEntries(given);
    // A name needs room for the tag of the resource.
    if (fields.namePrefix) fields.namePrefix = { ...fields.namePrefix, type: types.prefixUpTo(PREFIX_LENGTH_WITH_URN) };
    return { ...type, fields };
  });
}
