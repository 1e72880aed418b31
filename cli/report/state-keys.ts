import { isoOf } from "../../provider/duration";
import { nameInUrn } from "../../provider/keys/naming";
import { type Scope, scopeOf } from "../../provider/keys/scope";
import { isObject, membersOf, textOf } from "../../provider/members";
import { DYNAMIC, isKeyType } from "../../provider/resource-types";
import { HIDDEN, type StateResource } from "../../provider/stack/deployment";
import { type KeyInState, keysIn, markOf, type Role, roleIn } from "../../provider/stack/keys-in-state";
import { consumersIn, type ReadState } from "../state/states";
import type { ReportHolder } from "./report-data";

/** A key in a state, with what the state says about it. */
export interface StateKey extends Omit<KeyInState, "role"> {
  /** Where it is; `undefined` if that is encrypted. */
  readonly scope: Scope | undefined;
  /** The mark of the account that last showed it; `undefined` if none is recorded. */
  readonly accountFingerprint: string | undefined;
  /** The mark in the generated names of the resource's keys. */
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
  /** Whether the program wants another key, and the rotation waits. */
  readonly isQueued: boolean;
  readonly previousId: string | undefined;
  /** The current key that must have been used before the previous one is revoked. */
  readonly requiredId: string | undefined;
  readonly isPending: boolean;
}

/** The keys that a state holds. The resource that decides about a key comes last in the state's order, and wins. */
export function stateKeys(state: ReadState): readonly StateKey[] {
  const { resources } = state.deployment;
  const consumers = consumersIn(state);
  const found = new Map<string, StateKey>();
  const keyResources = resources.filter(({ type }) => isKeyType(type));
  // A resource that is left to be deleted has the key that its successor replaced.
  for (const resource of keyResources.toSorted((one, other) => Number(other.replaced) - Number(one.replaced))) {
    const users = consumers.get(resource.urn) ?? [];
    for (const key of keysIn(resource)) {
      found.set(key.id, stateKey({ ...key, role: roleIn(resource, key) }, { resource, state, users }));
    }
  }
  return [...found.values()];
}

function stateKey(
  key: KeyInState,
  { resource, state, users }: { resource: StateResource; state: ReadState; users: readonly StateResource[] },
): StateKey {
  const { urn, type, outputs, secrets } = resource;
  const { id, role } = key;
  const hasName = (property: string) => typeof outputs[property] === "string" && !secrets.has(property);
  const name = hasName(role === "previous" ? "previousName" : "name") ? key.name : undefined;
  const isAdopted = membersOf(outputs.adopted).id === id;
  const isSealed = isObject(outputs[role === "previous" ? "previousSealedKey" : "sealedKey"]);
  return {
    ...{ id, name, scope: scopeIn(resource), accountFingerprint: textOf(outputs.__account), mark: markOf(resource) },
    holder: {
      ...{ stack: state.stack, urn, resource: nameInUrn(urn), type: type.split(":").at(-1) ?? "" },
      ...{ frontEnd: type.startsWith(DYNAMIC) ? "npm" : "plugin", role },
      ...(isAdopted && { isAdopted }),
      ...(isSealed && { isSealed }),
      consumers: users.map((user) => user.urn),
    },
    dates: datesOf(resource, role, users),
    plan: {
      isReplaced: type.endsWith(":ApiKey"),
      isQueued: [outputs.rotationQueued, outputs.sealedTo, outputs.leasedFor].some((each) => each !== undefined),
      previousId: textOf(outputs.previousKeyId),
      requiredId: outputs.requireUse === true ? textOf(outputs.keyId) : undefined,
      isPending: Array.isArray(outputs.pending) && outputs.pending.length > 0,
    },
  };
}

/** The scope of a resource; `undefined` if it is encrypted. */
export function scopeIn({ inputs, outputs }: StateResource): Scope | undefined {
  const place = { ...inputs, ...outputs };
  return place.account === HIDDEN || place.organizationId === HIDDEN ? undefined : scopeOf(place);
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
