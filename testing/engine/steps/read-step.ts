import type { Deployment } from "../run/deployment";
import type { ResourceState } from "../state/checkpoint";
import type { Properties } from "../state/property";
import type { Resource } from "../state/resource";
import { equalValues, UNKNOWN } from "../state/values";
import { idOf, notReady, type Outcome, type Step, timestamp } from "./step";

/** A resource that the program reads but does not own. */
export interface ReadGoal {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly parent: string;
  readonly provider: string;
  readonly properties: Properties;
  readonly dependencies: readonly string[];
  readonly additionalSecretOutputs: readonly string[];
  readonly sourcePosition: string;
  readonly stackTrace: NonNullable<ResourceState["stackTrace"]>;
}

/** The result of a read, for the program. */
export interface ReadResult {
  readonly state: ResourceState;
  readonly result: "success" | "failed" | "skipped";
}

/** Reads a resource that the stack does not own. */
export class ReadStep implements Step {
  constructor(
    readonly old: Resource | undefined,
    readonly new_: Resource,
    private readonly done: (result: ReadResult) => void,
    /** Whether the stack owned the resource before. The owned one is then deleted at the end. */
    private readonly replacing: boolean,
  ) {}

  get op() {
    return this.replacing ? "read-replacement" : "read";
  }

  get new(): Resource {
    return this.new_;
  }

  get urn(): string {
    return this.new_.urn;
  }

  get logical(): boolean {
    return !this.replacing;
  }

  async apply(deployment: Deployment): Promise<Outcome> {
    const id = idOf(this.new_.state);
    const inputs = this.new_.state.inputs ?? {};
    let initErrors: readonly string[] | undefined;
    if (id === UNKNOWN) this.new_.set({ outputs: {} });
    else {
      const found = await deployment.providerOf(this.new_.state).read(this.urn, id, inputs, inputs);
      // A missing resource is not an error here: the program gets what the provider returns.
      initErrors = found.initErrors;
      this.new_.set({ id: found.id || id, outputs: found.outputs, ...(initErrors && { initErrors }) });
    }
    if (this.replacing) this.old?.set({ delete: true });
    if (this.old) this.keepTimes(this.old.state);
    const complete = () => this.done({ state: this.new_.state, result: "success" });
    return initErrors ? { error: notReady(initErrors), partial: true, complete } : { complete };
  }

  abandon(result: "failed" | "skipped"): void {
    this.done({ state: this.new_.state, result });
  }

  private keepTimes({ created, modified, inputs, outputs }: ResourceState): void {
    const changed = !equalValues(this.new_.state.inputs, inputs) || !equalValues(this.new_.state.outputs, outputs);
    const at = changed ? timestamp() : modified;
    this.new_.set({ ...(created && { created }), ...(at && { modified: at }) });
  }
}
