/** A resource during a run. */
import { providerUrn, type ResourceState } from "./checkpoint";

/**
 * One resource, old or new. A replaced resource and its replacement have the same URN, so the object is the identity.
 * The state is never modified in place, only replaced, so that written and reported states do not change.
 */
export class Resource {
  constructor(public state: ResourceState) {}

  get urn(): string {
    return this.state.urn;
  }

  /** Replaces some fields of the state. */
  set(fields: Partial<ResourceState>): void {
    this.state = { ...this.state, ...fields };
  }

  /** Creates another resource with the same state. */
  copy(fields: Partial<ResourceState> = {}): Resource {
    return new Resource({ ...this.state, ...fields });
  }
}

/** Why one resource depends on another. */
export type DependencyKind = "parent" | "dependency" | "property";

/** One edge from a resource to its dependency. */
export interface Dependency {
  readonly kind: DependencyKind;
  readonly urn: string;
}

/** Returns all dependencies of a resource except its provider. */
export function dependenciesOf(state: ResourceState): Dependency[] {
  const edges: Dependency[] = [];
  const add = (kind: DependencyKind, urn: string | undefined) => {
    if (urn) edges.push({ kind, urn });
  };
  add("parent", state.parent);
  for (const urn of state.dependencies ?? []) add("dependency", urn);
  for (const urns of Object.values(state.propertyDependencies ?? {})) for (const urn of urns) add("property", urn);
  return edges;
}

/** Returns the URNs of all dependencies, including the provider's. */
export function dependencyUrns(state: ResourceState): string[] {
  const urns = dependenciesOf(state).map((edge) => edge.urn);
  return state.provider ? [...urns, providerUrn(state.provider)] : urns;
}
