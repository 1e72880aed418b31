/** Finds what must be deleted before a resource that is deleted before its replacement is created. */

import type { Deployment } from "../run/deployment";
import type { Properties } from "../state/property";
import type { Resource } from "../state/resource";
import { UNKNOWN } from "../state/values";
import { diffResource, withReplaceOnChanges } from "./diff";

/** A resource that must be replaced together with another one, and the inputs that cause it. */
export interface DependentReplacement {
  readonly resource: Resource;
  readonly keys: readonly string[];
}

/** Finds the resources that a replacement also replaces. */
export class DependentReplacements {
  constructor(
    private readonly deployment: Deployment,
    /** The URNs that already have steps. */
    private readonly generated: () => ReadonlySet<string>,
  ) {}

  /**
   * Returns all resources that would be replaced if the outputs of `root` changed, dependencies first. Calls the
   * provider of each dependent, with unknowns for values of replaced resources.
   */
  async of(root: Resource): Promise<DependentReplacement[]> {
    const { graph, options } = this.deployment;
    if (options.preview && !graph.has(root)) return [];
    const replaced = new Set([root.urn]);
    const found: DependentReplacement[] = [];
    for (const dependent of graph.dependingOn(root, this.generated())) {
      const keys = await this.replaceKeys(dependent, replaced);
      if (keys === undefined) continue;
      found.push({ resource: dependent, keys });
      replaced.add(dependent.urn);
    }
    return found;
  }

  /** The inputs that cause a dependent's replacement, or `undefined` if it is not replaced. */
  private async replaceKeys(
    dependent: Resource,
    replaced: ReadonlySet<string>,
  ): Promise<readonly string[] | undefined> {
    const { state } = dependent;
    if (!state.custom) return undefined;
    this.deployment.ensureProviderOf(dependent);
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
    const { replaceKeys } = withReplaceOnChanges(asked, state.replaceOnChanges ?? [], false);
    return replaceKeys.length > 0 ? replaceKeys : undefined;
  }
}

/** Replaces inputs that depend on replaced resources with unknowns. Returns `undefined` if there are none. */
function withUnknowns(
  inputs: Properties,
  propertyDependencies: Readonly<Record<string, readonly string[]>>,
  replaced: ReadonlySet<string>,
): Properties | undefined {
  const changed = Object.keys(inputs).filter((key) => propertyDependencies[key]?.some((urn) => replaced.has(urn)));
  if (changed.length === 0) return undefined;
  return { ...inputs, ...Object.fromEntries(changed.map((key) => [key, UNKNOWN])) };
}
