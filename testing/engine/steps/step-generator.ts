/** Converts registrations to steps: decides when a resource is created, changed, replaced or left unchanged. */
import { type Aliased, formerUrns } from "../program/aliases";
import type { Goal, Registration } from "../program/goal";
import type { Provider } from "../provider/provider";
import type { Deployment } from "../run/deployment";
import { BailError } from "../run/diagnostics";
import type { ResourceState } from "../state/checkpoint";
import { providerUrn } from "../state/checkpoint";
import type { Properties } from "../state/property";
import { keepIgnored } from "../state/property-path";
import { dependenciesOf, dependencyUrns, Resource } from "../state/resource";
import { createUrn, isProviderType, STACK_TYPE, typeOf } from "../state/urn";
import { containsUnknown, equalValues, withoutSecrets } from "../state/values";
import {
  CreateStep,
  DeleteStep,
  type ReadGoal,
  type ReadResult,
  ReadStep,
  ReplaceStep,
  SameStep,
  type Step,
  UpdateStep,
} from "./";
import { DependentReplacements } from "./dependent-replacements";
import { type Diff, diffResource, NO_DIFF, replaceBecauseOf, requiresReplacement, withReplaceOnChanges } from "./diff";
import { ImportStep, isImported } from "./import-step";
import { invalidInput, shownInput } from "./invalid-input";
import { needsOtherProvider } from "./provider-change";
import type { Targets } from "./targets";

/** A registration that is being converted to steps. */
interface Subject {
  readonly registration: Registration;
  readonly goal: Goal;
  readonly urn: string;
  readonly old: Resource | undefined;
  readonly new: Resource;
  readonly provider: Provider | undefined;
}

/** The steps of a registration. */
export interface GeneratedSteps {
  readonly steps: readonly Step[];
  /** Generates the steps that follow once the first ones have ended. */
  readonly next?: () => Promise<readonly Step[]>;
}

/** Generates the steps of one run, resource by resource, in registration order. */
export class StepGenerator {
  /** URNs registered in this run. */
  readonly urns = new Set<string>();
  readonly creates = new Set<string>();
  readonly sames = new Set<string>();
  readonly updates = new Set<string>();
  readonly replaces = new Set<string>();
  readonly deletes = new Set<string>();
  readonly reads = new Set<string>();
  private readonly imports = new Set<string>();
  /** Creations that a limited run left out. */
  readonly skippedCreates = new Set<string>();
  /** Resources whose deletion was already generated. */
  readonly pendingDeletes = new Set<Resource>();
  /** Maps former URNs of this run's resources to their current URNs. Below is the reverse map. */
  private readonly aliased = new Map<string, string>();
  private readonly formerUrn = new Map<string, string>();
  private readonly dependentReplaceKeys = new Map<string, readonly string[]>();
  private readonly targetsSeen: Targets;
  private readonly excludesSeen: Targets;
  private readonly dependents: DependentReplacements;
  private queuedSames: SameStep[] = [];
  private readonly queuedSameUrns = new Set<string>();
  /** Whether an error was reported that fails the run but lets it continue. */
  failed = false;

  constructor(private readonly deployment: Deployment) {
    this.targetsSeen = deployment.options.targets.copy();
    this.excludesSeen = deployment.options.excludes.copy();
    this.dependents = new DependentReplacements(deployment, this);
  }

  /** Generates the steps of a registered resource. */
  async generate(registration: Registration): Promise<GeneratedSteps> {
    const { goal } = registration;
    const urn = this.newUrn(goal);
    const { old, invalid } = this.findOld(urn, goal);
    const resource = new Resource(this.newState(urn, goal, old));
    const provider = goal.custom ? this.deployment.providerOf(resource.state) : undefined;
    const subject = { registration, goal, urn, old, new: resource, provider };
    if (goal.custom && goal.importId && !isImported(old, goal.importId)) return this.generateImport(subject, invalid);
    return { steps: this.validated(await this.generateFor(subject, invalid)) };
  }

