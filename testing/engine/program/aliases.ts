/** Finds the former URNs of a resource. */

import { createUrn, nameOf, qualifiedType, STACK_TYPE, type StackName, typeOf, urnOfTypes } from "../state/urn";
import type { Alias } from "./goal";

/** A resource whose former URNs are searched for. */
export interface Aliased {
  readonly name: string;
  readonly type: string;
  readonly parent: string;
  readonly aliases: readonly Alias[];
}

/**
 * Returns the former URNs of a resource: those of its aliases, and those that follow from former URNs of its parent.
 * @param formerUrn the URN under which the state has a resource of this run, if it differs from its current one.
 */
export function formerUrns(of: StackName, resource: Aliased, formerUrn: (urn: string) => string | undefined): string[] {
  const own = resource.aliases.map((alias) => aliasUrn(of, resource, alias, formerUrn));
  const formerParent = resource.parent ? formerUrn(resource.parent) : undefined;
  if (formerParent === undefined) return unique(own);
  const parentName = nameOf(resource.parent);
  const underFormer = (type: string, name: string) => inheritedUrn(of, type, name, parentName, formerParent);
  const inherited = own.map((urn) => underFormer(typeOf(urn), nameOf(urn)));
  return unique([...own, underFormer(resource.type, resource.name), ...inherited]);
}

function aliasUrn(
  of: StackName,
  resource: Aliased,
  alias: Alias,
  formerUrn: (urn: string) => string | undefined,
): string {
  if ("urn" in alias) return alias.urn;
  const parent = alias.parent ? (formerUrn(alias.parent) ?? alias.parent) : resource.parent;
  const hasParent = parent !== "" && alias.noParent !== true && qualifiedType(parent) !== STACK_TYPE;
  const name = { stack: alias.stack || of.stack, project: alias.project || of.project };
  return createUrn(name, alias.type || resource.type, alias.name || resource.name, hasParent ? parent : undefined);
}

/** If a child is named after its parent, such as `app-key` in `app`, its former name used the parent's former name. */
function inheritedUrn(of: StackName, type: string, name: string, parentName: string, formerParent: string): string {
  const former = name.startsWith(parentName) ? nameOf(formerParent) + name.slice(parentName.length) : name;
  return urnOfTypes(of, qualifiedType(formerParent), type, former);
}

function unique(urns: readonly string[]): string[] {
  return [...new Set(urns)];
}
