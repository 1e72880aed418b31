import type { Registration } from "../program/goal";
import type { Deployment } from "../run/deployment";
import type { Resource } from "../state/resource";
import type { Diff } from "./diff";
import { notReady, type Outcome, type Step, timestamp } from "./step";

/** Describes a replacement. */
export interface Replacement {
  /** The resource to replace. */
  readonly old: Resource;
  readonly diff: Pick<Diff, "replaceKeys" | "changedKeys">;
  /** Whether the old resource still exists and is deleted at the end. */
  readonly pendingDelete: boolean;
}

/** Creates a resource, either as a new resource or as a replacement. */
export class CreateStep implements Step {
  constructor(
    readonly new_: Resource,
    private readonly registration: Registration,
    private readonly replacement?: Replacement,
  ) {}

  get op() {
    return this.replacement ? "create-replacement" : "create";
  }

  get urn(): string {
    return this.new_.urn;
  }

  get old(): Resource | undefined {
    return this.replacement?.old;
  }

  get new(): Resource {
    return this.new_;
  }

  get keys(): readonly string[] {
    return this.replacement?.diff.replaceKeys ?? [];
  }

  get diffs(): readonly string[] {
    return this.replacement?.diff.changedKeys ?? [];
  }

  get logical(): boolean {
    return this.replacement === undefined;
  }

  async apply(deployment: Deployment): Promise<Outcome> {
    const { custom, inputs = {}, customTimeouts } = this.new_.state;
    let initErrors: readonly string[] | undefined;
    if (custom) {
      const provider = deployment.providerOf(this.new_.state);
      const live = await provider.create(this.urn, inputs, deployment.options.preview, customTimeouts?.create);
      initErrors = live.initErrors;
      const { id, outputs } = live;
      this.new_.set({ ...(id && { id }), outputs, ...(initErrors && { initErrors }) });
    }
    const now = timestamp();
    this.new_.set({ created: now, modified: now });
    if (this.replacement?.pendingDelete) this.replacement.old.set({ delete: true });
    if (initErrors) return { error: notReady(initErrors), partial: true };
    return { complete: () => this.registration.done(this.new_.state) };
  }
}
