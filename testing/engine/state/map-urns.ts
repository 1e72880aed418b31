/** Changes the URNs that a resource contains, and removes dependencies. */
import { providerUrn, type ResourceState } from "./checkpoint";
import { dependenciesOf } from "./resource";

/** Returns the fields with URNs, without the aliases and the properties, with `now` applied to each URN. */
export function urnFields(state: ResourceState, now: (urn: string) => string): Partial<ResourceState> {
  const { urn, parent, provider, dependencies, propertyDependencies } = state;
  return {
    urn: now(urn),
    ...(parent && { parent: now(parent) }),
    ...(provider && { provider: now(providerUrn(provider)) + provider.slice(providerUrn(provider).length) }),
    ...(dependencies && { dependencies: dependencies.map(now) }),
    ...(propertyDependencies && {
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies).map(([key, urns]) => [key, urns.map(now)]),
      ),
    }),
  };
}

/**
 * Removes all dependencies, except the parent and the provider, that are not kept. Inputs that depend on nothing are
 * left out of the dependencies. Returns the same object if there is nothing to remove.
 */
export function keepDependencies(state: ResourceState, isKept: (urn: string) => boolean): ResourceState {
  const { dependencies = [], propertyDependencies = {}, ...rest } = state;
  const lists = Object.entries(propertyDependencies).map(([key, urns]) => [key, urns.filter(isKept)] as const);
  const isWhole = dependenciesOf(state).every(({ kind, urn }) => kind === "parent" || isKept(urn));
  if (isWhole && lists.every(([, urns]) => urns.length > 0)) return state;
  return {
    ...rest,
    dependencies: dependencies.filter(isKept),
    propertyDependencies: Object.fromEntries(lists.filter(([, urns]) => urns.length > 0)),
  };
}
