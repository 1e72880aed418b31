import { identityIn, markIn, ownerIdIn } from "../../provider/keys/identity";
import { adoptedIn, isOthers, makerIn } from "../../provider/keys/names";
import type { Scope } from "../../provider/keys/scope";
import { isObject, textOf } from "../../provider/members";
import { DYNAMIC, isKeyType } from "../../provider/resource-types";
import type { Deployment, StateResource } from "../../provider/stack/deployment";
import { isKeyplanes, keysIn, ownersIn, type Role, type StackState } from "../../provider/stack/stack-state";
import { consumersIn } from "../state/consumers";
import { isoOf, readTime } from "./iso-time";
import { scopeIn } from "./state-scopes";

/** A key in a state, with what the state says about it. */
export interface StateKey {
  readonly id: string;
  readonly name: string | undefined;
  readonly role: Role;
  readonly urn: string;
  readonly type: string;
  /** `project/stack` of the state. */
  readonly stack: string;
  /** The id of its owner; empty if it is not recorded. */
  readonly ownerId: string;
  /** Where it is; `undefined` if that is encrypted. */
  readonly scope: Scope | undefined;
  /** What its owner recorded of the account; `undefined` if it recorded nothing. */
  readonly mark: string | undefined;
  readonly isAdopted: boolean;
  /** Whether the state has only texts that the recipients of the key can open. */
  readonly isSealed: boolean;
  /** Whether the state was copied or renamed, or another stack created the key. */
  readonly isCopy: boolean;
  readonly dates: KeyDates;
  readonly plan: KeyPlan;
  readonly consumers: readonly string[];
}

/** ISO 8601 times of a key, as far as its state contains them. */
export interface KeyDates {
  readonly createdAt?: string | undefined;
  readonly deliveredAt?: string | undefined;
  /** When a successor replaced it. */
  readonly rotatedAt?: string | undefined;
  readonly rotateAt?: string | undefined;
  readonly revokeAfter?: string | undefined;
}

/** What the state says about the key's resource. */
export interface KeyPlan {
  /** Whether a change of the key replaces the resource (`ApiKey`). Otherwise it rotates in place. */
  readonly isReplaced: boolean;
  /** Whether a trigger has changed, and the rotation waits. */
  readonly isQueued: boolean;
  /** The id of the previous key. */
  readonly previousId: string | undefined;
  /** Whether the key is not ready yet. */
  readonly isPending: boolean;
}

/** The keys that a state holds. The resource that decides about a key comes last in the state's order, and wins. */
export function stateKeys(state: StackState, deployment: Deployment): readonly StateKey[] {
  const { resources } = deployment;
  const consumers = consumersIn(deployment);
  const found = new Map<string, StateKey>();
  // A ledger lists all keys, and a resource that is left to be deleted has the key that its successor replaced.
  const weight = ({ type, replaced }: StateResource) => (isKeyType(type) ? (replaced ? 1 : 2) : 0);
  for (const resource of resources.filter(isKeyplanes).toSorted((one, other) => weight(one) - weight(other))) {
    for (const key of keysIn(resource)) {
      const role = resource.replaced && key.role === "current" ? "to be revoked" : key.role;
      const users = consumers.get(resource.urn) ?? [];
      const facts = factsOf({ ...key, role }, resource, state);
      const deliveredAt = facts.dates.deliveredAt ?? (role === "current" ? deliveryTo(users, resource) : undefined);
      const dates = { ...facts.dates, deliveredAt };
      found.set(key.id, { ...key, ...facts, dates, consumers: users.map(({ urn }) => urn) });
    }
  }
  return [...found.values()];
}

function factsOf(
  key: { readonly id: string; readonly name: string | undefined; readonly role: Role; readonly ownerId: string },
  resource: StateResource,
  state: StackState,
): Omit<StateKey, "id" | "ownerId" | "consumers"> {
  const { urn, type, inputs, outputs, secrets } = resource;
  const { id, role } = key;
  const hasName = (property: string) => typeof outputs[property] === "string" && !secrets.has(property);
  const name = hasName(role === "previous" ? "previousName" : "name") ? key.name : undefined;
  const identity = identityIn(outputs) ?? textOf(outputs.__owner ?? inputs.__owner);
  return {
    name,
    role,
    urn,
    type,
    stack: state.stack,
    scope: scopeIn(resource),
    mark: markIn(identity),
    isAdopted: adoptedIn(outputs)?.id === id || (outputs.imported === true && role === "current"),
    isSealed: isObject(outputs[role === "previous" ? "previousSealedKey" : "sealedKey"]),
    isCopy: isCopied(resource, state) || isOthers({ name, maker: makerIn(outputs, id) }, identity),
    dates: datesOf(resource, role),
    plan: {
      isReplaced: type.endsWith(":ApiKey"),
      isQueued: outputs.queuedTriggersDigest !== undefined || outputs.queuedTriggers !== undefined,
      previousId: textOf(outputs.previousKeyId),
      isPending: Array.isArray(outputs.pending) && outputs.pending.length > 0,
    },
  };
}

/** Whether the state of a resource was copied or renamed, without an `up` since. */
function isCopied(resource: StateResource, { foreign }: StackState): boolean {
  if (!resource.type.startsWith(DYNAMIC)) return ownersIn(resource).some(({ isOwn }) => !isOwn);
  return foreign.includes(ownerIdIn(resource.outputs.owner ?? ""));
}

function datesOf({ outputs, created }: StateResource, role: Role): KeyDates {
  const time = (name: string) => readTime(outputs[name]);
  if (role === "previous") return { rotatedAt: time("rotatedAt"), revokeAfter: time("retireAfter") };
  if (role !== "current") return {};
  return {
    createdAt: time("createdAt") ?? isoOf(created),
    deliveredAt: time("deliveredAt"),
    rotateAt: time("rotateAt"),
  };
}

/** When the last consumer of an `ApiKey` was updated; `undefined` unless all were after its creation. */
function deliveryTo(consumers: readonly StateResource[], { type, created = Number.NaN }: StateResource) {
  if (!type.endsWith(":ApiKey") || consumers.length === 0) return undefined;
  const updated = consumers.map(({ modified = Number.NaN }) => modified);
  return updated.every((time) => time >= created) ? isoOf(Math.max(...updated)) : undefined;
}
