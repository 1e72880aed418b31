/** What all parts of a run share: what there was, what has been seen, and who manages it. */
import type { PendingOperation, ResourceState } from "./checkpoint";
import { DependencyGraph } from "./dependency-graph";
import type { Diagnostics } from "./diagnostics";
import type { Provider } from "./provider";
import type { ProviderRegistry } from "./provider-registry";
import type { Resource } from "./resource";
import type { Targets } from "./targets";
import { isProviderType, type StackName } from "./urn";

/** How a run goes about it. */
export interface DeploymentOptions {
  /** Plan only: nothing is created, changed, deleted or written. */
  readonly preview: boolean;
  /** How many steps may be under way at once. */
  readonly parallel: number;
  /** Refresh all resources first. */
  readonly refresh: boolean;
  /** Refresh and do nothing else. */
  readonly refreshOnly: boolean;
  /** Resources to replace whatever their diff. */
  readonly replaceTargets: Targets;
  readonly targets: Targets;
  readonly excludes: Targets;
  readonly targetDependents: boolean;
  readonly excludeDependents: boolean;
  /** Delete and replace what is protected. */
  readonly ignoreProtect: boolean;
  /** Go on with what does not depend on a failed step. */
  readonly continueOnError: boolean;
}

/** The state a run starts from. A refresh rewrites it. */
export interface Base {
  resources: Resource[];
  readonly pendingOperations: readonly PendingOperation[];
}

/** One run, in memory. */
export class Deployment {
  /** The resources of the state that are not to be deleted, by URN. */
  olds = new Map<string, Resource>();
  /** All resources of the state, by URN. */
  allOlds = new Map<string, Resource[]>();
  graph = new DependencyGraph([]);
  /** What this run registered, by URN. */
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

  /** Reads the base anew, after it has changed. */
  index(): void {
    const { resources } = this.base;
    this.graph = new DependencyGraph(resources);
    this.olds = new Map(resources.filter(({ state }) => !state.delete).map((resource) => [resource.urn, resource]));
    this.allOlds = new Map();
    for (const resource of resources) {
      const others = this.allOlds.get(resource.urn);
      if (others) others.push(resource);
      else this.allOlds.set(resource.urn, [resource]);
    }
  }

  /** Who manages a custom resource. */
  providerOf(state: ResourceState): Provider {
    if (isProviderType(state.type)) return this.providers;
    const provider = this.providers.get(state.provider ?? "");
    if (provider === undefined) throw new Error(`${state.urn}: unknown provider ${state.provider}`);
    return provider;
  }

  /** Makes the provider of a resource of the state available. */
  ensureProviderOf(resource: Resource): void {
    this.providers.ensure(resource.state.provider, this.olds);
  }
}
