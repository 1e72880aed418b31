/** Follows the steps of a run: reports them, counts them, and records what they did. */
import type { Deployment } from "./deployment";
import type { EngineEventBody, Operation } from "./events";
import type { Snapshot } from "./snapshot";
import { metadataOf, outputsEvent, type Shown } from "./step-events";
import type { StepObserver } from "./step-executor";
import { type Outcome, RefreshStep, type Step, subjectOf } from "./steps";
import { isDefaultProvider } from "./urn";
import { equalValues } from "./values";

/** Reports steps as events, and writes the state around each unless it is a preview. */
export class StepReporter implements StepObserver {
  /** How many resources each operation changed. */
  readonly changes: Partial<Record<Operation, number>> = {};
  private readonly endings = new WeakMap<Step, (successful: boolean) => Promise<void>>();
  private steps = 0;

  /** @param snapshot where the state is recorded; undefined in a preview. */
  constructor(
    private readonly deployment: Deployment,
    private readonly emit: (event: EngineEventBody) => void,
    private readonly shown: Shown,
    private readonly snapshot: Snapshot | undefined,
  ) {}

  async before(step: Step): Promise<void> {
    if (!isInternal(step)) {
      const planning = this.snapshot === undefined;
      this.emit({
        resourcePreEvent: { metadata: metadataOf(step, step.op, this.shown), ...(planning && { planning }) },
      });
    }
    const end = await this.snapshot?.begin(step);
    if (end) this.endings.set(step, end);
  }

  async after(step: Step, outcome: Outcome): Promise<void> {
    if (outcome.error) this.reportFailure(step, outcome.error);
    else this.reportSuccess(step);
    if (outcome.partial && step.op === "update" && step.old && step.new) {
      // It is not what the new inputs say: those it had are what it must be compared with next time.
      step.new.set({ inputs: step.old.state.inputs ?? {} });
    }
    await this.endings.get(step)?.(outcome.error === undefined || outcome.partial === true);
  }

  async outputs(step: Step): Promise<void> {
    if (!isInternal(step)) this.emit(outputsEvent(step, step.op, this.snapshot === undefined, this.shown));
    await this.snapshot?.outputsRegistered(step);
  }

  private reportFailure(step: Step, error: Error): void {
    this.deployment.diagnostics.error(isInternal(step) ? "" : step.urn, error.message);
    if (this.snapshot === undefined || isInternal(step)) return;
    const metadata = metadataOf(step, step.op, this.shown);
    this.emit({ resOpFailedEvent: { metadata, status: 2, steps: this.steps } });
  }

  private reportSuccess(step: Step): void {
    if (isInternal(step)) return;
    const { refresh, refreshOnly } = this.deployment.options;
    const isResult = refreshOnly && step instanceof RefreshStep;
    const op = isResult ? step.result : step.op;
    if ((step.logical && !isUnchangedRead(step)) || isResult) {
      this.steps++;
      this.changes[op] = (this.changes[op] ?? 0) + 1;
    }
    // Components report their outputs when they register them: those known now are of an earlier run.
    const shows = subjectOf(step).state.custom || (refresh && step.op === "refresh") || step.op === "delete";
    const planning = this.snapshot === undefined;
    if (shows || planning) this.emit(outputsEvent(step, op, planning, this.shown));
  }
}

/** Whether a read found what the state says already: nothing counts as done then. */
function isUnchangedRead({ op, old, new: found }: Step): boolean {
  return op === "read" && (!old || equalValues(old.state.outputs ?? {}, found?.state.outputs ?? {}));
}

/** Whether a step is the engine's own affair, not shown to anyone. */
function isInternal(step: Step): boolean {
  return isDefaultProvider(step.urn);
}
