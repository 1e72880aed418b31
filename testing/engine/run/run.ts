/** Runs one run to its end: refresh, the program's registrations, the deletions. */

import type { Source, SourceEvent } from "../program/source";
import type { Resource } from "../state/resource";
import { createUrn, type StackName } from "../state/urn";
import { subjectOf } from "../steps";
import { inDeletionOrder, lastDeletions } from "../steps/delete-generator";
import { StepGenerator } from "../steps/step-generator";
import type { Deployment } from "./deployment";
import { BailError } from "./diagnostics";
import { rebuildBase, refreshSteps } from "./refresh";
import { StepExecutor, type StepObserver } from "./step-executor";

/** The result of a run. */
export type RunResult = "succeeded" | "failed";

/** One run. */
export class Run {
  private readonly generator: StepGenerator;
  private readonly executor: StepExecutor;
  private refreshing: StepExecutor | undefined;
  private cancelled = false;

  constructor(
    private readonly deployment: Deployment,
    private readonly observer: StepObserver,
    private readonly source: Source,
  ) {
    this.generator = new StepGenerator(deployment);
    this.executor = new StepExecutor(deployment, observer, false, () => source.cancel());
  }

  /** Starts nothing more. Steps in progress are finished and recorded. */
  cancel(): void {
    this.cancelled = true;
    this.refreshing?.stop();
    this.executor.stop();
  }

  /** Executes the run. Errors are reported, not thrown. */
  async execute(): Promise<RunResult> {
    const { options } = this.deployment;
    try {
      if (options.refresh && !(await this.refresh())) return "failed";
      if (options.refreshOnly) return "succeeded";
      if (!options.refresh) this.warnOfPendingOperations();
    } catch (error) {
      this.report("", error as Error);
      return "failed";
    }
    return this.register();
  }

  private async refresh(): Promise<boolean> {
    if (this.deployment.base.resources.length === 0) return true;
    const steps = refreshSteps(this.deployment);
    const executor = new StepExecutor(this.deployment, this.observer, true, () => undefined);
    this.refreshing = executor;
    await executor.takeTogether(steps);
    await executor.idle();
    rebuildBase(this.deployment, steps);
    return this.conclude(executor.error !== undefined);
  }

  private async register(): Promise<RunResult> {
    const bailed = await this.registerAll().then(
      () => false,
      (error: Error) => {
        this.report("", error);
        this.executor.stop();
        return true;
      },
    );
    await this.executor.idle();
    const failed = bailed || this.executor.error !== undefined || this.generator.failed;
    if (failed) await this.source.settled();
    await this.registerStackOutputs(failed).catch((error: Error) => this.report("", error));
    if (bailed) return "failed";
    return this.conclude(failed) ? "succeeded" : "failed";
  }

  private conclude(failed: boolean): boolean {
    const kind = this.deployment.options.preview ? "preview" : "update";
    if (failed) this.deployment.diagnostics.error("", `${kind} failed`);
    else if (this.cancelled) this.deployment.diagnostics.error("", `${kind} canceled`);
    return !failed && !this.cancelled;
  }

  private async registerAll(): Promise<void> {
    for (;;) {
      const event = await this.source.next();
      if (event === undefined || this.executor.isStopped) return;
      if (event.kind === "finished") {
        if (event.error) throw event.error;
        return this.finish();
      }
      await this.handle(event).catch((error: Error) => {
        this.report(urnOf(this.deployment.name, event), error);
        throw new BailError(error.message);
      });
    }
  }

  private async handle(event: Exclude<SourceEvent, { kind: "finished" }>): Promise<void> {
    if (event.kind === "outputs") {
      await this.registerOutputs(event.urn, event.outputs);
      event.done();
      return;
    }
    await this.executor.start(await this.generator.generate(event.registration));
  }

  private async registerOutputs(urn: string, outputs: Resource["state"]["outputs"] = {}): Promise<void> {
    const step = this.executor.registered.get(urn);
    if (step?.new === undefined)
      throw new Error(`cannot complete a resource '${urn}' whose registration isn't pending`);
    this.executor.registered.delete(urn);
    step.new.set({ outputs });
    await this.observer.outputs(step);
  }

  /** Registers the stack's outputs. Keeps old outputs that a failed run did not reach. */
  private async registerStackOutputs(failed: boolean): Promise<void> {
    const stack = this.source.stackOutputs();
    if (stack === undefined || !this.executor.registered.has(stack.urn)) return;
    const old = failed ? (this.deployment.olds.get(stack.urn)?.state.outputs ?? {}) : {};
    await this.registerOutputs(stack.urn, { ...old, ...stack.outputs });
  }

  private async finish(): Promise<void> {
    await this.executor.idle();
    if (this.deployment.base.resources.length > 0 && !this.executor.isStopped) await this.deleteLeftovers();
  }

  private async deleteLeftovers(): Promise<void> {
    const { base, graph } = this.deployment;
    const deletes = lastDeletions(this.deployment, this.generator);
    const needed = new Set<Resource>();
    for (const group of inDeletionOrder(deletes, base.resources)) {
      // Keep everything that a protected resource still depends on.
      for (const refused of this.executor.refused) {
        for (const dependency of graph.transitiveDependenciesOf(refused)) needed.add(dependency);
      }
      await this.executor.takeTogether(group.filter((step) => !needed.has(subjectOf(step))));
    }
  }

  private warnOfPendingOperations(): void {
    const { base, options, diagnostics } = this.deployment;
    const pending = base.pendingOperations;
    if (pending.length === 0 || options.preview) return;
    const list = pending.map(({ resource, type }) => `  * ${resource.urn}, interrupted while ${type}`);
    const message = [
      `Attempting to deploy or update resources with ${pending.length} pending operations from previous deployment.`,
      ...list,
      "These resources are in an unknown state, because a run ended while it was waiting for changes to them. Check " +
        "whether the changes took place. Then run `refresh --clear-pending-creates`, which reads the other resources " +
        "anew and forgets the pending operations.",
    ];
    diagnostics.warning("", message.join("\n"));
  }

  private report(urn: string, error: Error): void {
    if (!(error instanceof BailError)) this.deployment.diagnostics.error(urn, error.message);
  }
}

function urnOf(name: StackName, event: Exclude<SourceEvent, { kind: "finished" }>): string {
  if (event.kind === "outputs") return event.urn;
  const { type, name: resource, parent } = event.registration.goal;
  return createUrn(name, type, resource, parent);
}
