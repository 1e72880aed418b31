import { keyIdOf } from "../ids";
import { textOf } from "../members";
import { DYNAMIC, isKeyType, PLUGIN } from "../resource-types";
import { type Deployment, HIDDEN, type StateResource } from "./deployment";

export type Role = "current" | "previous" | "to be revoked" | "kept";

export interface Holder extends KeyInState {
  readonly urn: string;
  /** Whether the key stays live if the resource is deleted, because of `revokeOnDelete: false` or `retainOnDelete`. */
  readonly stays: boolean;
}

export interface KeyInState {
  readonly id: string;
  /** Its name; `undefined` if it is not recorded. */
  readonly name: string | undefined;
  readonly role: Role;
}

/** Whether a listed key is one of a state. The same id with another name is a key of another account, at another address. */
export function isSameKey(
  { id, name }: Pick<KeyInState, "id" | "name">,
  listed: { readonly id: string; readonly name?: string | undefined },
): boolean {
  return id === listed.id && (name === undefined || listed.name === undefined || name === listed.name);
}

/** A creation of a key that was begun and has not ended: the engine saved its inputs before it called `create`. */
export interface CreationNote {
  readonly urn: string;
  /** The mark in the names that the creation requests. */
  readonly mark: string;
}

export interface StackState {
  readonly source: string;
  /** `project/stack`. Empty if the state is empty. */
  readonly stack: string;
  /** ISO 8601 time of the state, if it contains it. */
  readonly savedAt: string | undefined;
  /** The marks of the resources that hold or held keys, which are in the generated names of these keys. */
  readonly marks: readonly string[];
  /** Creations under way, or of interrupted runs. */
  readonly notes: readonly CreationNote[];
  /** Who holds which key. If several hold one, the last one counts. */
  readonly held: readonly Holder[];
  /** URNs of resources that may hold a key's id, but it is encrypted. */
  readonly hidden: readonly string[];
  /** How many operations had begun and not ended, also in runs that were killed. */
  readonly underWay: number;
}

const PLUGIN_PROVIDER = "pulumi:providers:keyplane";

/** Whether a resource is one of keyplane's, or a provider resource of the plugin. */
export function isKeyplanes({ type }: StateResource): boolean {
  return type.startsWith(DYNAMIC) || type.startsWith(PLUGIN) || type === PLUGIN_PROVIDER;
}

/** Outputs that hold key ids, with the keys' role and the output with their name. If several match, the last one counts. */
const ROLES: readonly (readonly [output: string, role: Role, name?: string])[] = [
  ["pendingRevocations", "to be revoked"],
  ["previousKeyId", "previous", "previousName"],
  ["keyId", "current", "name"],
];

/** Reads the information about keys in a deployment. Ids of keys and marks are not secret, so nothing is decrypted. */
export function stackState(source: string, deployment: Deployment): StackState {
  const resources = deployment.resources.filter(isKeyplanes);
  const first = deployment.resources[0] ?? deployment.pending[0]?.resource;
  const held = resources.flatMap((resource) =>
    keysIn(resource).map((key) => {
      const role = roleIn(resource, key);
      return { ...key, urn: resource.urn, role, stays: stays(resource, key.id, role) };
    }),
  );
  const named = new Set(held.flatMap(({ id, name }) => (name === undefined ? [] : [id])));
  return {
    source,
    stack: stackOf(first?.urn ?? ""),
    savedAt: deployment.savedAt,
    marks: [...new Set(resources.flatMap((resource) => markOf(resource) ?? []))],
    notes: notesIn(deployment).map(({ urn, mark }) => ({ urn, mark })),
    held: held.filter(({ id, name }) => name !== undefined || !named.has(id)),
    hidden: resources.filter(hidesKeys).map(({ urn }) => urn),
    underWay: deployment.pending.length,
  };
}

/** The creations of keys that were begun and have not ended, with the provider of each. */
export function notesIn({ pending }: Deployment): readonly (CreationNote & Pick<StateResource, "provider">)[] {
  return pending.flatMap(({ type, resource }) => {
    const mark = markOf(resource);
    if (type !== "creating" || !isKeyType(resource.type) || mark === undefined) return [];
    return [{ urn: resource.urn, mark, provider: resource.provider }];
  });
}

/** The mark that `check` gave a resource. */
export function markOf({ inputs, outputs }: StateResource): string | undefined {
  return textOf(inputs.__mark) ?? textOf(outputs.__mark);
}

/** The role of a key in a resource, which can be left to be deleted. */
export function roleIn(resource: StateResource, { id, role }: Pick<KeyInState, "id" | "role">): Role {
  if (!resource.replaced || role !== "current") return role;
  return stays(resource, id, role) ? "kept" : "to be revoked";
}

/** Whether a deletion of the resource keeps a key that it holds. It uses what the last run has saved. */
export function stays({ retained, outputs }: StateResource, id: string, role: Role): boolean {
  const isKept = (retained || outputs.revokeOnDelete === false) && outputs.revokeNow !== id;
  return isKept && (role === "current" || role === "previous");
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

/** `project/stack` of a URN. */
export function stackOf(urn: string): string {
  const [stack, project, rest] = urn.startsWith("urn:pulumi:") ? urn.slice("urn:pulumi:".length).split("::") : [];
  return rest === undefined ? "" : `${project}/${stack}`;
}