  /** Generates the import of a resource. Then the program's inputs are compared with those that were found. */
  private generateImport(subject: Subject, invalid: boolean): GeneratedSteps {
    const { urn, goal, old, registration } = subject;
    const original = this.deletes.has(urn) ? undefined : old;
    this.imports.add(urn);
    const step = new ImportStep(subject.new, registration, original);
    return {
      steps: original ? [step, new ReplaceStep(original, subject.new, NO_DIFF)] : [step],
      next: async () => {
        if (!step.isDone) return [];
        const desired = new Resource(this.newState(urn, { ...goal, replacementTrigger: undefined }, step.new));
        return this.validated(await this.generateFor({ ...subject, old: step.new, new: desired }, invalid));
      },
    };
  }

  /** Generates the step of a resource that the program reads. */
  generateRead(goal: ReadGoal, done: (result: ReadResult) => void): Step[] {
    const urn = this.newUrn(goal);
    const { old } = this.findOld(urn, { ...goal, aliases: [] });
    const former = this.formerUrn.get(urn);
    const resource = new Resource({
      urn,
      type: goal.type,
      custom: true,
      external: true,
      id: goal.id,
      inputs: goal.properties,
      outputs: {},
      ...(goal.parent && { parent: goal.parent }),
      dependencies: goal.dependencies,
      provider: goal.provider,
      additionalSecretOutputs: goal.additionalSecretOutputs,
      ...(former && { aliases: [former] }),
      ...(goal.sourcePosition && { sourcePosition: goal.sourcePosition }),
      stackTrace: goal.stackTrace,
    });
    if (old && !old.state.external && old.state.id !== goal.id) {
      this.replaces.add(urn);
      return [new ReadStep(old, resource, done, true), new ReplaceStep(old, resource, NO_DIFF)];
    }
    this.reads.add(urn);
    return [new ReadStep(old, resource, done, false)];
  }

  /** Whether steps were generated for a URN, or for the current URN of its resource. */
  isOperatedOn(urn: string): boolean {
    const current = this.aliased.get(urn) ?? urn;
    return [this.sames, this.updates, this.replaces, this.reads].some((urns) => urns.has(current));
  }

