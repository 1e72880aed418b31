import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
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

/** Reads the inputs or outputs of a resource. */
export function readValues(struct: Struct | undefined): EngineValues {
  return readOutputs(fromStruct(struct), [OWNER, NONCE]);
}

/** Values of the engine for the resource types. */
export function fromEngine(values: EngineValues): Outputs {
  const { [OWNER]: owner, [NONCE]: _, ...others }: EngineValues = fromPulumi(values);
  return owner === undefined ? others : { ...others, owner };
}

/** Outputs of a resource type for the engine. */
export function toEngine(type: ResourceType, { owner, ...outputs }: Outputs): EngineValues {
  return toState({ ...outputs, ...(owner !== undefined && { [OWNER]: owner }) }, type.canBeAbsent);
}
