import { keyIdOf } from "../ids";
import { type Members, textOf, textsOf } from "../members";
import { DYNAMIC, isKeyType, PLUGIN } from "../type-tokens";
import { type Deployment, HIDDEN, type StateResource } from "./deployment";

/** A key in a state. */
export interface KeyInState {
  readonly id: string;
  /** Its name; `undefined` if it is not recorded. */
  readonly name: string | undefined;
  /** Its role in a resource that is not replaced. */
  readonly role: "current" | "previous" | "to be revoked";
}

/** Whether a listed key is one of a state. The same id with another name is a key of another account, at another address. */
export function isSameKey(
  { id, name }: Pick<KeyInState, "id" | "name">,
  listed: { readonly id: string; readonly name?: string | undefined },
): boolean {
  return id === listed.id && (name === undefined || listed.name === undefined || name === listed.name);
}

const PLUGIN_PROVIDER = "pulumi:providers:keyplane";

/** Whether a resource is one of keyplane's, or a provider resource of the plugin. */
export function isKeyplanes({ type }: StateResource): boolean {
  return type.startsWith(DYNAMIC) || type.startsWith(PLUGIN) || type === PLUGIN_PROVIDER;
}

/** Outputs that hold key ids, with the keys' role and the output with their name. If several match, the last one counts. */
const ROLES: readonly (readonly [output: string, role: KeyInState["role"], name?: string])[] = [
  ["pendingRevocations", "to be revoked"],
  ["previousKeyId", "previous", "previousName"],
  ["keyId", "current", "name"],
];

/** Ids of the keys in a resource's outputs: those that it has, and those that it has to revoke. */
export function keyIdsIn(outputs: Members): readonly string[] {
  return ROLES.flatMap(([output]) => [outputs[output]].flat()).filter((id) => typeof id === "string");
}

/** The creations of keys that were begun and have not ended: their suffixes, and their resources with the checked inputs. */
export function pendingCreationsIn({
  pending,
}: Deployment): readonly { readonly suffix: string; readonly resource: StateResource }[] {
  return pending.flatMap(({ type, resource }) => {
    const suffix = suffixOf(resource);
    if (type !== "creating" || !isKeyType(resource.type) || suffix === undefined) return [];
    return [{ suffix, resource }];
  });
}

/** The suffix that `check` gave a resource. */
export function suffixOf({ inputs, outputs }: StateResource): string | undefined {
  return textOf(inputs.__suffix) ?? textOf(outputs.__suffix);
}

/** How many names a resource has requested, by its outputs. */
export function attemptsIn({ attempts }: Members): number {
  // Nearly all resources have requested one, which is not written.
  return typeof attempts === "number" ? attempts : 1;
}

/** The generated names of a resource's lost requests. A key that has one is the resource's to revoke. */
export function lostNamesIn({ lostNames, __suffix: suffix }: Members): readonly string[] {
  return textsOf(lostNames).filter((name) => name.includes(`-${suffix}`));
}

/** The keys that a resource holds, or has to revoke. */
export function keysIn(resource: StateResource): readonly KeyInState[] {
  return valuesIn(resource).flatMap(({ value, role, name }) => {
    const id = keyIdOf(textOf(value));
    return id === undefined ? [] : [{ id, role, name: textOf(name) }];
  });
}

/** Whether a resource may hold a key's id that is encrypted. */
export function hidesKeys(resource: StateResource): boolean {
  return valuesIn(resource).some(({ value }) => value === HIDDEN);
}

/** What can be the id of a key in a resource. */
function valuesIn({ type, id, outputs }: StateResource) {
  // The id of an `ApiKey` is that of its key, and is never encrypted. One that got no key in its creation has another id.
  const own = type.endsWith(":ApiKey") && typeof outputs.keyId !== "string" ? keyIdOf(id) : undefined;
  return ROLES.flatMap(([output, role, nameOutput = ""]) => {
    const values = [(output === "keyId" && own) || outputs[output]].flat();
    return values.map((value) => ({ value, role, name: outputs[nameOutput] }));
  });
}
