/** Checks whether a list of resources is a valid state. */
import { providerUrn, type ResourceState } from "./checkpoint";
import { dependenciesOf } from "./resource";
import { isProviderType } from "./urn";

/**
 * Returns what is wrong with the resources of a state, or `undefined` if they are valid. Each resource must come after
 * everything it refers to. Only one resource per URN may exist that is not pending deletion.
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
