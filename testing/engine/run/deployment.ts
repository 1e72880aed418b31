/** Data that all parts of a run share: the initial state, the registered resources, and the providers. */

import type { Provider } from "../provider/provider";
import type { ProviderRegistry } from "../provider/provider-registry";
import type { PendingOperation, ResourceState } from "../state/checkpoint";
import type { Resource } from "../state/resource";
import { isProviderType, type StackName } from "../state/urn";
import { DependencyGraph } from "../steps/dependency-graph";
import type { Diagnostics } from "./diagnostics";

/** Options of a run. */
export interface DeploymentOptions {
  /** Plans only: creates, changes, deletes and writes nothing. */
  readonly preview: boolean;
  /** Maximum number of concurrent steps. */
  readonly parallel: number;
  /** Refreshes all resources first. */
  readonly refresh: boolean;
  /** Only refreshes. */
  readonly refreshOnly: boolean;
}

/** The state that a run starts from. A refresh rewrites it. */
export interface Base {
  resources: Resource[];
  readonly pendingOperations: readonly PendingOperation[];
}

/** One run, in memory. */
export class Deployment {
  /** The state's resources that are not pending deletion, by URN. */
  olds = new Map<string, Resource>();
  graph = new DependencyGraph([]);
  /** The resources that this run registered, by URN. */
  readonly news = new Map<string, Resource>();

  constructor(
    readonly name: StackName,
    readonly options: DeploymentOptions,
    readonly base: Base,
    readonly providers: ProviderRegistry,
    readonly diagnostics: Diagnostics,
  ) {
    this.index();
  }

  /** Rebuilds the indexes after the base has changed. */
  index(): void {
    const { resources } = this.base;
    this.graph = new DependencyGraph(resources);
    this.olds = new Map(resources.filter(({ state }) => !state.delete).map((resource) => [resource.urn, resource]));
  }

  /** Returns the provider of a custom resource. */
  providerOf(state: ResourceState): Provider {
    if (isProviderType(state.type)) return this.providers;
    const provider = this.providers.get(state.provider ?? "");
    if (provider === undefined) throw new Error(`${state.urn}: unknown provider ${state.provider}`);
    return provider;
  }

  /** Makes the provider of a resource in the state available. */
  ensureProviderOf(resource: Resource): void {
    this.providers.ensure(resource.state.provider, this.base.resources);
  }
}
