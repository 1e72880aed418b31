import { keyIdOf } from "../../provider/ids";
import { isSameStack, ownerIdIn, urnIn } from "../../provider/keys/identity";
import { ownerTag } from "../../provider/keys/names";
import { HIDDEN, opened } from "./envelope";
import type { Deployment, StateResource } from "./read-deployment";

/** The role of a key in the resource that holds it. */
export type Role = "current" | "previous" | "to be revoked" | "kept";

/** The resource that holds a key. */
export interface Holder {
  readonly urn: string;
  readonly role: Role;
}

/** Information about keys in a stack's state. */
export interface StackState {
  /** The source as given by the user. */
  readonly source: string;
  /** `project/stack`. Empty if the state is empty. */
  readonly stack: string;
  /** ISO 8601 time of the state, if it contains it. */
  readonly savedAt: string | undefined;
  /** The tags of the stack's owner. More than one only while the owner is being replaced. */
  readonly tags: readonly string[];
  /** Owners of another stack: this state was copied or renamed, without an `up` since. */
  readonly foreign: readonly string[];
  /** The resource that holds a key, by key id. Includes previous, retired, kept and pending keys. */
  readonly held: ReadonlyMap<string, Holder>;
  /** Places that may hold a key's id, but are encrypted. */
  readonly hidden: readonly string[];
  /** Number of operations that were in progress when the state was saved. */
  readonly underWay: number;
}

/** Types of the dynamic provider, and of the plugin. */
const DYNAMIC = "pulumi-nodejs:dynamic/keyplane:";
const PLUGIN = "keyplane:index:";
const PLUGIN_PROVIDER = "pulumi:providers:keyplane";

/**
 * Properties that hold key ids, for all kinds of resources, with the keys' role. If several match, the last one counts.
 */
const ROLES: readonly (readonly [property: string, role: Role])[] = [
  ["owned", "kept"],
  ["delivered", "kept"],
  ["pendingRevocations", "to be revoked"],
  ["retired", "to be revoked"],
  ["unrevoked", "to be revoked"],
  ["previousKeyId", "previous"],
  ["keyId", "current"],
];

/** Reads the information about keys in a deployment. Key ids and owners are not secret, so nothing is decrypted. */
export function stackState(source: string, deployment: Deployment): StackState {
  const resources = deployment.resources.filter(
    ({ type }) => type.startsWith(DYNAMIC) || type.startsWith(PLUGIN) || type === PLUGIN_PROVIDER,
  );
  const owners = resources.flatMap(ownerIn);
  const held = new Map<string, Holder>();
  const hidden: string[] = [];
  // The ledger lists all keys. Resources that hold a key themselves come after it and take precedence.
  const isLedger = ({ type }: StateResource) => Number(type === `${DYNAMIC}Ledger`);
  for (const resource of resources.toSorted((one, other) => isLedger(other) - isLedger(one))) {
    const { urn } = resource;
    for (const { value, role } of idsIn(resource)) {
      if (typeof value === "string" && keyIdOf(value) !== undefined) held.set(value, { urn, role });
      else if (value === HIDDEN) hidden.push(urn);
    }
  }
  return {
    source,
    stack: stackOf(deployment.resources[0]?.urn ?? ""),
    savedAt: deployment.savedAt,
    tags: tagsOf(owners.filter(({ isOwn }) => isOwn)),
    foreign: tagsOf(owners.filter(({ isOwn }) => !isOwn)),
    held,
    hidden: [...new Set(hidden)],
    underWay: deployment.underWay,
  };
}

/** Ids of the keys that a resource holds, with their roles. */
function* idsIn({
  type,
  id,
  inputs,
  outputs,
}: StateResource): Generator<{ readonly value: unknown; readonly role: Role }> {
  for (const [property, role] of ROLES) {
    for (const source of [inputs, outputs]) {
      const value = opened(source[property]);
      const values = Array.isArray(value) ? value.map(opened) : value === undefined ? [] : [value];
      for (const each of values) yield { value: each, role };
    }
  }
  if (type === `${DYNAMIC}ApiKey` || type === `${PLUGIN}ApiKey`) yield { value: id, role: "current" };
}

/** An owner of keys. */
interface Owner {
  readonly id: string;
  /** Whether it was created for the stack of this state. */
  readonly isOwn: boolean;
}

/** The owner that a resource is or names: an `Owner` of the dynamic provider, or a provider or a key of the plugin. */
function ownerIn({ urn, type, id, delete: isDoomed, inputs, outputs }: StateResource): readonly Owner[] {
  if (type === `${DYNAMIC}Owner`) {
    const isOwn = stackOf(urn) === `${String(opened(outputs.project))}/${String(opened(outputs.stack))}`;
    return isDoomed || id === "" ? [] : [{ id, isOwn }];
  }
  const owner = opened(inputs.__owner);
  if (typeof owner !== "string") return [];
  return [{ id: ownerIdIn(owner), isOwn: isSameStack(urnIn(owner), urn) }];
}

function tagsOf(owners: readonly Owner[]): readonly string[] {
  return [...new Set(owners.map(({ id }) => ownerTag(id)))];
}

/** `project/stack` of a URN. */
function stackOf(urn: string): string {
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(urn) ?? [];
  return stack === undefined ? "" : `${project}/${stack}`;
}
