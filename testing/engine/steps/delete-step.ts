import type { Deployment } from "../run/deployment";
import type { Resource } from "../state/resource";
import { idOf, type Outcome, type Step } from "./step";

/** A step tried to delete a protected resource. The run continues, to report all errors of this kind. */
export class ProtectedError extends Error {
  override readonly name = "ProtectedError";

  constructor(urn: string) {
    super(
      `resource "${urn}" cannot be deleted because it is protected. Remove the \`protect\` flag from it in the program ` +
        "and run `up`, or unprotect it in the state",
    );
  }
}

/** Deletes a resource, or only removes it from the state if the engine must not delete it. */
export class DeleteStep implements Step {
  constructor(
    readonly old: Resource,
    /** `before`: deleted before its replacement is created. `after`: deleted after that. */
    private readonly replaced?: "before" | "after",
  ) {}

  get op() {
    return this.replaced ? "delete-replaced" : "delete";
  }

  get urn(): string {
    return this.old.urn;
  }

  get logical(): boolean {
    return this.replaced === undefined;
  }

  async apply(deployment: Deployment): Promise<Outcome> {
    const { state } = this.old;
    if (state.protect && this.replaced === undefined) return { error: new ProtectedError(this.urn) };
    if (!deployment.options.preview && state.custom && !state.retainOnDelete) {
      const provider = deployment.providerOf(state);
      const { inputs = {}, outputs = {}, customTimeouts } = state;
      await provider.delete(this.urn, idOf(state), inputs, outputs, customTimeouts?.delete);
    }
    // Set only after success: a failed delete must be retried.
    if (this.replaced === "before") this.old.set({ pendingReplacement: true });
    return {};
  }
}

/** Removes a resource from the state that was deleted for a replacement that is no longer wanted. */
export class RemovePendingReplaceStep implements Step {
  readonly op = "remove-pending-replace";
  readonly logical = false;

  constructor(readonly old: Resource) {}

  get urn(): string {
    return this.old.urn;
  }

  async apply(): Promise<Outcome> {
    return {};
  }
}
