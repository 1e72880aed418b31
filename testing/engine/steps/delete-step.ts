import type { Deployment } from "../deployment";
import type { Resource } from "../resource";
import { idOf, type Outcome, type Step } from "./step";

/** A protected resource was to be deleted. The run goes on: other errors of this kind are worth reporting with it. */
export class ProtectedError extends Error {
  override readonly name = "ProtectedError";

  constructor(urn: string) {
    super(
      `resource "${urn}" cannot be deleted because it is protected. Remove the \`protect\` flag from it in the program ` +
        "and run `up`, or unprotect it in the state",
    );
  }
}

/** Deletes a resource, or drops it from the state where it is not the engine's to delete. */
export class DeleteStep implements Step {
  constructor(
    readonly old: Resource,
    /** The URNs of all that is deleted in this run: what is deleted with one of them needs no call. */
    private readonly deleted: ReadonlySet<string>,
    /** `before`: to be created anew afterwards. `after`: its replacement is there. */
    private readonly replaced?: "before" | "after",
  ) {}

  get op() {
    if (this.old.state.external) return this.replaced ? "discard-replaced" : "discard";
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
    if (state.protect && this.replaced === undefined && !deployment.options.ignoreProtect) {
      return { error: new ProtectedError(this.urn) };
    }
    if (this.needsCall(deployment)) {
      const provider = deployment.providerOf(state);
      await provider.delete(this.urn, idOf(state), state.inputs ?? {}, state.outputs ?? {});
    }
    // Only now: a delete that fails has to be tried again.
    if (this.replaced === "before") this.old.set({ pendingReplacement: true });
    return {};
  }

  abandon(): void {}

  private needsCall({ options }: Deployment): boolean {
    const { custom, external, retainOnDelete, deletedWith } = this.old.state;
    if (options.preview || !custom || external || retainOnDelete) return false;
    return !(deletedWith && this.deleted.has(deletedWith));
  }
}

/** Forgets a resource that was deleted to be created anew, and then was not wanted any more. */
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

  abandon(): void {}
}
