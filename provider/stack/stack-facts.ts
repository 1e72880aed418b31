import type { Members } from "../members";
import { isKeyType } from "../type-tokens";
import type { Deployment, StateResource } from "./deployment";
import {
  attemptsIn,
  hidesKeys,
  isKeyplanes,
  isSameKey,
  type KeyInState,
  keysIn,
  lostNamesIn,
  pendingCreationsIn,
  suffixOf,
} from "./keys-in-state";

/** The engine's call that asks. */
export interface EngineCall {
  /** What the engine calls for. */
  readonly verb: "create" | "read" | "update" | "delete";
  readonly urn: string;
  /** The suffix of the resource. Without it, a creation or an update proves nothing. */
  readonly suffix?: string | undefined;
  /** The resource's id. Without it, a deletion proves nothing. */
  readonly id?: string | undefined;
}

/**
 * The resources that the engine has shown to this process: their ids by their suffixes. A suffix without an id is that of a
 * resource that this run creates.
 */
export type Shown = ReadonlyMap<string, ReadonlySet<string>>;

/** A creation that was begun and has not ended, as the engine saved it before it called `create`. */
export interface PendingCreation {
  readonly urn: string;
  /** The suffix in the names that the creation requests. */
  readonly suffix: string;
  /** The checked inputs. */
  readonly inputs: Members;
  readonly process: Process;
}

/** Whose process a resource is of. One whose provider has left the state has no process, so it counts as this one's. */
type Process = "own" | "other";

/** What the state of the call's own stack says about keys. */
export interface StackFacts {
  /** The URN of a resource, which has the stack and the project; `undefined` if there is none. */
  readonly urn: string | undefined;
  /** Whether the state is from before this run, or may be: it lacks what the run has done, also in other processes. */
  readonly isFromBefore: boolean;
  /** All creations of keys that were begun and have not ended, also that of the asking call. */
  readonly pendingCreations: readonly PendingCreation[];
  /** Whether a resource has a key, or is to revoke it; `unknown` if the state hides ids of keys. */
  holds(key: ListedKey): "yes" | "no" | "unknown";
  /** Whether Pulumi would drop a key's resource without deleting it (`retainOnDelete`); `undefined` if no resource has the key. */
  isRetained(key: ListedKey): boolean | undefined;
  /** A resource that has a key as its current or previous one. */
  holderOf(key: ListedKey): Holder | undefined;
  /** The resource with a suffix. */
  resourceWith(suffix: string): Owner | undefined;
  /** The URN of a resource of another provider that is the key, as its id and an output with its name show, and is deleted. */
  foreignHolderOf(key: ListedKey): string | undefined;
}

/** A resource that has a key. One that was `replaced` is left to be deleted. */
export type Holder = Pick<StateResource, "urn" | "replaced">;

/** A resource with a suffix. */
interface Owner {
  /** How many names it has requested. */
  readonly attempts: number;
  readonly process: Process;
}

/** A key as the service lists it. The name is absent if it is not known. */
interface ListedKey {
  readonly id: string;
  readonly name?: string | undefined;
}

/**
 * Reads a state for a call. `undefined` unless the state proves to be that of the call's stack, by something that only this
 * stack has: the pending operation that asks, or a resource with the suffix and the id that the engine has shown. Where a backend
 * shows a run's changes late, only the second is there.
 */
export function factsFor(deployment: Deployment, call: EngineCall, shown: Shown): StackFacts | undefined {
  const asking = pendingFor(call, deployment);
  const known = deployment.resources.filter((resource) => isShown(resource, shown));
  if (asking === undefined && known.length === 0) return undefined;
  return readFacts(deployment, { processes: [...(asking ?? []), ...known], isFromBefore: asking === undefined });
}

/**
 * Reads a state that is this stack's.
 * @param how - `processes`: resources of this process.
 */
export function readFacts(
  deployment: Deployment,
  how: { readonly processes: readonly StateResource[]; readonly isFromBefore: boolean },
): StackFacts {
  const ours = deployment.resources.filter(isKeyplanes);
  const holders = ours.map((resource) => ({ resource, keys: keysIn(resource), lost: lostNamesIn(resource.outputs) }));
  const holderOf = (listed: ListedKey, isHolding: (key: KeyInState) => boolean = () => true) =>
    holders.find(({ keys }) => keys.some((key) => isSameKey(key, listed) && isHolding(key)))?.resource;
  const lost = new Set(holders.flatMap((each) => each.lost));
  const isHidden = ours.some(hidesKeys);
  const urns = new Set(deployment.resources.map(({ urn }) => urn));
  const own = new Set(how.processes.map(providerOf));
  const processOf = (resource: StateResource): Process => {
    const urn = providerOf(resource);
    return own.has(urn) || !urns.has(urn) ? "own" : "other";
  };
  const owners = new Map(ours.map((resource) => [suffixOf(resource), resource]));
  return {
    urn: (deployment.resources[0] ?? deployment.pending[0]?.resource)?.urn,
    isFromBefore: how.isFromBefore,
    pendingCreations: pendingCreationsIn(deployment).map(({ suffix, resource }) => {
      return { urn: resource.urn, suffix, inputs: resource.inputs, process: processOf(resource) };
    }),
    holds: (key) => (holderOf(key) !== undefined || lost.has(key.name ?? "") ? "yes" : isHidden ? "unknown" : "no"),
    isRetained: (key) => holderOf(key)?.retained,
    holderOf: (key) => holderOf(key, ({ role }) => role !== "to be revoked"),
    resourceWith: (suffix) => {
      const resource = owners.get(suffix);
      return resource && { attempts: attemptsIn(resource.outputs), process: processOf(resource) };
    },
    foreignHolderOf: ({ id, name }) =>
      deployment.resources.find(
        (each) => !isKeyplanes(each) && !each.retained && each.id === id && Object.values(each.outputs).includes(name),
      )?.urn,
  };
}

/** The types of the operations that the engine saves while a call is under way. A refresh has none. */
const OPERATIONS = { create: "creating", update: "updating", delete: "deleting", read: undefined } as const;

/** The resource that a call is about, if the state shows that it is under way. */
function pendingFor(
  { verb, urn, suffix, id }: EngineCall,
  { pending }: Deployment,
): readonly StateResource[] | undefined {
  // An alias or a rename can have changed the URN of a resource that is deleted. The operation of an update has no id.
  const isIt = (resource: StateResource) =>
    verb === "delete"
      ? isKeyType(resource.type) && resource.id === id
      : resource.urn === urn && suffix !== undefined && suffixOf(resource) === suffix;
  const found = pending.find(({ type, resource }) => type === OPERATIONS[verb] && isIt(resource));
  return found && [found.resource];
}

function isShown(resource: StateResource, shown: Shown): boolean {
  return isKeyType(resource.type) && shown.get(suffixOf(resource) ?? "")?.has(resource.id) === true;
}

/** The URN of a resource's provider. */
function providerOf({ provider }: StateResource): string {
  return provider.slice(0, Math.max(0, provider.lastIndexOf("::")));
}
