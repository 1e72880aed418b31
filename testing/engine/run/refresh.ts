/** Refreshes the state that a run starts from. */

import { type Dependency, dependenciesOf, type Resource } from "../state/resource";
import { RefreshStep } from "../steps";
import type { Deployment } from "./deployment";

/** Creates one step for each resource that the run includes. */
export function refreshSteps(deployment: Deployment): RefreshStep[] {
  const { base, options } = deployment;
  const targets = options.targets.copy();
  const excludes = options.excludes.copy();
  const isIncluded = (resource: Resource): boolean => {
    if (excludes.limited) {
      if (excludes.has(resource.urn)) return false;
      if (!options.excludeDependents || !dependenciesOf(resource.state).some(({ urn }) => excludes.has(urn)))
        return true;
      excludes.add(resource.urn);
      return false;
    }
    if (targets.has(resource.urn)) return true;
    if (!options.targetDependents || !dependenciesOf(resource.state).some(({ urn }) => targets.has(urn))) return false;
    targets.add(resource.urn);
    return true;
  };
  const steps = base.resources.filter(isIncluded).map((resource) => new RefreshStep(resource));
  for (const step of steps) deployment.ensureProviderOf(step.old);
  return steps;
}

/** Replaces the base state with the refreshed one. Repairs references to resources that no longer exist. */
export function rebuildBase(deployment: Deployment, steps: readonly RefreshStep[]): void {
  const refreshed = new Map(steps.map((step) => [step.old, step.new]));
  const found = deployment.base.resources.flatMap((old) => (refreshed.has(old) ? (refreshed.get(old) ?? []) : old));
  const present = new Set<string>();
  for (const resource of found) {
    repairDependencies(resource, present);
    present.add(resource.urn);
  }
  repairParents(found, present);
  deployment.base.resources = found;
  deployment.index();
}

function repairDependencies(resource: Resource, present: ReadonlySet<string>): void {
  const { dependencies = [], propertyDependencies = {}, deletedWith, replaceWith = [] } = resource.state;
  const isThere = (urn: Dependency["urn"]) => present.has(urn);
  const all = [...dependencies, ...Object.values(propertyDependencies).flat(), ...replaceWith];
  const loses = !all.every(isThere) || (deletedWith !== undefined && !isThere(deletedWith));
  if (!loses) return;
  const { deletedWith: with_, ...state } = resource.state;
  resource.state = {
    ...state,
    dependencies: dependencies.filter(isThere),
    propertyDependencies: Object.fromEntries(
      Object.entries(propertyDependencies).map(([key, urns]) => [key, urns.filter(isThere)] as const),
    ),
    ...(with_ !== undefined && isThere(with_) && { deletedWith: with_ }),
    ...(replaceWith.length > 0 && { replaceWith: replaceWith.filter(isThere) }),
  };
}

/** Gives a child whose parent no longer exists to the parent's parent. */
function repairParents(resources: readonly Resource[], present: ReadonlySet<string>): void {
  const parents = new Map<string, string | undefined>();
  for (const resource of resources) {
    const { parent, ...state } = resource.state;
    if (parent && !present.has(parent)) {
      const grandparent = parents.get(parent);
      resource.state = { ...state, ...(grandparent && { parent: grandparent }) };
    }
    parents.set(resource.urn, resource.state.parent);
  }
}
