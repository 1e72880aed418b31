/** URNs: `urn:pulumi:STACK::PROJECT::PARENTTYPE$TYPE::NAME`. */

/** The type of a stack's root resource. */
export const STACK_TYPE = "pulumi:pulumi:Stack";

const PROVIDER_TYPE_PREFIX = "pulumi:providers:";
const TYPE_SEPARATOR = "$";

/** The stack and the project that URNs belong to. */
export interface StackName {
  readonly stack: string;
  readonly project: string;
}

/** The URN of a resource. `parent` counts unless it is the stack. */
export function createUrn(of: StackName, type: string, name: string, parent?: string): string {
  const parentType = parent && qualifiedType(parent) !== STACK_TYPE ? qualifiedType(parent) : "";
  return urnOfTypes(of, parentType, type, name);
}

/** The URN of a resource whose parent has the qualified type `parentType`, or none where it is empty or a stack. */
export function urnOfTypes(of: StackName, parentType: string, type: string, name: string): string {
  const qualified = parentType && parentType !== STACK_TYPE ? `${parentType}${TYPE_SEPARATOR}${type}` : type;
  return `urn:pulumi:${of.stack}::${of.project}::${qualified}::${name}`;
}

/** The types of a resource and its parents, outermost first, joined by `$`. */
export function qualifiedType(urn: string): string {
  return part(urn, 2);
}

/** A resource's own type. */
export function typeOf(urn: string): string {
  const types = qualifiedType(urn);
  return types.slice(types.lastIndexOf(TYPE_SEPARATOR) + 1);
}

/** A resource's name, which may itself hold `::`. */
export function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The stack and project of a URN. */
export function stackNameOf(urn: string): StackName {
  return { stack: part(urn, 0).slice("urn:pulumi:".length), project: part(urn, 1) };
}

/** Whether a type is that of a provider resource. */
export function isProviderType(type: string): boolean {
  return type.startsWith(PROVIDER_TYPE_PREFIX);
}

/** The type of the provider resource of a package. */
export function providerTypeOf(packageName: string): string {
  return PROVIDER_TYPE_PREFIX + packageName;
}

/** The package a type belongs to: of a provider resource, the package it provides. */
export function packageOf(type: string): string {
  return isProviderType(type) ? type.slice(PROVIDER_TYPE_PREFIX.length) : (type.split(":")[0] ?? "");
}

/** Whether a URN is that of a provider nobody declared: made by the engine for resources without one of their own. */
export function isDefaultProvider(urn: string): boolean {
  return isProviderType(typeOf(urn)) && /^default(_|$)/.test(nameOf(urn));
}

function part(urn: string, index: number): string {
  return urn.split("::")[index] ?? "";
}
