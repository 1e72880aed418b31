/** Takes steps: several at once, each chain of them in order, until one fails. */
import type { Deployment } from "./deployment";
import type { Outcome } from "./steps";
import { ProtectedError, type Step, subjectOf } from "./steps";
import { withSecretOutputs } from "./values";

/** Told before and after each step. */
export interface StepObserver {
  before(step: Step): Promise<void>;
  after(step: Step, outcome: Outcome): Promise<void>;
  /** The outputs a component or the stack registered for itself. */
  outputs(step: Step): Promise<void>;
}

/** Takes the steps of one run, or of its refresh. */
export class StepExecutor {
  /** The steps whose resources may still register their outputs, by URN. */
  readonly registered = new Map<string, Step>();
  /** The steps that failed while the run went on. */
  readonly failedSteps: Step[] = [];
  /** The first failure. */
  error: Error | undefined;
  private free: number;
  private readonly waiting: (() => void)[] = [];
  private readonly running = new Set<Promise<void>>();
  private stopped = false;

  /**
   * @param goOn whether the failure of a step stops nothing, as in a refresh.
   * @param onStop called once, when nothing more is to be started.
   */
  constructor(
    private readonly deployment: Deployment,
    private readonly observer: StepObserver,
    private readonly goOn: boolean,
    private readonly onStop: () => void,
  ) {
    this.free = deployment.options.parallel;
  }

  /** Whether nothing more is started. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Starts nothing more. What is under way is finished. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    for (const wake of this.waiting.splice(0)) wake();
    this.onStop();
  }

  /** Takes a chain of steps as soon as there is room. @returns once it has begun, what resolves when it has ended. */
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

  /** Takes steps that do not depend on each other, and waits for all of them. */
  async takeTogether(steps: readonly Step[]): Promise<void> {
    const begun: Promise<void>[] = [];
    for (const step of steps) begun.push((await this.start([step])).ended);
    await Promise.all(begun);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private async take(chain: readonly Step[]): Promise<void> {
    for (const [i, step] of chain.entries()) {
      if (this.stopped) return;
      try {
        const error = await this.takeStep(step);
        if (error === undefined) continue;
        this.failedWith(error, step, chain.slice(i + 1));
      } catch (error) {
        this.deployment.diagnostics.error(step.urn, (error as Error).message);
        this.failedWith(error as Error, step, chain.slice(i + 1));
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
    // The steps around a `replace` have recorded its new side, or will.
    if (step.new === undefined || step.op === "replace") return;
    const { outputs, inputs = {}, additionalSecretOutputs = [] } = step.new.state;
    if (additionalSecretOutputs.includes("id")) {
      this.deployment.diagnostics.warning(step.urn, "The 'id' property cannot be made secret");
    }
    if (outputs) {
      const secret = withSecretOutputs(outputs, additionalSecretOutputs, inputs);
      if (secret !== outputs) step.new.set({ outputs: secret });
    }
    this.deployment.news.set(step.new.urn, step.new);
  }

  private failedWith(error: Error, step: Step, rest: readonly Step[]): void {
    this.error ??= error;
    if (this.goOn) return;
    if (this.deployment.options.continueOnError || error instanceof ProtectedError) {
      // Where the deletion before a replacement fails, the program waits for the creation, which is not tried. The CLI
      // does not answer it, and waits for ever.
      for (const left of [step, ...rest]) left.abandon("failed");
      this.failedSteps.push(step);
    } else this.stop();
  }
}

/** The URNs of the resources of some steps. */
export function urnsOf(steps: readonly Step[]): string[] {
  return steps.map((step) => subjectOf(step).urn);
}
