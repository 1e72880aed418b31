import type { Registration } from "../program/goal";
import type { Deployment } from "../run/deployment";
import type { Resource } from "../state/resource";
import { idOf, notReady, type Outcome, type Step, timestamp } from "./step";

/** Updates a resource in place. */
export class UpdateStep implements Step {
  readonly op = "update";
  readonly logical = true;

  constructor(
    readonly old: Resource,
    readonly new_: Resource,
    private readonly registration: Registration,
    readonly diffs: readonly string[],
  ) {}

  get new(): Resource {
    return this.new_;
  }

  get urn(): string {
    return this.new_.urn;
  }

  async apply(deployment: Deployment): Promise<Outcome> {
    const { id, created, modified, inputs: oldInputs = {}, outputs: oldOutputs = {} } = this.old.state;
    this.new_.set({ ...(id !== undefined && { id }), ...(created && { created }), ...(modified && { modified }) });
    if (this.new_.state.custom) {
      const live = await deployment.providerOf(this.new_.state).update(
        {
          urn: this.urn,
          id: idOf(this.old.state),
          oldInputs,
          oldOutputs,
          newInputs: this.new_.state.inputs ?? {},
          ignoreChanges: this.registration.goal.ignoreChanges,
        },
        deployment.options.preview,
        this.new_.state.customTimeouts?.update,
      );
      this.new_.set({ outputs: live.outputs, modified: timestamp() });
      if (live.initErrors) {
        this.new_.set({ initErrors: live.initErrors });
        return { error: notReady(live.initErrors), partial: true };
      }
    }
    return { complete: () => this.registration.done(this.new_.state) };
  }
}
