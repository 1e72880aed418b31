import type { Resource } from "../state/resource";
import type { Diff } from "./diff";
import type { Outcome, Step } from "./step";

/** Reports that a resource is replaced. The steps around it do the work. */
export class ReplaceStep implements Step {
  readonly op = "replace";
  readonly logical = true;

  constructor(
    readonly old: Resource,
    readonly new_: Resource,
    private readonly diff: Pick<Diff, "replaceKeys" | "changedKeys">,
  ) {}

  get new(): Resource {
    return this.new_;
  }

  get urn(): string {
    return this.new_.urn;
  }

  get keys(): readonly string[] {
    return this.diff.replaceKeys;
  }

  get diffs(): readonly string[] {
    return this.diff.changedKeys;
  }

  async apply(): Promise<Outcome> {
    return {};
  }
}
