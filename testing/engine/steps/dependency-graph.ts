/** Dependencies between resources, in a list where dependencies come before their dependents. */
import { providerUrn } from "../state/checkpoint";
import { dependenciesOf, dependencyUrns, type Resource } from "../state/resource";

/** The dependencies between the resources of a snapshot. */
export class DependencyGraph {
  private readonly index = new Map<Resource, number>();
  private readonly positions = new Map<string, number[]>();
  private readonly descendants = new Map<string, number[]>();

  constructor(private readonly resources: readonly Resource[]) {
    const latest = new Map<string, Resource>();
    for (const [i, resource] of resources.entries()) {
      this.index.set(resource, i);
      push(this.positions, resource.urn, i);
      latest.set(resource.urn, resource);
      for (let parent = resource.state.parent; parent; parent = latest.get(parent)?.state.parent) {
        push(this.descendants, parent, i);
      }
    }
  }

  /** Whether the resource is in the graph. */
  has(resource: Resource): boolean {
    return this.index.has(resource);
  }

  /** Returns all direct and indirect dependents of a resource in snapshot order, without its children. */
  dependingOn(root: Resource, ignored: ReadonlySet<string>): Resource[] {
    const found: Resource[] = [];
    const urns = new Set([root.urn]);
    for (const candidate of this.resources.slice(this.indexOf(root) + 1)) {
      if (ignored.has(candidate.urn) || !dependsOnAny(candidate, urns)) continue;
      found.push(candidate);
      urns.add(candidate.urn);
    }
    return found;
  }

  /**
   * Returns all direct dependencies of a resource, including its provider and parent. For a component, also its
   * content.
   */
  dependenciesOf(resource: Resource): Set<Resource> {
    const end = this.indexOf(resource);
    const found = new Set<Resource>();
    const add = (positions: readonly number[] | undefined, inside: boolean) => {
      for (const i of positions ?? []) {
        const candidate = this.resources[i];
        if (i >= end || candidate === undefined) continue;
        found.add(candidate);
        if (inside && !candidate.state.custom) add(this.descendants.get(candidate.urn), false);
      }
    };
    const { parent } = resource.state;
    if (parent) add(this.positions.get(parent), false);
    for (const { kind, urn } of dependenciesOf(resource.state))
      if (kind !== "parent") add(this.positions.get(urn), true);
    if (resource.state.provider) add(this.positions.get(providerUrn(resource.state.provider)), true);
    return found;
  }

  /**
   * Returns all direct and indirect dependencies of a resource. If a URN is there twice, old resources depend on old
   * ones, and new resources on new ones.
   */
  transitiveDependenciesOf(resource: Resource): Set<Resource> {
    const found = new Set<Resource>();
    const visit = (from: Resource) => {
      for (const urn of dependencyUrns(from.state)) {
        const dependency = this.lookup(from, urn);
        if (dependency === undefined || found.has(dependency)) continue;
        found.add(dependency);
        visit(dependency);
      }
    };
    // If one URN has several pending deletions, the last one represents them.
    const start = this.lookup(resource, resource.urn) ?? resource;
    found.add(start);
    visit(start);
    found.delete(resource);
    return found;
  }

  private lookup(from: Resource, urn: string): Resource | undefined {
    const candidates = (this.positions.get(urn) ?? []).map((i) => this.resources[i]);
    const wanted = from.state.delete === true;
    return candidates.findLast((candidate) => (candidate?.state.delete === true) === wanted) ?? candidates.at(-1);
  }

  private indexOf(resource: Resource): number {
    const index = this.index.get(resource);
    if (index === undefined) throw new Error(`${resource.urn} is not in the dependency graph`);
    return index;
  }
}

function dependsOnAny(resource: Resource, urns: ReadonlySet<string>): boolean {
  const { provider } = resource.state;
  if (provider && urns.has(providerUrn(provider))) return true;
  return dependenciesOf(resource.state).some(({ kind, urn }) => kind !== "parent" && urns.has(urn));
}

function push(lists: Map<string, number[]>, key: string, value: number): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
