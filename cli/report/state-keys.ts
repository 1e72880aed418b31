import { isoOf } from "../../provider/duration";
import { identityIn, markIn, ownerIdIn } from "../../provider/keys/identity";
import { adoptedIn, isOthers, makerIn, nameInUrn } from "../../provider/keys/names";
import { type Scope, scopeOf } from "../../provider/keys/scope";
import { isObject, textOf } from "../../provider/members";
import { DYNAMIC, isKeyType } from "../../provider/resource-types";
import { HIDDEN, type StateResource } from "../../provider/stack/deployment";
import {
  isKeyplanes,
  type KeyInState,
  keysIn,
  ownersIn,
  type Role,
  roleIn,
  type StackState,
} from "../../provider/stack/stack-state";
import { consumersIn, type ReadState } from "../state/states";
import type { ReportHolder } from "./report-data";

/** A key in a state, with what the state says about it. */
export interface StateKey extends Omit<KeyInState, "role"> {
  /** Where it is; `undefined` if that is encrypted. */
  readonly scope: Scope | undefined;
  /** What its owner recorded of the account; `undefined` if it recorded nothing. */
  readonly mark: string | undefined;
  /** The resource that holds it. */
  readonly holder: ReportHolder;
  readonly dates: KeyDates;
  readonly plan: KeyPlan;
}

/** ISO 8601 times of a key, as far as its state contains them. A successor replaced it at `rotatedAt`. */
type KeyDates = Partial<
  Record<"createdAt" | "deliveredAt" | "rotatedAt" | "rotateAt" | "revokeAfter", string | undefined>
>;

/** What the state says about the key's resource. */
interface KeyPlan {
  /** Whether a change of the key replaces the resource (`ApiKey`). Otherwise it rotates in place. */
  readonly isReplaced: boolean;
  /** Whether a trigger has changed, and the rotation waits. */
  readonly isQueued: boolean;
  readonly previousId: string | undefined;
  readonly isPending: boolean;
}

/** The keys that a state holds. The resource that decides about a key comes last in the state's order, and wins. */
export function stateKeys(state: ReadState): readonly StateKey[] {
  const { resources } = state.deployment;
  const consumers = consumersIn(state);
  const found = new Map<string, StateKey>();
  // A ledger lists all keys, and a resource that is left to be deleted has the key that its successor replaced.
  const weight = ({ type, replaced }: StateResource) => (isKeyType(type) ? (replaced ? 1 : 2) : 0);
  for (const resource of resources.filter(isKeyplanes).toSorted((one, other) => weight(one) - weight(other))) {
    const users = consumers.get(resource.urn) ?? [];
    for (const key of keysIn(resource)) {
      found.set(key.id, stateKey({ ...key, role: roleIn(resource, key) }, { resource, state, users }));
    }
  }
  return [...found.values()];
}

function stateKey(
  key: KeyInState,
  { resource, state, users }: { resource: StateResource; state: StackState; users: readonly StateResource[] },
): StateKey {
  const { urn, type, inputs, outputs, secrets } = resource;
  const { id, role, ownerId } = key;
  const hasName = (property: string) => typeof outputs[property] === "string" && !secrets.has(property);
  const name = hasName(role === "previous" ? "previousName" : "name") ? key.name : undefined;
  const identity = identityIn(outputs) ?? textOf(outputs.__owner ?? inputs.__owner);
  const isAdopted = adoptedIn(outputs)?.id === id || (outputs.imported === true && role === "current");
  const isSealed = isObject(outputs[role === "previous" ? "previousSealedKey" : "sealedKey"]);
  const isCopy = isCopied(resource, state) || isOthers({ name, maker: makerIn(outputs, id) }, identity);
  return {
    ...{ id, name, ownerId, scope: scopeIn(resource), mark: markIn(identity) },
    holder: {
      ...{ stack: state.stack, urn, resource: nameInUrn(urn), type: type.split(":").at(-1) ?? "" },
      ...{ frontEnd: type.startsWith(DYNAMIC) ? "npm" : "plugin", role },
      ...(isAdopted && { isAdopted }),
      ...(isSealed && { isSealed }),
      ...(isCopy && { isCopy }),
      consumers: users.map((user) => user.urn),
    },
    dates: datesOf(resource, role, users),
    plan: {
      isReplaced: type.endsWith(":ApiKey"),
      isQueued: outputs.queuedTriggersDigest !== undefined || outputs.queuedTriggers !== undefined,
      previousId: textOf(outputs.previousKeyId),
      isPending: Array.isArray(outputs.pending) && outputs.pending.length > 0,
    },
  };
}

/** The scope of a resource; `undefined` if it is encrypted. */
export function scopeIn({ inputs, outputs }: StateResource): Scope | undefined {
  const place = { ...inputs, ...outputs };
  return place.account === HIDDEN || place.organizationId === HIDDEN ? undefined : scopeOf(place);
}

/** Whether the state of a resource was copied or renamed, without an `up` since. */
function isCopied(resource: StateResource, { foreign }: StackState): boolean {
  if (!resource.type.startsWith(DYNAMIC)) return ownersIn(resource).some(({ isOwn }) => !isOwn);
  return foreign.includes(ownerIdIn(resource.outputs.owner ?? ""));
}

function datesOf(resource: StateResource, role: Role, users: readonly StateResource[]): KeyDates {
  const time = (name: string) => readTime(resource.outputs[name]);
  if (role === "previous") return { rotatedAt: time("rotatedAt"), revokeAfter: time("retireAfter") };
  if (role !== "current") return {};
  return {
    createdAt: time("createdAt") ?? isoOf(resource.created),
    deliveredAt: time("deliveredAt") ?? deliveryTo(users, resource),
    rotateAt: time("rotateAt"),
  };
}

/** When the last consumer of an `ApiKey` was updated; `undefined` unless all were after its creation. */
function deliveryTo(consumers: readonly StateResource[], { type, created = Number.NaN }: StateResource) {
  if (!type.endsWith(":ApiKey") || consumers.length === 0) return undefined;
  const updated = consumers.map(({ modified = Number.NaN }) => modified);
  return updated.every((time) => time >= created) ? isoOf(Math.max(...updated)) : undefined;
}

/** A time of a state or the service as ISO 8601, in one form; `undefined` if it is not a time. */
export function readTime(value: unknown): string | undefined {
  return typeof value === "string" ? isoOf(Date.parse(value)) : undefined;
}
