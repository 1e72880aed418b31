import type { Deployment } from "../run/deployment";
import type { Operation } from "../run/events";
import type { Resource } from "../state/resource";
import { isProviderType } from "../state/urn";
import { equalValues } from "../state/values";
import { diffResource } from "./diff";
import { idOf, type Outcome, type Step, timestamp } from "./step";

/** Updates the state from the real resource. */
export class RefreshStep implements Step {
  readonly op = "refresh";
  readonly logical = false;
  private current: Resource | undefined;
  private changed = false;
  private changedKeys: readonly string[] = [];

  constructor(readonly old: Resource) {
    // A failed refresh must not look like a deletion.
    this.current = old;
  }

  get urn(): string {
    return this.old.urn;
  }

  get new(): Resource | undefined {
    return this.current;
  }

  get diffs(): readonly string[] {
    return this.changedKeys;
  }

  /** The operation that the refresh results in. */
  get result(): Operation {
    if (this.current === undefined) return "delete";
    return this.changed ? "update" : "same";
  }

  async apply(deployment: Deployment): Promise<Outcome> {
    const { custom, type, pendingReplacement, inputs = {}, outputs = {}, customTimeouts } = this.old.state;
    if (!custom || isProviderType(type) || pendingReplacement) return {};
    const provider = deployment.providerOf(this.old.state);
    const found = await provider.read(this.urn, idOf(this.old.state), inputs, outputs, customTimeouts?.read);
    if (found.id === "") {
      this.current = undefined;
      return {};
    }
    if (found.initErrors) deployment.diagnostics.warning(this.urn, unhealthy(found.initErrors));
    const { initErrors: _, ...healthy } = this.old.state;
    const now = this.old.copy();
    now.state = {
      ...healthy,
      id: found.id,
      inputs: found.inputs ?? inputs,
      outputs: found.outputs,
      ...(found.initErrors && { initErrors: found.initErrors }),
    };
    const drifted = !equalValues(now.state.inputs, inputs) || !equalValues(found.outputs, outputs);
    if (drifted) now.set({ modified: timestamp() });
    this.current = now;
    // Compares in the direction of an `up` without program changes: from the real resource to the desired one.
    const request = {
      urn: this.urn,
      id: found.id,
      oldInputs: now.state.inputs ?? {},
      oldOutputs: found.outputs,
      newInputs: inputs,
      ignoreChanges: this.old.state.ignoreChanges ?? [],
    };
    const diff = await diffResource(provider, request, deployment.options.preview);
    this.changed = diff.changes;
    this.changedKeys = diff.changedKeys;
    return {};
  }
}

function unhealthy(reasons: readonly string[]): string {
  return `Refreshed resource is in an unhealthy state:\n${reasons.map((reason) => `* ${reason}`).join("\n")}`;
}
