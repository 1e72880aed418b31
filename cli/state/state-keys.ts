import { isoOf } from "../../provider/duration";
import { getOrCreate } from "../../provider/get-or-create";
import { keyIdOf } from "../../provider/ids";
import { nextDue } from "../../provider/keys/ages";
import { nameInUrn } from "../../provider/keys/naming";
import { type Scope, scopeOf } from "../../provider/keys/scope";
import { isObject, type Members, textOf } from "../../provider/members";
import { SECRET_VALUES } from "../../provider/outputs";
import { actionsOf, NOTHING_DONE, rotationOf } from "../../provider/resources/rotation/plan";
import { readState } from "../../provider/resources/rotation/rotation-state";
import { conceal } from "../../provider/secrets";
import { SECRET_SETTINGS } from "../../provider/settings/setting-names";
import { type Deployment, HIDDEN, type StateResource } from "../../provider/stack/deployment";
import { isKeyplanes, isSameKey, type KeyInState, keysIn, suffixOf } from "../../provider/stack/keys-in-state";

/** `kept`: its resource is left to be deleted, without the key. */
export type Role = KeyInState["role"] | "kept";

/** A key in a state, and the resource that holds it. It contains no secret. */
export interface StateKey {
  readonly id: string;
  /** `undefined` if it is not recorded, or secret. */
  readonly name: string | undefined;
  readonly digest: string | undefined;
  readonly role: Role;
  /** Whether the key stays live if the resource is deleted, because of `revokeOnDelete: false` or `retainOnDelete`. */
  readonly stays: boolean;
  readonly urn: string;
  /** The resource's name in the program. */
  readonly resource: string;
  readonly type: "ApiKey" | "RotatingApiKey";
  /** The suffix in the generated names of the resource's keys. */
  readonly suffix: string | undefined;
  /** URNs of the resources that use the resource's outputs. */
  readonly consumers: readonly string[];
  /** Where it is; `undefined` if that is encrypted. */
  readonly scope: Scope | undefined;
  readonly projectId: string | undefined;
  /** The fingerprint of the account that last showed it. */
  readonly fingerprint: string | undefined;
  /** ISO 8601 times, as far as the state has them. At `rotatedAt`, its successor replaced it. */
  readonly createdAt: string | undefined;
  readonly rotateAt: string | undefined;
  readonly rotatedAt: string | undefined;
  readonly revokeAfter: string | undefined;
  /** Whether the state has only texts that the recipients of the key can open. */
  readonly isSealed: boolean;
  /** What comes next for a current key, by a time in milliseconds since 1970. */
  readonly nextAt: (now: number) => Next;
  /** The id of the previous key of the resource. */
  readonly previousId: string | undefined;
  /** The current key that must have been used before the previous one is revoked. */
  readonly requiredId: string | undefined;
}

/** What comes next for a current key, as far as its state is not encrypted. */
export interface Next {
  /** Whether a run waits until the key is ready. */
  readonly isPending: boolean;
  /** Whether the program wants another key, whatever its age, and whether that waits for the previous one. */
  readonly wanted: "no" | "now" | "after the previous key";
  /** The first time at which its age and its window let it rotate; absent without a window. */
  readonly opens: number | undefined;
}

/**
 * The keys that a state holds. Of several resources with one key, the one that decides about it counts. Another account
 * can have another key of the same id.
 */
export function stateKeys({ resources }: Deployment): readonly StateKey[] {
  const found = new Map<string, StateKey>();
  const consumers = new Map<string, string[]>();
  for (const { urn, sources } of resources.filter(({ replaced }) => !replaced)) {
    for (const source of sources) getOrCreate(consumers, source, () => []).push(urn);
  }
  // A resource that is left to be deleted has the key that its successor replaced.
  const ours = resources.filter(isKeyplanes).toSorted((one, other) => Number(other.replaced) - Number(one.replaced));
  for (const resource of ours) {
    const users = consumers.get(resource.urn) ?? [];
    for (const { id, role } of keysIn(resource)) {
      const key = stateKey(resource, { id, role, consumers: users });
      found.set(JSON.stringify([id, key.name, key.scope]), key);
    }
  }
  // A resource that is to revoke a key does not know its name, but one that hands it out does.
  const keys = [...found.values()];
  const inPlace = ({ id, scope }: StateKey) => JSON.stringify([id, scope]);
  const named = new Set(keys.filter(hasName).map(inPlace));
  return keys.filter((key) => hasName(key) || !named.has(inPlace(key)));
}

const hasName = ({ name }: StateKey): boolean => name !== undefined;

/** Finds a key among those of states. Of several, the last one with a name counts: the others can be another account's. */
export function finderIn<Key extends StateKey>(keys: readonly Key[]) {
  const byId = new Map<string, Key[]>();
  for (const key of keys) getOrCreate(byId, key.id, () => []).push(key);
  return (wanted: Parameters<typeof isSameKey>[1]): Key | undefined => {
    const same = (byId.get(wanted.id) ?? []).filter((key) => isSameKey(key, wanted));
    return same.findLast(hasName) ?? same.at(-1);
  };
}

