import type { Registration } from "../program/goal";
import type { Deployment } from "../run/deployment";
import type { Resource } from "../state/resource";
import { isProviderType } from "../state/urn";
import { idOf, type Outcome, type Step } from "./step";

/** Leaves a resource unchanged. */
export class SameStep implements Step {
  readonly op = "same";
  readonly logical = true;

  constructor(
    readonly old: Resource,
    readonly new_: Resource,
    private readonly registration: Registration,
  ) {}

  get new(): Resource {
    return this.new_;
  }

  get urn(): string {
    return this.new_.urn;
  }

  async apply({ providers }: Deployment): Promise<Outcome> {
    const { id, outputs } = this.old.state;
    this.new_.set({ ...(id !== undefined && { id }), ...(outputs && { outputs }) });
    if (isProviderType(this.new_.state.type)) {
      // Use the old inputs, because the provider reported that the new ones make no difference.
      providers.same(this.urn, idOf(this.new_.state), this.old.state.inputs ?? {});
    }
    return { complete: () => this.registration.done(this.new_.state) };
  }
}
