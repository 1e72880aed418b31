/** Converts registrations to steps: decides when a resource is created, changed, replaced or left unchanged. */
import { type Aliased, formerUrns } from "../program/aliases";
import type { Goal, Registration } from "../program/goal";
import type { Provider } from "../provider/provider";
import { NotSupportedError } from "../refused";
import type { Deployment } from "../run/deployment";
import { BailError } from "../run/diagnostics";
import type { ResourceState } from "../state/checkpoint";
import type { Properties } from "../state/property";
import { keepIgnored } from "../state/property-path";
import { Resource } from "../state/resource";
import { createUrn, packageOf } from "../state/urn";
import { equalValues } from "../state/values";
import { CreateStep, DeleteStep, ReplaceStep, SameStep, type Step, UpdateStep } from "./";
import { DependentReplacements } from "./dependent-replacements";
import { type Diff, diffResource, NO_DIFF, withReplaceOnChanges } from "./diff";
import { invalidInput } from "./invalid-input";

/** A registration that is being converted to steps. */
interface Subject {
  readonly registration: Registration;
  readonly goal: Goal;
  readonly urn: string;
  readonly old: Resource | undefined;
  readonly new: Resource;
  readonly provider: Provider | undefined;
}

/** Generates the steps of one run, resource by resource, in registration order. */
export class StepGenerator {
  /** URNs registered in this run. */
  private readonly urns = new Set<string>();
  /** URNs that this run creates, changes, replaces or keeps. */
  private readonly kept = new Set<string>();
  /** URNs that this run deletes. */
  readonly deletes = new Set<string>();
  /** Resources whose deletion was already generated. */
  readonly pendingDeletes = new Set<Resource>();
  /** Maps former URNs of this run's resources to their current URNs. Below is the reverse map. */
  private readonly aliased = new Map<string, string>();
  private readonly formerUrn = new Map<string, string>();
  private readonly dependentReplaceKeys = new Map<string, readonly string[]>();
  private readonly dependents: DependentReplacements;
  /** Whether an error was reported that fails the run but lets it continue. */
  failed = false;

  constructor(private readonly deployment: Deployment) {
    // What has steps already cannot depend on a resource that is only now being replaced.
    this.dependents = new DependentReplacements(deployment, () => new Set([...this.kept, ...this.deletes]));
  }

  /** Generates the steps of a registered resource. */
  async generate(registration: Registration): Promise<Step[]> {
    const { goal } = registration;
    const urn = this.newUrn(goal);
    const { old, invalid } = this.findOld(urn, goal);
    const resource = new Resource(this.newState(urn, goal, old));
    const provider = goal.custom ? this.deployment.providerOf(resource.state) : undefined;
    const subject = { registration, goal, urn, old, new: resource, provider };
    const recreating = this.deletes.has(urn);
    if ((await this.checkInputs(subject, recreating)) || invalid) throw new BailError(`resource ${urn} is invalid`);
    if (recreating && old) return this.recreate({ ...subject, old });
    if (old) return this.stepsOfDiff({ ...subject, old });
    this.kept.add(urn);
    return [new CreateStep(resource, registration)];
  }

  /** Whether this run keeps a URN, or the current URN of its resource. */
  isKept(urn: string): boolean {
    return this.kept.has(this.aliased.get(urn) ?? urn);
  }

  private newUrn({ type, name, parent }: Pick<Goal, "type" | "name" | "parent">): string {
    if (parent && !this.urns.has(parent)) throw new Error(`could not find parent resource ${parent}`);
    const urn = createUrn(this.deployment.name, type, name, parent);
    if (this.urns.has(urn)) {
      const message = `Duplicate resource URN '${urn}'; try giving it a unique name`;
      this.deployment.diagnostics.error(urn, message);
      this.failed = true;
      throw new BailError(message);
    }
    this.urns.add(urn);
    return urn;
  }

