/** Refreshes the state that a run starts from. */

import { keepDependencies } from "../state/map-urns";
import type { Resource } from "../state/resource";
import { RefreshStep } from "../steps";
import type { Deployment } from "./deployment";

/** Creates one step for each resource. */
export function refreshSteps(deployment: Deployment): RefreshStep[] {
  const { resources } = deployment.base;
  for (const resource of resources) deployment.ensureProviderOf(resource);
  return resources.map((resource) => new RefreshStep(resource));
}

/** Replaces the base state with the refreshed one. Repairs references to resources that no longer exist. */
export function rebuildBase(deployment: Deployment, steps: readonly RefreshStep[]): void {
  const found = steps.flatMap((step) => step.new ?? []);
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
