/** What has to go before a resource that is deleted before its replacement is created. */
import { providerUrn } from "./checkpoint";
import type { Deployment } from "./deployment";
import { diffResource, withReplaceOnChanges } from "./diff";
import type { Properties } from "./property";
import type { Resource } from "./resource";
import { UNKNOWN } from "./values";

/** A resource that must be replaced with another one, and the inputs for which it must. */
export interface DependentReplacement {
  readonly resource: Resource;
  readonly keys: readonly string[];
}

/** What has been generated so far: those resources cannot depend on what is only now being replaced. */
interface Generated {
  readonly reads: ReadonlySet<string>;
  readonly creates: ReadonlySet<string>;
  readonly sames: ReadonlySet<string>;
  readonly updates: ReadonlySet<string>;
  readonly deletes: ReadonlySet<string>;
  readonly replaces: ReadonlySet<string>;
}

/** Finds what a replacement takes with it. */
export class DependentReplacements {
  constructor(
    private readonly deployment: Deployment,
    private readonly generated: Generated,
  ) {}

  /**
   * All that would be replaced too if the outputs of `root` changed, dependencies first. Each dependent is asked with
   * unknowns in place of what comes from a replaced resource.
   */
  async of(root: Resource): Promise<DependentReplacement[]> {
    const { graph, options } = this.deployment;
    if (options.preview && !graph.has(root)) return [];
    const { reads, creates, sames, updates, deletes, replaces } = this.generated;
    const done = new Set([reads, creates, sames, updates, deletes, replaces].flatMap((urns) => [...urns]));
    const replaced = new Set([root.urn]);
    const found: DependentReplacement[] = [];
    for (const dependent of graph.dependingOn(root, done, false)) {
      const keys = await this.replaceKeys(dependent, replaced);
      if (keys === undefined) continue;
      found.push({ resource: dependent, keys });
      replaced.add(dependent.urn);
    }
    return found;
  }

  /** All that say, or said so far, that they are replaced or deleted together with the resource of this URN. */
  cascading(urn: string): DependentReplacement[] {
    const { news, olds } = this.deployment;
    const cascades = ([, { state }]: readonly [string, Resource]) =>
      state.replaceWith?.includes(urn) || state.deletedWith === urn;
    const found = new Map([...[...olds].filter(cascades), ...[...news].filter(cascades)]);
    return [...found.values()].map((resource) => ({ resource, keys: [] }));
  }

  /** The inputs for which a dependent would be replaced; undefined where it would not. */
  private async replaceKeys(
    dependent: Resource,
    replaced: ReadonlySet<string>,
  ): Promise<readonly string[] | undefined> {
    const { state } = dependent;
    if (!state.custom || state.external) return undefined;
    this.deployment.ensureProviderOf(dependent);
    if (state.provider && replaced.has(providerUrn(state.provider))) return [];
    if (state.deletedWith && replaced.has(state.deletedWith)) return [];
    const inputs = withUnknowns(state.inputs ?? {}, state.propertyDependencies ?? {}, replaced);
    if (inputs === undefined) return undefined;
    const request = {
      urn: state.urn,
      id: state.id ?? "",
      oldInputs: state.inputs ?? {},
      oldOutputs: state.outputs ?? {},
      newInputs: inputs,
      ignoreChanges: state.ignoreChanges ?? [],
    };
    const asked = await diffResource(this.deployment.providerOf(state), request, true);
    const diff = withReplaceOnChanges(asked, state.replaceOnChanges ?? [], false);
    return diff.replaceKeys.length > 0 ? diff.replaceKeys : undefined;
  }
}

/** The inputs with unknowns where they depend on what is replaced; undefined where none does. */
function withUnknowns(
  inputs: Properties,
  propertyDependencies: Readonly<Record<string, readonly string[]>>,
  replaced: ReadonlySet<string>,
): Properties | undefined {
  const changed = Object.keys(inputs).filter((key) => propertyDependencies[key]?.some((urn) => replaced.has(urn)));
  if (changed.length === 0) return undefined;
  return { ...inputs, ...Object.fromEntries(changed.map((key) => [key, UNKNOWN])) };
}