  private newState(urn: string, goal: Goal, old: Resource | undefined): ResourceState {
    const former = this.formerUrn.get(urn);
    const { created, modified } = old?.state ?? {};
    return {
      urn,
      type: goal.type,
      custom: goal.custom,
      inputs: goal.properties,
      ...(goal.parent && { parent: goal.parent }),
      ...(goal.protect && { protect: true }),
      dependencies: goal.dependencies,
      ...(goal.provider && { provider: goal.provider }),
      propertyDependencies: goal.propertyDependencies,
      additionalSecretOutputs: goal.additionalSecretOutputs,
      ...(former && { aliases: [former] }),
      ...(goal.customTimeouts && { customTimeouts: goal.customTimeouts }),
      ...(goal.retainOnDelete && { retainOnDelete: true }),
      ...(created && { created }),
      ...(modified && { modified }),
      ...(goal.sourcePosition && { sourcePosition: goal.sourcePosition }),
      stackTrace: goal.stackTrace,
      ignoreChanges: goal.ignoreChanges,
      replaceOnChanges: goal.replaceOnChanges,
    };
  }

  private findOld(urn: string, goal: Aliased): { old: Resource | undefined; invalid: boolean } {
    const { olds, name, diagnostics } = this.deployment;
    const claimed = this.aliased.get(urn);
    let invalid = claimed !== undefined;
    if (invalid) {
      diagnostics.error(urn, `Duplicate resource URN '${urn}': a resource that was renamed to '${claimed}' had it`);
    }
    const candidates = [urn, ...formerUrns(name, goal, (of) => this.formerUrn.get(of))];
    const found = candidates.find((candidate) => olds.has(candidate));
    if (found === undefined || found === urn) return { old: olds.get(urn), invalid };
    if (this.urns.has(found) || this.aliased.has(found)) {
      invalid = true;
      const other = this.aliased.get(found) ?? found;
      diagnostics.error(urn, `Duplicate resource alias '${found}' of '${urn}': '${other}' is that resource already`);
    }
    this.aliased.set(found, urn);
    this.formerUrn.set(urn, found);
    return { old: olds.get(found), invalid };
  }

  /** Lets the provider check the inputs. @returns whether they are invalid. */
  private async checkInputs(subject: Subject, recreating: boolean): Promise<boolean> {
    const { goal, urn, old, new: resource, provider } = subject;
    if (old) resource.set({ inputs: this.withoutIgnored(urn, goal, old) });
    if (provider === undefined) return false;
    if (recreating || old === undefined) return this.check(resource, provider, {}, goal.properties);
    return this.check(resource, provider, old.state.inputs ?? {}, resource.state.inputs ?? goal.properties);
  }

  private async check(resource: Resource, provider: Provider, olds: Properties, news: Properties): Promise<boolean> {
    const { inputs, failures } = await provider.check(resource.urn, olds, news, this.deployment.options.preview);
    for (const failure of failures) this.deployment.diagnostics.error(resource.urn, invalidInput(resource, failure));
    resource.set({ inputs });
    return failures.length > 0;
  }

  private withoutIgnored(urn: string, goal: Goal, old: Resource): Properties {
    const { inputs, invalid } = keepIgnored(goal.properties, old.state.inputs ?? {}, goal.ignoreChanges);
    if (invalid.length > 0) {
      const paths = invalid.join(", ");
      this.deployment.diagnostics.info(
        urn,
        `cannot ignore changes in added or removed elements of the path: "${paths}"`,
      );
    }
    return inputs;
  }

  private async stepsOfDiff(subject: Subject & { old: Resource }): Promise<Step[]> {
    const { old, new: resource, goal, urn, registration } = subject;
    const asked = await this.diff(subject);
    const hasInitErrors = (old.state.initErrors ?? []).length > 0;
    const diff = withReplaceOnChanges(asked, goal.replaceOnChanges, hasInitErrors);
    const pending = old.state.pendingReplacement === true;
    if ((diff.changes && diff.replaceKeys.length > 0) || pending) return this.replace(subject, diff);
    this.kept.add(urn);
    // With init errors and no change, the update continues to wait until the resource is ready.
    if (diff.changes || hasInitErrors) return [new UpdateStep(old, resource, registration, diff.changedKeys)];
    return [new SameStep(old, resource, registration)];
  }

