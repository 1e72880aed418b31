/** Imports one resource that exists, as `pulumi import` does, without a program. */

import type { Registration } from "../program/goal";
import { EMPTY_GOAL } from "../program/goals";
import { defaultProviderName, type PackageVersion, withPackageVersion } from "../provider/package-version";
import type { ResourceState } from "../state/checkpoint";
import type { Properties } from "../state/property";
import { Resource } from "../state/resource";
import { createUrn, isProviderType, packageOf, providerTypeOf, STACK_TYPE } from "../state/urn";
import { CreateStep, ImportStep, SameStep, type Step } from "../steps";
import { invalidInput } from "../steps/invalid-input";
import type { Deployment } from "./deployment";
import type { RunResult } from "./run";
import { StepExecutor, type StepObserver } from "./step-executor";

/** What to import. */
export interface ImportRequest {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly protect: boolean;
  /** The URN of the parent. @default the stack */
  readonly parent?: string;
  /** The URN of a provider in the state. @default the default provider */
  readonly provider?: string;
}

/** What an import needs to know about packages. */
export interface ImportPackages {
  /** Returns the configuration of a package's default provider. */
  configOf(packageName: string): Properties;
  /** Returns the version of a package that programs get that ask for none. */
  newestVersion(packageName: string): PackageVersion;
}

/** Nothing waits for the steps of an import. */
const UNREGISTERED: Registration = { goal: EMPTY_GOAL, done: () => undefined };

/** One import. */
export class ImportRun {
  private readonly executor: StepExecutor;
  private cancelled = false;

  constructor(
    private readonly deployment: Deployment,
    private readonly observer: StepObserver,
    private readonly request: ImportRequest,
    private readonly packages: ImportPackages,
  ) {
    this.executor = new StepExecutor(deployment, observer, false, () => undefined);
  }

  /** Starts nothing more. */
  cancel(): void {
    this.cancelled = true;
    this.executor.stop();
  }

  /** Executes the import. Errors are reported, not thrown. */
  async execute(): Promise<RunResult> {
    const { diagnostics, options } = this.deployment;
    const failed = await this.importResource().then(
      () => this.executor.error !== undefined,
      (error: Error) => {
        diagnostics.error("", error.message);
        return true;
      },
    );
    const kind = options.preview ? "preview" : "update";
    if (failed) diagnostics.error("", `${kind} failed`);
    else if (this.cancelled) diagnostics.error("", `${kind} canceled`);
    return failed || this.cancelled ? "failed" : "succeeded";
  }

  private async importResource(): Promise<void> {
    const { type, name, id, protect } = this.request;
    const { deployment } = this;
    // Everything stays as it is. This also configures the providers.
    const kept = deployment.base.resources.filter(({ state }) => !state.delete);
    for (const old of kept) if (!(await this.take(new SameStep(old, old.copy(), undefined)))) return;
    const known = kept.find(({ state }) => state.type === STACK_TYPE)?.urn;
    const stack = known ?? (await this.createStack());
    const provider = stack && (await this.provider());
    if (!provider) return;
    const parent = this.request.parent ?? stack;
    if (!deployment.news.has(parent)) throw new Error(`unknown parent '${parent}' for resource '${name}'`);
    const urn = createUrn(deployment.name, type, name, parent);
    const old = deployment.olds.get(urn)?.state;
    if (old === undefined || (old.importID || old.id) !== id) {
      const state = { ...stateOf(urn, type), custom: true, parent, provider, protect, importID: id };
      if (!(await this.take(new ImportStep(new Resource(state), undefined)))) return;
    }
    const created = known ? undefined : this.executor.registered.get(stack);
    if (created) await this.observer.outputs(created);
  }

  private async createStack(): Promise<string | undefined> {
    const { name } = this.deployment;
    const urn = createUrn(name, STACK_TYPE, `${name.project}-${name.stack}`);
    return (await this.create({ ...stateOf(urn, STACK_TYPE), custom: false }))?.urn;
  }

  /** Returns the reference of the resource's provider, or `undefined` if it cannot be configured. */
  private async provider(): Promise<string | undefined> {
    const { deployment } = this;
    const packageName = packageOf(this.request.type);
    const version = this.packages.newestVersion(packageName);
    const type = providerTypeOf(packageName);
    const urn = this.request.provider ?? createUrn(deployment.name, type, defaultProviderName(version));
    const known = deployment.olds.get(urn)?.state;
    if (known && isProviderType(known.type)) return `${urn}::${known.id}`;
    if (this.request.provider) throw new Error(`the state has no provider ${urn}`);
    const inputs = withPackageVersion(this.packages.configOf(packageName), version);
    const { failures } = await deployment.providers.check(urn, {}, inputs);
    // As with the CLI, what the plugin adds to the configuration is not recorded before the next `up`.
    const provider = new Resource({ ...stateOf(urn, type), custom: true, inputs });
    for (const failure of failures) deployment.diagnostics.error(urn, invalidInput(provider, failure));
    if (failures.length > 0) throw new Error("provider check failed");
    const created = await this.create(provider.state);
    return created && `${urn}::${created.id}`;
  }

  private async create(state: ResourceState): Promise<ResourceState | undefined> {
    const step = new CreateStep(new Resource(state), UNREGISTERED);
    return (await this.take(step)) ? step.new.state : undefined;
  }

  /** Executes a step. @returns whether it succeeded. */
  private async take(step: Step): Promise<boolean> {
    await (await this.executor.start([step])).ended;
    return this.executor.error === undefined && !this.executor.isStopped;
  }
}

function stateOf(urn: string, type: string): Pick<ResourceState, "urn" | "type" | "inputs" | "outputs"> {
  return { urn, type, inputs: {}, outputs: {} };
}
