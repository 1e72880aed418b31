/** Under which URNs a resource may be known already. */
import type { Alias } from "./goal";
import { createUrn, nameOf, qualifiedType, STACK_TYPE, type StackName, typeOf, urnOfTypes } from "./urn";

/** A resource whose former URNs are sought. */
export interface Aliased {
  readonly name: string;
  readonly type: string;
  readonly parent: string;
  readonly aliases: readonly Alias[];
}

/**
 * The URNs a resource may have had: those its aliases say, and those it had when its parent had another one.
 * @param formerUrn the URN under which a resource of this run was found in the state, where that is not its own.
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

/** A child named after its parent, such as `app-key` in `app`, was named after the parent's former name too. */
function inheritedUrn(of: StackName, type: string, name: string, parentName: string, formerParent: string): string {
  const former = name.startsWith(parentName) ? nameOf(formerParent) + name.slice(parentName.length) : name;
  return urnOfTypes(of, qualifiedType(formerParent), type, former);
}

function unique(urns: readonly string[]): string[] {
  return [...new Set(urns)];
}
