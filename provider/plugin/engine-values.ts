import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { getOrCreate } from "../get-or-create";
import { PREFIX_LENGTH_WITH_URN } from "../keys/names";
import { type FieldRule, types } from "../schema/field-types";
import { type Outputs, readOutputs } from "../schema/outputs";
import type { ResourceType } from "../schema/resource-type";
import { fromPulumi, toState } from "../session/values";
import { fromStruct } from "./wire";

/** The input that carries the owner. Names that begin with two underscores are hidden in previews. */
export const OWNER = "__owner";

/** The input that seeds the nonces of a new key. The engine saves it before the key is created. */
export const NONCE = "__nonce";

/** Inputs or outputs of a resource as the engine has them. */
export type EngineValues = Outputs & { readonly [Name in typeof OWNER | typeof NONCE]?: string | undefined };

export function readValues(struct: Struct | undefined): EngineValues {
  return readOutputs(fromStruct(struct), [OWNER, NONCE]);
}

export function fromEngine(values: EngineValues): Outputs {
  const { [OWNER]: owner, [NONCE]: _, ...others }: EngineValues = fromPulumi(values);
  return owner === undefined ? others : { ...others, owner };
}

export function toEngine(type: ResourceType, { owner, ...outputs }: Outputs): EngineValues {
  return toState({ ...outputs, ...(owner !== undefined && { [OWNER]: owner }) }, type.canBeAbsent);
}

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
