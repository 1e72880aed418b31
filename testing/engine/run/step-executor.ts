/** Executes steps: concurrent chains, each in order, until a step fails. */

import type { Resource } from "../state/resource";
import { withSecretOutputs } from "../state/values";
import type { Outcome } from "../steps";
import { ProtectedError, type Step } from "../steps";
import type { Deployment } from "./deployment";

/** Notified before and after each step. */
export interface StepObserver {
  before(step: Step): Promise<void>;
  after(step: Step, outcome: Outcome): Promise<void>;
  /** Called when a component or the stack registers its outputs. */
  outputs(step: Step): Promise<void>;
}

/** Executes the steps of one run, or of its refresh. */
export class StepExecutor {
  /** The steps whose resources may still register outputs, by URN. */
  readonly registered = new Map<string, Step>();
  /** The protected resources that the run should delete. */
  readonly refused: Resource[] = [];
  /** The first failure. */
  error: Error | undefined;
  private free: number;
  private readonly waiting: (() => void)[] = [];
  private readonly running = new Set<Promise<void>>();
  private stopped = false;

  /**
   * @param goOn whether to continue after a failed step, as in a refresh.
   * @param onStop called once, when no more steps are started.
   */
  constructor(
    private readonly deployment: Deployment,
    private readonly observer: StepObserver,
    private readonly goOn: boolean,
    private readonly onStop: () => void,
  ) {
    this.free = deployment.options.parallel;
  }

  /** Whether no more steps are started. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Starts nothing more. Steps in progress are finished. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    for (const wake of this.waiting.splice(0)) wake();
    this.onStop();
  }

  /**
   * Executes a chain of steps when capacity is available. @returns once it has started, a promise that resolves when it
   * ends.
   */
  async start(chain: readonly Step[]): Promise<{ readonly ended: Promise<void> }> {
    while (this.free === 0 && !this.stopped) await new Promise<void>((wake) => this.waiting.push(wake));
    if (this.stopped) return { ended: Promise.resolve() };
    this.free--;
    const ended = this.take(chain).finally(() => {
      this.running.delete(ended);
      this.free++;
      this.waiting.shift()?.();
    });
    this.running.add(ended);
    return { ended };
  }

  /** Executes independent steps, and waits for all of them. */
  async takeTogether(steps: readonly Step[]): Promise<void> {
    const begun: Promise<void>[] = [];
    for (const step of steps) begun.push((await this.start([step])).ended);
    await Promise.all(begun);
  }

  /** Resolves when no step is in progress. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private async take(chain: readonly Step[]): Promise<void> {
    for (const step of chain) {
      if (this.stopped) return;
      try {
        const error = await this.takeStep(step);
        if (error === undefined) continue;
        this.failedWith(error, step);
      } catch (error) {
        this.deployment.diagnostics.error(step.urn, (error as Error).message);
        this.failedWith(error as Error, step);
      }
      return;
    }
  }

  private async takeStep(step: Step): Promise<Error | undefined> {
    await this.observer.before(step);
    const outcome = await step.apply(this.deployment).catch((error: Error): Outcome => ({ error }));
    if (outcome.error === undefined && step.logical && step.new) this.registered.set(step.urn, step);
    this.recordNew(step);
    await this.observer.after(step, outcome);
    outcome.complete?.();
    return outcome.error;
  }

  private recordNew(step: Step): void {
    // The steps around a `replace` record its new resource.
    if (step.new === undefined || step.op === "replace") return;
    const { outputs, inputs = {}, additionalSecretOutputs = [] } = step.new.state;
    if (additionalSecretOutputs.includes("id")) {
      this.deployment.diagnostics.warning(step.urn, "The 'id' property cannot be made secret");
    }
    if (outputs) {
      const secret = withSecretOutputs(outputs, additionalSecretOutputs, inputs);
      if (secret !== outputs) step.new.set({ outputs: secret });
    }
  }

  private failedWith(error: Error, step: Step): void {
    this.error ??= error;
    if (this.goOn) return;
    // The run goes on, to report all errors of this kind.
    if (error instanceof ProtectedError && step.old) this.refused.push(step.old);
    else this.stop();
  }
}
