/** Reports and counts the steps of a run, and records their results. */

import type { Snapshot } from "../state/snapshot";
import { isDefaultProvider } from "../state/urn";
import { type Outcome, RefreshStep, type Step, subjectOf } from "../steps";
import type { Deployment } from "./deployment";
import type { EngineEventBody, Operation } from "./events";
import { type Masked, metadataOf, outputsEvent } from "./step-events";
import type { StepObserver } from "./step-executor";

/** Reports steps as events. Writes the state before and after each step, except in a preview. */
export class StepReporter implements StepObserver {
  /** Number of resources per operation. */
  readonly changes: Partial<Record<Operation, number>> = {};
  private readonly endings = new WeakMap<Step, (successful: boolean) => Promise<void>>();
  private steps = 0;

  /** @param snapshot records the state. Undefined in a preview. */
  constructor(
    private readonly deployment: Deployment,
    private readonly emit: (event: EngineEventBody) => void,
    private readonly masked: Masked,
    private readonly snapshot: Snapshot | undefined,
  ) {}

  async before(step: Step): Promise<void> {
    if (!isInternal(step)) {
      const planning = this.snapshot === undefined;
      this.emit({
        resourcePreEvent: { metadata: metadataOf(step, step.op, this.masked), ...(planning && { planning }) },
      });
    }
    const end = await this.snapshot?.begin(step);
    if (end) this.endings.set(step, end);
  }

  async after(step: Step, outcome: Outcome): Promise<void> {
    if (outcome.error) this.reportFailure(step, outcome.error);
    else this.reportSuccess(step);
    if (outcome.partial && step.op === "update" && step.old && step.new) {
      // The resource does not match the new inputs. The next run must compare it with the old ones.
      step.new.set({ inputs: step.old.state.inputs ?? {} });
    }
    await this.endings.get(step)?.(outcome.error === undefined || outcome.partial === true);
  }

  async outputs(step: Step): Promise<void> {
    if (!isInternal(step)) this.emit(outputsEvent(step, step.op, this.snapshot === undefined, this.masked));
    await this.snapshot?.outputsRegistered(step);
  }

  private reportFailure(step: Step, error: Error): void {
    this.deployment.diagnostics.error(isInternal(step) ? "" : step.urn, error.message);
    if (this.snapshot === undefined || isInternal(step)) return;
    const metadata = metadataOf(step, step.op, this.masked);
    this.emit({ resOpFailedEvent: { metadata, status: 2, steps: this.steps } });
  }

  private reportSuccess(step: Step): void {
    if (isInternal(step)) return;
    const { refresh, refreshOnly } = this.deployment.options;
    const isResult = refreshOnly && step instanceof RefreshStep;
    const op = isResult ? step.result : step.op;
    if (step.logical || isResult) {
      this.steps++;
      this.changes[op] = (this.changes[op] ?? 0) + 1;
    }
    // Components report their outputs when they register them. The known outputs are from an earlier run.
    const shows = subjectOf(step).state.custom || (refresh && step.op === "refresh") || step.op === "delete";
    const planning = this.snapshot === undefined;
    if (shows || planning) this.emit(outputsEvent(step, op, planning, this.masked));
  }
}

/** Whether a step is internal to the engine and not displayed. */
function isInternal(step: Step): boolean {
  return isDefaultProvider(step.urn);
}
