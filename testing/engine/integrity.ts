/** Whether a list of resources can be a state. */
import { providerUrn, type ResourceState } from "./checkpoint";
import { dependenciesOf } from "./resource";
import { isProviderType } from "./urn";

/**
 * What is wrong with the resources of a state; undefined where they are sound. Each must come after all it refers to, and
 * only one of a URN may be there that is not to be deleted.
 */
export function integrityError(resources: readonly ResourceState[]): string | undefined {
  const urns = new Set<string>();
  const current = new Set<string>();
  const providers = new Set<string>();
  for (const state of resources) {
    const { urn, type, id, custom, provider, pendingReplacement } = state;
    if (!urn || !type) return `a resource has no ${urn ? `type: ${urn}` : "URN"}`;
    if (!custom && id) return `the component ${urn} has an id`;
    if (provider && !providers.has(provider) && !pendingReplacement) {
      return `resource ${urn} refers to unknown provider ${providerUrn(provider)}`;
    }
    const missing = dependenciesOf(state).find((dependency) => !urns.has(dependency.urn));
    if (missing) {
      const isLater = resources.some((other) => other.urn === missing.urn);
      return `resource ${urn} refers to ${missing.urn} (${missing.kind}), which ${isLater ? "comes after it" : "is missing"}`;
    }
    if (!state.delete && current.has(urn)) return `duplicate resource ${urn} (not marked for deletion)`;
    if (!state.delete) current.add(urn);
    if (isProviderType(type)) providers.add(`${urn}::${id ?? ""}`);
    urns.add(urn);
  }
  return undefined;
}
