/** Determines what a run deletes at its end, and in which order. */

import type { Deployment } from "../run/deployment";
import { BailError } from "../run/diagnostics";
import type { Resource } from "../state/resource";
import { DeleteStep, RemovePendingReplaceStep, SameStep, type Step, subjectOf } from "./";
import { DependencyGraph } from "./dependency-graph";
import { DependentReplacements } from "./dependent-replacements";
import type { StepGenerator } from "./step-generator";

/** The last steps of a run. */
export interface LastSteps {
  /** Keep what a limited run leaves out. */
  readonly sames: readonly Step[];
  readonly deletes: readonly Step[];
}

/** Generates the deletions of replaced resources, and of resources that the program no longer registers. */
export class DeleteGenerator {
  constructor(
    private readonly deployment: Deployment,
    private readonly generator: StepGenerator,
  ) {}

  async generate(): Promise<LastSteps> {
    const included = await this.inclusion();
    const sames: Step[] = [];
    const deletes: Step[] = [];
    for (const resource of this.deployment.base.resources) {
      const step = included(resource.urn) ? this.deletion(resource) : this.carryOver(resource);
      if (step === undefined) continue;
      if (step instanceof SameStep) sames.push(step);
      else deletes.push(step);
    }
    this.refuseUntargeted(deletes);
    return { sames, deletes };
  }

  private deletion(resource: Resource): Step | undefined {
    const { deletes, pendingDeletes } = this.generator;
    const { delete: replaced, pendingReplacement } = resource.state;
    if (pendingDeletes.has(resource) && replaced) return undefined;
    if (!replaced && this.generator.isOperatedOn(resource.urn)) return undefined;
    deletes.add(resource.urn);
    this.deployment.ensureProviderOf(resource);
    if (!replaced && pendingReplacement) return new RemovePendingReplaceStep(resource);
    return new DeleteStep(resource, deletes, replaced ? "after" : undefined);
  }

  private carryOver(resource: Resource): Step | undefined {
    if (this.generator.isOperatedOn(resource.urn)) return undefined;
    return SameStep.untargeted(resource);
  }

  private refuseUntargeted(deletes: readonly Step[]): void {
    const { targets, targetDependents, preview } = this.deployment.options;
    if (targetDependents) return;
    const refused = deletes.filter(({ urn }) => !targets.has(urn));
    if (refused.length === 0) return;
    for (const { urn } of refused) {
      const message = `Resource '${urn}' will be destroyed but was not specified in --target list; add it, or pass --target-dependents`;
      this.deployment.diagnostics.error(urn, message);
    }
    this.generator.failed = true;
    if (!preview) throw new BailError("delete untargeted resource");
  }

  /** Which URNs may be deleted. */
  private async inclusion(): Promise<(urn: string) => boolean> {
    const { targets, excludes } = this.deployment.options;
    if (targets.limited) {
      const allowed = await this.targeted();
      return (urn) => allowed.has(urn);
    }
    if (!excludes.limited) return () => true;
    const kept = this.kept();
    return (urn) => !kept.has(urn);
  }

  /** The targets and all resources that cannot exist without them. */
  private async targeted(): Promise<Set<string>> {
    const { base, options, allOlds } = this.deployment;
    const graph = new DependencyGraph(base.resources);
    const targeted = new Set<string>();
    const queue = base.resources.filter(({ urn }) => options.targets.has(urn));
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (targeted.has(next.urn)) continue;
      targeted.add(next.urn);
      queue.push(...graph.dependingOn(next, targeted, true));
    }
    const dependents = new DependentReplacements(this.deployment, this.generator);
    const allowed = new Set<string>();
    for (const urn of targeted) {
      for (const resource of allOlds.get(urn) ?? []) {
        allowed.add(urn);
        for (const found of [...(await dependents.of(resource)), ...dependents.cascading(urn)])
          allowed.add(found.resource.urn);
      }
    }
    return allowed;
  }

  /** The excluded resources and all their dependencies. */
  private kept(): Set<string> {
    const { base, options, olds } = this.deployment;
    const graph = new DependencyGraph(base.resources);
    const kept = new Set<string>();
    const queue = base.resources.filter(({ urn }) => options.excludes.has(urn));
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (kept.has(next.urn)) continue;
      kept.add(next.urn);
      queue.push(...graph.dependenciesOf(next));
      if (options.excludeDependents) queue.push(...graph.dependingOn(next, kept, true));
    }
    return new Set([...kept].filter((urn) => olds.has(urn)));
  }
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
