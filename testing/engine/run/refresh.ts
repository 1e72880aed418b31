/** Refreshes the state that a run starts from. */

import { keepDependencies } from "../state/map-urns";
import { dependenciesOf, type Resource } from "../state/resource";
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
    resource.state = keepDependencies(resource.state, (urn) => present.has(urn));
    present.add(resource.urn);
  }
  repairParents(found, present);
  deployment.base.resources = found;
  deployment.index();
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