  private newUrn({ type, name, parent }: Pick<Goal, "type" | "name" | "parent">): string {
    if (parent && !this.urns.has(parent)) throw new Error(`could not find parent resource ${parent}`);
    const urn = createUrn(this.deployment.name, type, name, parent);
    if (this.urns.has(urn)) throw this.bail(urn, `Duplicate resource URN '${urn}'; try giving it a unique name`);
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
      ...(goal.importId && { importID: goal.importId }),
      ...(goal.retainOnDelete && { retainOnDelete: true }),
      ...(goal.deletedWith && { deletedWith: goal.deletedWith }),
      replaceWith: goal.replaceWith,
      ...(created && { created }),
      ...(modified && { modified }),
      ...(goal.sourcePosition && { sourcePosition: goal.sourcePosition }),
      stackTrace: goal.stackTrace,
      ignoreChanges: goal.ignoreChanges,
      hideDiff: goal.hideDiffs,
      replaceOnChanges: goal.replaceOnChanges,
      ...(goal.replacementTrigger !== undefined && { replacementTrigger: goal.replacementTrigger }),
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

  private async generateFor(subject: Subject, alreadyInvalid: boolean): Promise<Step[]> {
    const { urn, old, new: resource, registration } = subject;
    const recreating = this.deletes.has(urn);
    const wasExternal = old?.state.external === true;
    const targeted = isAlwaysIncluded(urn) || this.isIncluded(resource);
    const forgetsOld = recreating || wasExternal || old === undefined || this.isForcedReplace(urn);
    const invalid = (await this.checkInputs(subject, targeted, forgetsOld)) || alreadyInvalid;
    if (targeted) this.queueUntargetedDependencies(resource);
    if (invalid) throw new BailError(`resource ${urn} is invalid`);
    if (recreating && old) {
      this.deletes.delete(urn);
      this.replaces.add(urn);
      const replaceKeys = this.dependentReplaceKeys.get(urn) ?? [];
      return [
        new ReplaceStep(old, resource, NO_DIFF),
        new CreateStep(resource, registration, { old, diff: { ...NO_DIFF, replaceKeys }, pendingDelete: false }),
      ];
    }
    if (wasExternal) {
      this.creates.add(urn);
      return [
        new CreateStep(resource, registration, { old, diff: NO_DIFF, pendingDelete: true }),
        new ReplaceStep(old, resource, NO_DIFF),
      ];
    }
    this.noteTargeted(resource, targeted);
    if (old && !targeted) return this.untargetedSteps(urn, old, registration);
    if (old) return this.stepsOfDiff({ ...subject, old }, old.state.inputs ?? {});
    if (!targeted) {
      this.sames.add(urn);
      this.skippedCreates.add(urn);
      return [SameStep.skippedCreate(resource, registration)];
    }
    this.creates.add(urn);
    return [new CreateStep(resource, registration)];
  }

  /** Lets the provider check the inputs. @returns whether they are invalid. */
  private async checkInputs(subject: Subject, targeted: boolean, forgetsOld: boolean): Promise<boolean> {
    const { goal, urn, old, new: resource, provider } = subject;
    if (old) resource.set({ inputs: this.withoutIgnored(urn, goal, old) });
    if (provider === undefined) return false;
    if (!targeted) {
      resource.set({ inputs: old?.state.inputs ?? {} });
      return false;
    }
    const [olds, news] = forgetsOld
      ? [{}, goal.properties]
      : [old?.state.inputs ?? {}, resource.state.inputs ?? goal.properties];
    return this.check(resource, provider, olds, news);
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

  private async stepsOfDiff(subject: Subject & { old: Resource }, oldInputs: Properties): Promise<Step[]> {
    const { old, new: resource, goal, urn, registration } = subject;
    const { replacementTrigger: trigger } = resource.state;
    if (!this.deployment.options.preview && trigger !== undefined && containsUnknown(trigger)) {
      throw this.bail(urn, `replacement trigger contains unknowns for ${urn}`);
    }
    const triggered = isTriggered(old.state.replacementTrigger, trigger);
    const asked = triggered ? { ...NO_DIFF, changes: true } : await this.diff(subject, oldInputs);
    if (asked.unavailable !== undefined) this.deployment.diagnostics.warning(urn, asked.unavailable);
    const hasInitErrors = (old.state.initErrors ?? []).length > 0;
    const diff = withReplaceOnChanges(asked, goal.replaceOnChanges, hasInitErrors);
    const pending = old.state.pendingReplacement === true;
    if ((diff.changes && (requiresReplacement(diff) || triggered)) || pending) return this.replace(subject, diff);
    // With init errors and no change, the update continues to wait until the resource is ready.
    if (diff.changes || hasInitErrors) {
      this.updates.add(urn);
      return [new UpdateStep(old, resource, registration, diff.changedKeys)];
    }
    if (this.imports.has(urn)) {
      registration.done({ state: old.state, result: "success" });
      return [];
    }
    this.sames.add(urn);
    return [new SameStep(old, resource, registration)];
  }

  private async diff(subject: Subject & { old: Resource }, oldInputs: Properties): Promise<Diff> {
    const { old, new: resource, goal, urn, provider } = subject;
    const { replaceWith = [], deletedWith, inputs = {} } = resource.state;
    if (this.isForcedReplace(urn)) return replaceBecauseOf("id");
    if (replaceWith.some((other) => this.replaces.has(other))) return replaceBecauseOf("replaceWith");
    if (deletedWith && this.replaces.has(deletedWith)) return replaceBecauseOf("deletedWith");
    if (await needsOtherProvider(this.deployment, this.aliased, old, resource)) return replaceBecauseOf("provider");
    if (provider === undefined) return { ...NO_DIFF, changes: !equalValues(oldInputs, inputs) };
    const request = {
      urn,
      id: old.state.id ?? "",
      oldInputs,
      oldOutputs: old.state.outputs ?? {},
      newInputs: inputs,
      ignoreChanges: goal.ignoreChanges,
    };
    return diffResource(provider, request, this.deployment.options.preview);
  }

  private async replace(subject: Subject & { old: Resource }, diff: Diff): Promise<Step[]> {
    const { old, new: resource, goal, urn, provider, registration } = subject;
    if (resource.state.protect && old.state.protect) this.refuseProtected(urn, urn);
    if (goal.importId) this.refuseImported(urn, old, resource, diff);
    this.replaces.add(urn);
    if (provider && !this.isForcedReplace(urn)) {
      // The check used the old inputs to keep old defaults. That no longer applies.
      const invalid = await this.check(resource, provider, {}, goal.properties);
      if (invalid) throw new BailError(`resource ${urn} is invalid`);
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

  private deleteBeforeReplace(old: Resource): Step[] {
    this.deployment.ensureProviderOf(old);
    if (old.state.pendingReplacement) return [];
    this.deletes.add(old.urn);
    return [new DeleteStep(old, this.deletes, "before")];
  }

  private async deleteDependents(old: Resource, urn: string): Promise<Step[]> {
    const found = [...(await this.dependents.of(old)), ...this.dependents.cascading(urn)];
    const steps: Step[] = [];
    for (const { resource, keys } of found.toReversed()) {
      if (this.pendingDeletes.has(resource)) continue;
      this.dependentReplaceKeys.set(resource.urn, keys);
      if (!resource.state.delete && resource.state.protect) this.refuseProtected(resource.urn, urn, true);
      steps.push(new DeleteStep(resource, this.deletes, resource.state.delete ? undefined : "before"));
      this.deletes.add(resource.urn);
      this.pendingDeletes.add(resource);
    }
    return steps;
  }

  /** A replacement has another id than the import names. */
  private refuseImported(urn: string, old: Resource, resource: Resource, { replaceKeys }: Diff): void {
    const message = [
      "previously-imported resources that still specify an ID may not be replaced; please remove the `import` " +
        "declaration from your program;",
      ...replaceKeys.map((key) => `${key}: ${shownInput(old, key)} => ${shownInput(resource, key)}`),
    ].join("\n");
    if (!this.deployment.options.preview) throw new Error(message);
    this.deployment.diagnostics.warning(urn, message);
  }

  private refuseProtected(protectedUrn: string, urn: string, always = false): void {
    if (this.deployment.options.ignoreProtect) return;
    const message =
      `unable to replace resource "${protectedUrn}" as it is currently marked for protection. Remove the ` +
      "`protect` flag from it in the program and run `up`";
    this.deployment.diagnostics.error(urn, message);
    this.failed = true;
    if (always || !this.deployment.options.preview) throw new BailError(message);
  }

  /**
   * Keeps a left-out resource, after its dependencies that nothing else keeps.
   * @param urn the current URN of the program's left-out resource.
   */
  private untargetedSteps(urn: string, old: Resource, registration?: Registration): Step[] {
    if (old.state.delete) return [];
    const { olds } = this.deployment;
    const steps: Step[] = [];
    this.urns.add(old.urn);
    this.sames.add(old.urn).add(urn);
    const { provider } = old.state;
    const managedBy = provider ? olds.get(providerUrn(provider)) : undefined;
    if (managedBy && !this.hasStep(managedBy.urn) && !this.isOperatedOn(managedBy.urn)) {
      steps.push(...this.untargetedSteps(urn, managedBy));
    }
    for (const on of dependenciesOf(old.state)) {
      if (this.hasStep(on.urn)) continue;
      const dependency = olds.get(on.urn);
      if (dependency === undefined) throw new BailError(`${on.urn}, which ${urn} depends on, has no old state`);
      steps.push(...this.untargetedSteps(urn, dependency));
    }
    return [...steps, SameStep.untargeted(old, registration)];
  }

  private queueUntargetedDependencies(resource: Resource): void {
    const { options, olds } = this.deployment;
    if (!options.targets.limited) return;
    const queue = (urn: string) => {
      const old = olds.get(urn);
      if (this.hasStep(urn) || this.queuedSameUrns.has(urn) || old === undefined) return;
      this.queuedSameUrns.add(urn);
      for (const dependency of dependencyUrns(old.state)) queue(dependency);
      this.queuedSames.push(SameStep.untargeted(old));
    };
    for (const { urn } of dependenciesOf(resource.state)) queue(urn);
  }

  /** Puts queued steps first, and rejects steps that depend on resources that a limited run does not create. */
  private validated(generated: Step[]): Step[] {
    const queued = this.queuedSames.filter(({ urn }) => !this.hasStep(urn) && !this.isOperatedOn(urn));
    this.queuedSames = [];
    for (const { urn } of queued) {
      this.urns.add(urn);
      this.sames.add(urn);
    }
    const steps = [...queued, ...generated];
    const { options } = this.deployment;
    if (!options.targets.limited && !options.replaceTargets.limited) return steps;
    for (const step of steps) {
      if (!step.new || step.skippedCreate) continue;
      const missing = dependencyUrns(step.new.state).find((urn) => this.skippedCreates.has(urn));
      if (missing === undefined) continue;
      const message = `Resource '${step.urn}' depends on '${missing}' which was not specified in --target list and is not created`;
      this.deployment.diagnostics.error(step.urn, message);
      this.failed = true;
      if (!options.preview) throw new BailError(message);
      this.skippedCreates.delete(missing);
    }
    return steps;
  }

  private isForcedReplace(urn: string): boolean {
    const { replaceTargets } = this.deployment.options;
    return replaceTargets.limited && replaceTargets.has(urn);
  }

  private isIncluded(resource: Resource): boolean {
    const { targets, excludes } = this.deployment.options;
    if (targets.limited) return this.isTargeted(resource);
    return !excludes.limited || !this.isExcluded(resource);
  }

  private isTargeted(resource: Resource): boolean {
    const { targets, targetDependents } = this.deployment.options;
    if (targets.limited && targets.has(resource.urn)) return true;
    return targetDependents && dependencyUrns(resource.state).some((urn) => this.targetsSeen.has(urn));
  }

  private isExcluded(resource: Resource): boolean {
    const { excludes, excludeDependents } = this.deployment.options;
    if (excludes.has(resource.urn)) return true;
    return excludeDependents && dependencyUrns(resource.state).some((urn) => this.excludesSeen.has(urn));
  }

  private noteTargeted(resource: Resource, targeted: boolean): void {
    if (this.deployment.options.excludes.limited && !targeted && this.isExcluded(resource)) {
      this.excludesSeen.add(resource.urn);
    } else if (targeted && this.isTargeted(resource)) this.targetsSeen.add(resource.urn);
  }

  private hasStep(urn: string): boolean {
    const sets = [this.creates, this.sames, this.updates, this.deletes, this.replaces, this.reads];
    return sets.some((urns) => urns.has(urn));
  }

  private bail(urn: string, message: string): BailError {
    this.deployment.diagnostics.error(urn, message);
    this.failed = true;
    return new BailError(message);
  }
}

/** Providers and the stack are part of every run, even a limited one. */
function isAlwaysIncluded(urn: string): boolean {
  const type = typeOf(urn);
  return isProviderType(type) || type === STACK_TYPE;
}

/** Whether a changed `replacementTrigger` requires a replacement. Adding or removing one does not. */
function isTriggered(old: ResourceState["replacementTrigger"], wanted: ResourceState["replacementTrigger"]): boolean {
  const [before, after] = [withoutSecrets(old ?? null), withoutSecrets(wanted ?? null)];
  if (containsUnknown(before) || containsUnknown(after)) return true;
  return before !== null && after !== null && !equalValues(before, after);
}
