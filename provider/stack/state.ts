import { isKeyType } from "../resource-types";
import type { Deployment, StateResource } from "./deployment";
import { hidesKeys, isKeyplanes, isSameKey, type KeyInState, keysIn, markOf, notesIn } from "./keys-in-state";

/** The engine's step that asks. `reading` is a refresh, for which the engine saves no note. */
export interface EngineStep {
  readonly kind: "creating" | "updating" | "deleting" | "reading";
  readonly urn: string;
  /** The mark of the resource. Without it, a `creating` or `updating` proves nothing. */
  readonly mark?: string | undefined;
  /** The resource's id. Without it, a `deleting` or `reading` proves nothing. */
  readonly id?: string | undefined;
}

/** A creation that was begun and has not ended, as the engine saved it before it called `create`. */
export interface Note {
  readonly urn: string;
  /** The mark in the names that the creation requests. */
  readonly mark: string;
  /**
   * Whose process has begun it: one of the asking step's provider, or of one that has left the state, so that no other
   * process can have it under way; one of the same package in another version; or one of another provider.
   */
  readonly provider: "own" | "other version" | "other";
}

/** What the state of the step's own stack says about keys. */
export interface StackFacts {
  /** All creations of keys that were begun and have not ended, also that of the asking step. */
  readonly notes: readonly Note[];
  /** Whether a resource has a key, or is to revoke it; `unknown` if the state hides ids of keys. */
  holds(key: ListedKey): "yes" | "no" | "unknown";
  /** Whether Pulumi would drop a key's resource without deleting it (`retainOnDelete`); `undefined` if no resource has the key. */
  isRetained(key: ListedKey): boolean | undefined;
  /** A resource that has a key as its current or previous one. */
  holderOf(key: ListedKey): Holder | undefined;
  /** The URN of a resource of another provider that is the key, as its id and an output with its name show, and is deleted. */
  othersOf(key: ListedKey): string | undefined;
}

/** A resource that has a key. One that was `replaced` is left to be deleted. */
export type Holder = Pick<StateResource, "urn" | "replaced">;

/** A key as the service lists it. The name is absent if it is not known. */
interface ListedKey {
  readonly id: string;
  readonly name?: string | undefined;
}

/**
 * Reads a state for a step. `undefined` unless the state proves to be that of the step's stack: another
 * stack, also one of the same name in another organization, does not have this step under way.
 */
export function factsFor(deployment: Deployment, step: EngineStep): StackFacts | undefined {
  const asking = resourceOf(step, deployment);
  if (asking === undefined) return undefined;
  const ours = deployment.resources.filter(isKeyplanes);
  const holders = ours.map((resource) => ({ resource, keys: keysIn(resource) }));
  const holderOf = (listed: ListedKey, isHolding: (key: KeyInState) => boolean = () => true) =>
    holders.find(({ keys }) => keys.some((key) => isSameKey(key, listed) && isHolding(key)))?.resource;
  const isHidden = ours.some(hidesKeys);
  const urns = new Set(deployment.resources.map(({ urn }) => urn));
  const own = providerOf(asking);
  return {
    notes: notesIn(deployment).map(({ mark, resource }) => {
      const urn = providerOf(resource);
      const isOwn = urn === own || !urns.has(urn);
      const isVersion = withoutVersion(urn) === withoutVersion(own);
      return { urn: resource.urn, mark, provider: isOwn ? "own" : isVersion ? "other version" : "other" };
    }),
    holds: (key) => (holderOf(key) !== undefined ? "yes" : isHidden ? "unknown" : "no"),
    isRetained: (key) => holderOf(key)?.retained,
    holderOf: (key) => holderOf(key, ({ role }) => role !== "to be revoked"),
    othersOf: ({ id, name }) =>
      deployment.resources.find(
        (each) => !isKeyplanes(each) && !each.retained && each.id === id && Object.values(each.outputs).includes(name),
      )?.urn,
  };
}

/** The resource that a step is about, if the state shows that it is under way. */
function resourceOf(
  { kind, urn, mark, id }: EngineStep,
  { resources, pending }: Deployment,
): StateResource | undefined {
  // An alias or a rename can have changed the URN of a resource that is read or deleted. The note of an update has no id.
  const isIt = (resource: StateResource) =>
    kind === "deleting" || kind === "reading"
      ? isKeyType(resource.type) && resource.id === id
      : resource.urn === urn && mark !== undefined && markOf(resource) === mark;
  if (kind === "reading") return resources.find(isIt);
  return pending.find(({ type, resource }) => type === kind && isIt(resource))?.resource;
}

/** The URN of a resource's provider. */
function providerOf({ provider }: StateResource): string {
  return provider.slice(0, Math.max(0, provider.lastIndexOf("::")));
}

/** The name of a default provider has the version of its package: `default_1_2_3`. */
function withoutVersion(urn: string): string {
  const at = urn.lastIndexOf("::default_");
  return at < 0 ? urn : urn.slice(0, at + "::default".length);
}
