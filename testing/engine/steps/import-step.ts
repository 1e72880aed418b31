import type { Registration } from "../program/goal";
import type { Deployment } from "../run/deployment";
import { providerUrn } from "../state/checkpoint";
import type { Resource } from "../state/resource";
import { packageOf, typeOf } from "../state/urn";
import { idOf, type Outcome, type Step, timestamp } from "./step";

/** Brings a resource that exists under the control of the stack, as it is. */
export class ImportStep implements Step {
  private imported: Resource | undefined;

  /**
   * @param original - The resource of the stack that the imported one replaces.
   */
  constructor(
    readonly new_: Resource,
    private readonly registration: Registration,
    private readonly original?: Resource,
  ) {}

  get op() {
    return this.original ? "import-replacement" : "import";
  }

  /** The resource as it was found. */
  get old(): Resource | undefined {
    return this.imported;
  }

  get new(): Resource {
    return this.new_;
  }

  get urn(): string {
    return this.new_.urn;
  }

  get logical(): boolean {
    return this.original === undefined;
  }

  /** Whether the resource was imported. */
  get isDone(): boolean {
    return this.imported !== undefined;
  }

  async apply(deployment: Deployment): Promise<Outcome> {
    const { importID = "", provider: reference = "", customTimeouts } = this.new_.state;
    const provider = deployment.providerOf(this.new_.state);
    const found = await provider.read(this.urn, importID, undefined, undefined, customTimeouts?.read);
    if (found.id === "") return { error: new Error(`resource '${importID}' does not exist`) };
    if (found.inputs === undefined) return { error: notImportable(packageOf(typeOf(providerUrn(reference)))) };
    const { id, inputs, outputs, initErrors } = found;
    const now = timestamp();
    this.new_.set({ id, inputs, outputs, ...(initErrors && { initErrors }), created: now, modified: now });
    this.imported = this.new_.copy();
    this.original?.set({ delete: true });
    return {};
  }

  abandon(result: "failed" | "skipped"): void {
    this.registration.done({ state: this.new_.state, result });
  }
}

/** Whether a resource in the state is the one that an import names. */
export function isImported(old: Resource | undefined, id: string): boolean {
  return old !== undefined && !old.state.external && (old.state.importID || idOf(old.state)) === id;
}

function notImportable(packageName: string): Error {
  return new Error(`provider does not support importing resources; please try updating the '${packageName}' plugin`);
}
