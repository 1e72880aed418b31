/** Rewrites a state with renamed resources, so that nothing refers to a former URN. */
import type { ResourceState } from "./checkpoint";
import { urnFields } from "./map-urns";
import { nameOf, qualifiedType, STACK_TYPE, stackNameOf, typeOf, urnOfTypes } from "./urn";

const rewritten = new WeakMap<ResourceState, ResourceState>();

/** Replaces every former URN with the current one, and removes the aliases. */
export function normalizeUrns(resources: readonly ResourceState[]): readonly ResourceState[] {
  const present = new Map<string, string>();
  for (const { urn, aliases = [], parent } of resources) {
    for (const alias of aliases) {
      const other = present.get(alias);
      if (other !== undefined && other !== urn) {
        throw new Error(`two resources ('${other}' and '${urn}') are aliased to the same: '${alias}'`);
      }
      present.set(alias, urn);
    }
    const presentParent = parent ? present.get(parent) : undefined;
    if (presentParent && qualifiedType(presentParent) !== STACK_TYPE) {
      present.set(urn, urnOfTypes(stackNameOf(urn), qualifiedType(presentParent), typeOf(urn), nameOf(urn)));
    }
  }
  return present.size === 0 ? resources : resources.map((resource) => rewrite(resource, present));
}

function rewrite(state: ResourceState, present: ReadonlyMap<string, string>): ResourceState {
  const now = (urn: string) => present.get(urn) ?? urn;
  const { aliases = [], ...rest } = state;
  const fields = urnFields(state, now);
  if (aliases.length === 0 && same(fields, state)) return state;
  // Return the same object for the same result, so that it is not encrypted again.
  const known = rewritten.get(state);
  if (known && same(fields, known)) return known;
  const result = { ...rest, ...fields };
  rewritten.set(state, result);
  return result;
}

function same(fields: Partial<ResourceState>, state: ResourceState): boolean {
  const names = Object.keys(fields) as (keyof ResourceState)[];
  return names.every((name) => JSON.stringify(fields[name]) === JSON.stringify(state[name]));
}