  private async diff({ old, new: resource, goal, urn, provider }: Subject & { old: Resource }): Promise<Diff> {
    const { inputs = {} } = resource.state;
    const { id = "", inputs: oldInputs = {}, outputs: oldOutputs = {} } = old.state;
    if (goal.custom && packageOf(old.state.type) !== packageOf(goal.type)) {
      throw new NotSupportedError(`a resource that moves to another package (${urn})`);
    }
    if (provider === undefined) return { ...NO_DIFF, changes: !equalValues(oldInputs, inputs) };
    const request = { urn, id, oldInputs, oldOutputs, newInputs: inputs, ignoreChanges: goal.ignoreChanges };
    return diffResource(provider, request, this.deployment.options.preview);
  }

  private async replace(subject: Subject & { old: Resource }, diff: Diff): Promise<Step[]> {
    const { old, new: resource, goal, urn, provider, registration } = subject;
    if (resource.state.protect && old.state.protect) this.refuseProtected(urn, urn);
    this.kept.add(urn);
    // The check used the old inputs to keep old defaults. That no longer applies.
    if (provider && (await this.check(resource, provider, {}, goal.properties))) {
      throw new BailError(`resource ${urn} is invalid`);
    }
    if (!(goal.deleteBeforeReplace ?? diff.deleteBeforeReplace)) {
      return [
        new CreateStep(resource, registration, { old, diff, pendingDelete: true }),
        new ReplaceStep(old, resource, diff),
      ];
    }
    return [
      ...(await this.deleteDependents(old, urn)),
      ...this.deleteBeforeReplace(old),
      new ReplaceStep(old, resource, diff),
      new CreateStep(resource, registration, { old, diff, pendingDelete: false }),
    ];
  }

  /** Creates a resource again that was deleted together with one that it depends on. */
  private recreate({ old, new: resource, urn, registration }: Subject & { old: Resource }): Step[] {
    this.deletes.delete(urn);
    this.kept.add(urn);
    const diff = { ...NO_DIFF, replaceKeys: this.dependentReplaceKeys.get(urn) ?? [] };
    return [
      new ReplaceStep(old, resource, NO_DIFF),
      new CreateStep(resource, registration, { old, diff, pendingDelete: false }),
    ];
  }

  private deleteBeforeReplace(old: Resource): Step[] {
    this.deployment.ensureProviderOf(old);
    if (old.state.pendingReplacement) return [];
    this.deletes.add(old.urn);
    return [new DeleteStep(old, "before")];
  }

  private async deleteDependents(old: Resource, urn: string): Promise<Step[]> {
    const found = await this.dependents.of(old);
    const steps: Step[] = [];
    for (const { resource, keys } of found.toReversed()) {
      if (this.pendingDeletes.has(resource)) continue;
      this.dependentReplaceKeys.set(resource.urn, keys);
      if (!resource.state.delete && resource.state.protect) this.refuseProtected(resource.urn, urn, true);
      steps.push(new DeleteStep(resource, resource.state.delete ? undefined : "before"));
      this.deletes.add(resource.urn);
      this.pendingDeletes.add(resource);
    }
    return steps;
  }

  private refuseProtected(protectedUrn: string, urn: string, always = false): void {
    const message =
      `unable to replace resource "${protectedUrn}" as it is currently marked for protection. Remove the ` +
      "`protect` flag from it in the program and run `up`";
    this.deployment.diagnostics.error(urn, message);
    this.failed = true;
    if (always || !this.deployment.options.preview) throw new BailError(message);
  }
}