/** The role of a key in a resource, which can be left to be deleted. */
function roleIn(resource: StateResource, { id, role }: Pick<KeyInState, "id" | "role">): Role {
  if (!resource.replaced || role !== "current") return role;
  return stays(resource, id, role) ? "kept" : "to be revoked";
}

/** Whether a deletion of the resource keeps a key that it holds. It uses what the last run has saved. */
function stays({ retained, outputs }: StateResource, id: string, role: Role): boolean {
  const isKept = (retained || outputs.revokeOnDelete === false) && outputs.revokeNow !== id;
  return isKept && (role === "current" || role === "previous");
}

function stateKey(
  resource: StateResource,
  { id, role, consumers }: Pick<KeyInState, "id" | "role"> & Pick<StateKey, "consumers">,
): StateKey {
  const { urn, type, outputs, secrets } = resource;
  const roleNow = roleIn(resource, { id, role });
  const [isCurrent, isPrevious] = [role === "current", role === "previous"];
  const text = (name: string) => (secrets.has(name) ? undefined : textOf(outputs[name]) || undefined);
  const time = (name: string) => readTime(outputs[name]);
  const of = (current: string, previous: string) => (isCurrent ? current : isPrevious ? previous : "");
  return {
    id,
    urn,
    consumers,
    resource: nameInUrn(urn),
    type: type.endsWith(":ApiKey") ? "ApiKey" : "RotatingApiKey",
    name: text(of("name", "previousName")),
    digest: text(of("digest", "previousDigest")),
    role: roleNow,
    stays: stays(resource, id, roleNow),
    suffix: suffixOf(resource),
    scope: scopeIn(resource),
    projectId: text("projectId"),
    fingerprint: textOf(outputs.__account),
    createdAt: isCurrent ? (time("createdAt") ?? readTime(resource.created)) : undefined,
    rotateAt: roleNow === "current" ? time("rotateAt") : undefined,
    rotatedAt: isPrevious ? time("rotatedAt") : undefined,
    revokeAfter: isPrevious ? time("retireAfter") : undefined,
    isSealed: isObject(outputs[of("sealedKey", "previousSealedKey")]),
    nextAt: (now) => (type.endsWith(":ApiKey") ? nextOfKey(outputs, now) : nextOfRotating(outputs, now)),
    previousId: text("previousKeyId"),
    requiredId: outputs.requireUse === true ? text("keyId") : undefined,
  };
}

function nextOfKey(outputs: Members, now: number): Next {
  const isPending = Array.isArray(outputs.pending) && outputs.pending.length > 0;
  const opens = outputs.rotationWindow === undefined ? undefined : nextDue(textOf(outputs.createdAt), outputs)?.(now);
  return { isPending, wanted: "no", opens };
}

/** As the provider decides it. Recipients that are encrypted are recorded only if the program wants other ones. */
function nextOfRotating(outputs: Members, now: number): Next {
  const state = readState(outputs);
  const isPending = actionsOf(state, state.inputs, NOTHING_DONE, now).some((each) => each.do === "wait" && each.isDue);
  const { field, urgent, at } = rotationOf(state, state.inputs, now);
  const isWanted = field !== "rotateAfter" || outputs.sealedTo !== undefined;
  return {
    isPending,
    wanted: !isWanted ? "no" : urgent || state.previous === undefined ? "now" : "after the previous key",
    opens: outputs.rotationWindow === undefined ? undefined : at,
  };
}

/** Where the keys of a resource are; `undefined` if that is encrypted. */
export function scopeIn({ inputs, outputs }: StateResource): Scope | undefined {
  const values = { ...inputs, ...outputs };
  return values.account === HIDDEN || values.organizationId === HIDDEN ? undefined : scopeOf(values);
}

/** A time of a state or the service as ISO 8601, in one form; `undefined` if it is not a time. */
export function readTime(value: unknown): string | undefined {
  return typeof value === "string" ? isoOf(Date.parse(value)) : undefined;
}

/** The properties of keyplane's resources with a secret. */
const SECRETS = [...SECRET_VALUES, ...SECRET_SETTINGS];

/** Keeps the secrets of a state that has them in plain text out of the output, also where a name should be. */
export function concealSecrets({ resources }: Deployment): void {
  for (const { inputs, outputs, secrets } of resources.filter(isKeyplanes)) {
    for (const values of [inputs, outputs]) for (const name of [...SECRETS, ...secrets]) concealIn(values[name]);
  }
}

/** Conceals a text, or the texts of an object, such as the triggers of a rotation. Ids of keys are not secrets. */
function concealIn(value: unknown): void {
  if (typeof value === "string" && keyIdOf(value) === undefined) conceal(value);
  else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) concealIn(each);
}
