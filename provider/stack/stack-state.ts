import { keyIdOf } from "../ids";
import { isSameStack, ownerIdIn, urnIn } from "../keys/identity";
import { ownerTag } from "../keys/names";
import { DYNAMIC, PLUGIN } from "../resource-types";
import { type Deployment, HIDDEN, type StateResource } from "./deployment";

export type Role = "current" | "previous" | "to be revoked" | "kept";

export interface Holder extends Pick<KeyInState, "id" | "name"> {
  readonly urn: string;
  readonly role: Role;
  /** Whether the key stays live if the resource is deleted, because of `revokeOnDelete: false` or `retainOnDelete`. */
  readonly stays: boolean;
}

export interface KeyInState {
  readonly id: string;
  /** Its name; `undefined` if it is not recorded. */
  readonly name: string | undefined;
  readonly role: Role;
  /** The id of its owner; empty if it is not recorded. */
  readonly ownerId: string;
}

export interface StackState {
  readonly source: string;
  /** `project/stack`. Empty if the state is empty. */
  readonly stack: string;
  /** ISO 8601 time of the state, if it contains it. */
  readonly savedAt: string | undefined;
  /** The tags of the stack's owners: also of those that began a creation which an interrupted run did not finish. */
  readonly tags: readonly string[];
  /** Ids of owners of another stack: this state was copied or renamed, without an `up` since. */
  readonly foreign: readonly string[];
  /** Who holds which key. If several hold one, the last one counts. */
  readonly held: readonly Holder[];
  /** Places that may hold a key's id, but are encrypted. */
  readonly hidden: readonly string[];
  readonly underWay: number;
}

const PLUGIN_PROVIDER = "pulumi:providers:keyplane";

export const OWNER_TYPE = `${DYNAMIC}Owner`;

/** Whether a resource is one of keyplane's, or a provider resource of the plugin. */
export function isKeyplanes({ type }: StateResource): boolean {
  return type.startsWith(DYNAMIC) || type.startsWith(PLUGIN) || type === PLUGIN_PROVIDER;
}

/**
 * Properties that hold key ids, for all kinds of resources, with the keys' role and the property with their name. If
 * several match, the last one counts.
 */
const ROLES: readonly (readonly [property: string, role: Role, name?: string])[] = [
  ["owned", "kept"],
  ["delivered", "kept"],
  ["pendingRevocations", "to be revoked"],
  ["retired", "to be revoked"],
  ["retiring", "to be revoked"],
  ["unrevoked", "to be revoked"],
  ["previousKeyId", "previous", "previousName"],
  ["keyId", "current", "name"],
];

/** Reads the information about keys in a deployment. Key ids and owners are not secret, so nothing is decrypted. */
export function stackState(source: string, deployment: Deployment): StackState {
  const resources = deployment.resources.filter(isKeyplanes);
  const begun = deployment.creating.filter(isKeyplanes);
  const owners = [...resources, ...begun].flatMap(ownersIn);
  const idsOf = (some: typeof owners) => [...new Set(some.map(({ id }) => id))];
  // The ledger lists all keys. Resources that hold a key themselves come after it and take precedence.
  const isLedger = ({ type }: StateResource) => Number(type === `${DYNAMIC}Ledger`);
  const inOrder = resources.toSorted((one, other) => isLedger(other) - isLedger(one));
  const held = inOrder.flatMap((resource) =>
    keysIn(resource).map(({ id, name, role: saved }) => {
      const role = roleIn(resource, { id, role: saved });
      return { id, name, urn: resource.urn, role, stays: stays(resource, id, role) };
    }),
  );
  const named = new Set(held.flatMap(({ id, name }) => (name === undefined ? [] : [id])));
  return {
    source,
    stack: stackOf((deployment.resources[0] ?? begun[0])?.urn ?? ""),
    savedAt: deployment.savedAt,
    tags: idsOf(owners.filter(({ isOwn }) => isOwn)).map(ownerTag),
    foreign: idsOf(owners.filter(({ isOwn }) => !isOwn)),
    held: held.filter(({ id, name }) => name !== undefined || !named.has(id)),
    hidden: resources.filter(hidesKeys).map(({ urn }) => urn),
    underWay: deployment.underWay,
  };
}

/** The role of a key in a resource, which can be left to be deleted. */
export function roleIn(resource: StateResource, { id, role }: Pick<KeyInState, "id" | "role">): Role {
  if (!resource.replaced || role !== "current") return role;
  return stays(resource, id, role) ? "kept" : "to be revoked";
}

/** Whether a deletion of the resource keeps a key that it holds. It uses what the last run has saved. */
export function stays({ retained, outputs }: StateResource, id: string, role: Role): boolean {
  const isKept = (retained === true || outputs.revokeOnDelete === false) && outputs.revokeNow !== id;
  return isKept && (role === "current" || role === "previous");
}

/** The keys that a resource holds, or has to revoke. */
export function keysIn(resource: StateResource): readonly KeyInState[] {
  const { inputs, outputs } = resource;
  const ownerId = ownerIdIn(outputs.owner ?? outputs.__owner ?? inputs.__owner ?? "");
  return valuesIn(resource).flatMap(({ value, role, name }) => {
    if (typeof value !== "string" || keyIdOf(value) === undefined) return [];
    return [{ id: value, role, name: typeof name === "string" ? name : undefined, ownerId }];
  });
}

/** The current keys of resources in an account, or in an organization, except those that are to be deleted. */
export function currentKeysIn(resources: readonly StateResource[], organizationId: string | undefined) {
  // An encrypted id can be that of any organization.
  const isHere = (id: unknown) => id === organizationId || id === HIDDEN;
  return resources
    .filter((each) => isKeyplanes(each) && !each.replaced && isHere(each.outputs.organizationId))
    .flatMap(keysIn)
    .filter(({ role }) => role === "current");
}

/** Whether a resource may hold a key's id that is encrypted. */
export function hidesKeys(resource: StateResource): boolean {
  return valuesIn(resource).some(({ value }) => value === HIDDEN);
}

/** What can be the id of a key in a resource. */
function valuesIn({ type, id, inputs, outputs }: StateResource) {
  const isKey = type === `${DYNAMIC}ApiKey` || type === `${PLUGIN}ApiKey`;
  const values = ROLES.flatMap(([property, role, name = ""]) =>
    [inputs[property], outputs[property]]
      .flat()
      .filter((value) => value !== undefined)
      .map((value) => ({ value, role, name: outputs[name] })),
  );
  // A resource that could not get a key has the id of a key that is still to be revoked.
  const isOwn = isKey && !values.some(({ value }) => value === id);
  return isOwn ? [...values, { value: id, role: "current" as const, name: outputs.name }] : values;
}

/**
 * The owner that a resource is or names: an `Owner` of the dynamic provider, or a provider or a key of the plugin. Tells
 * whether it was created for the stack of this state.
 */
export function ownersIn({ urn, type, id, replaced, inputs, outputs }: StateResource) {
  if (type === OWNER_TYPE) {
    const isOwn = stackOf(urn) === `${String(outputs.project)}/${String(outputs.stack)}`;
    return replaced || id === "" ? [] : [{ id, isOwn }];
  }
  const owner = inputs.__owner;
  if (typeof owner !== "string") return [];
  return [{ id: ownerIdIn(owner), isOwn: isSameStack(urnIn(owner), urn) }];
}

/** `project/stack` of a URN. */
function stackOf(urn: string): string {
  const [stack, project, rest] = urn.startsWith("urn:pulumi:") ? urn.slice("urn:pulumi:".length).split("::") : [];
  return rest === undefined ? "" : `${project}/${stack}`;
}
