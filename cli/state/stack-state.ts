import { keyIdOf } from "../../provider/ids";
import { ownerTag } from "../../provider/keys/names";
import { HIDDEN, opened } from "./envelope";
import type { Deployment, StateResource } from "./read-deployment";

/** What a key is to the resource that holds it. */
export type Role = "current" | "previous" | "to be revoked" | "kept";

/** The resource that holds a key. */
export interface Holder {
  readonly urn: string;
  readonly role: Role;
}

/** What a stack's state tells about its keys. */
export interface StackState {
  /** Where it was read from, as it was given. */
  readonly source: string;
  /** `project/stack`; empty where the state holds nothing. */
  readonly stack: string;
  /** ISO 8601 time at which it was saved, where it tells. */
  readonly savedAt: string | undefined;
  /** The stack's owner: what its keys are tagged with. More than one only while it is being replaced. */
  readonly tags: readonly string[];
  /** Owners that belong to another stack: this state was copied or renamed, and no `up` has followed. */
  readonly foreign: readonly string[];
  /** What holds a key, by the key's id: also previous, retired, kept and pending ones. */
  readonly held: ReadonlyMap<string, Holder>;
  /** Places that may hold a key's id, but are encrypted. */
  readonly hidden: readonly string[];
  /** How many operations were under way when it was saved. */
  readonly underWay: number;
}

const TYPE = "pulumi-nodejs:dynamic/keyplane:";

/** Properties that hold ids of keys, in all kinds of resource, and what a key there is. Where there are several, the last. */
const ROLES: readonly (readonly [property: string, role: Role])[] = [
  ["owned", "kept"],
  ["delivered", "kept"],
  ["pendingRevocations", "to be revoked"],
  ["retired", "to be revoked"],
  ["unrevoked", "to be revoked"],
  ["previousKeyId", "previous"],
  ["keyId", "current"],
];

/** Reads what a deployment tells about keys. Nothing has to be decrypted: ids of keys and owners are no secrets. */
export function stackState(source: string, deployment: Deployment): StackState {
  const resources = deployment.resources.filter(({ type }) => type.startsWith(TYPE));
  const owners = resources.filter((each) => each.type === `${TYPE}Owner` && each.delete !== true && each.id !== "");
  const held = new Map<string, Holder>();
  const hidden: string[] = [];
  // The ledger names all keys: what holds one itself comes after it, and prevails.
  const isLedger = ({ type }: StateResource) => Number(type === `${TYPE}Ledger`);
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
    tags: owners.filter(isOwn).map(({ id }) => ownerTag(id)),
    foreign: owners.filter((each) => !isOwn(each)).map(({ id }) => ownerTag(id)),
    held,
    hidden: [...new Set(hidden)],
    underWay: deployment.underWay,
  };
}

/** Ids of keys that a resource holds, and as what. */
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
  if (type === `${TYPE}ApiKey`) yield { value: id, role: "current" };
}

/** Whether the owner was made for the very stack in whose state it is. */
function isOwn({ urn, outputs }: StateResource): boolean {
  return stackOf(urn) === `${String(opened(outputs.project))}/${String(opened(outputs.stack))}`;
}

/** `project/stack` of a URN. */
function stackOf(urn: string): string {
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(urn) ?? [];
  return stack === undefined ? "" : `${project}/${stack}`;
}
