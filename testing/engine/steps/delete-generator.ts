/** Determines what a run deletes at its end, and in which order. */

import type { Deployment } from "../run/deployment";
import type { Resource } from "../state/resource";
import { DeleteStep, RemovePendingReplaceStep, type Step, subjectOf } from "./";
import { DependencyGraph } from "./dependency-graph";
import type { StepGenerator } from "./step-generator";

/** Generates the deletions of replaced resources, and of resources that the program no longer registers. */
export function lastDeletions(deployment: Deployment, generator: StepGenerator): Step[] {
  return deployment.base.resources.flatMap((resource) => {
    const { delete: replaced, pendingReplacement } = resource.state;
    if (replaced ? generator.pendingDeletes.has(resource) : generator.isKept(resource.urn)) return [];
    deployment.ensureProviderOf(resource);
    if (!replaced && pendingReplacement) return new RemovePendingReplaceStep(resource);
    return new DeleteStep(resource, replaced ? "after" : undefined);
  });
}

/**
 * Orders deletions in groups. Groups run one after another, and the steps of a group run concurrently. Dependents of a
 * resource are in an earlier group than the resource.
 */
export function inDeletionOrder(steps: readonly Step[], resources: readonly Resource[]): Step[][] {
  const graph = new DependencyGraph(resources);
  const byResource = new Map(steps.map((step) => [subjectOf(step), step]));
  const dependencies = new Map(
    [...byResource.keys()].map((resource) => [
      resource,
      [...graph.dependenciesOf(resource)].filter((on) => byResource.has(on)),
    ]),
  );
  const groups: Step[][] = [];
  while (dependencies.size > 0) {
    const free = [...dependencies].filter(([, on]) => on.every((other) => !dependencies.has(other))).map(([r]) => r);
    for (const resource of free) dependencies.delete(resource);
    groups.push(free.flatMap((resource) => byResource.get(resource) ?? []));
  }
  return groups.reverse();
}
