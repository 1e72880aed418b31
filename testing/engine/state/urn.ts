/** URNs: `urn:pulumi:STACK::PROJECT::PARENTTYPE$TYPE::NAME`. */

/** The type of a stack's root resource. */
export const STACK_TYPE = "pulumi:pulumi:Stack";

const PROVIDER_TYPE_PREFIX = "pulumi:providers:";
const TYPE_SEPARATOR = "$";

/** The stack and the project of a URN. */
export interface StackName {
  readonly stack: string;
  readonly project: string;
}

/** Creates the URN of a resource. The type of `parent` is included unless it is the stack. */
export function createUrn(of: StackName, type: string, name: string, parent?: string): string {
  const parentType = parent && qualifiedType(parent) !== STACK_TYPE ? qualifiedType(parent) : "";
  return urnOfTypes(of, parentType, type, name);
}

/** Creates a URN with the parent's qualified type `parentType`. It is not included if it is empty or a stack. */
export function urnOfTypes(of: StackName, parentType: string, type: string, name: string): string {
  const qualified = parentType && parentType !== STACK_TYPE ? `${parentType}${TYPE_SEPARATOR}${type}` : type;
  return `urn:pulumi:${of.stack}::${of.project}::${qualified}::${name}`;
}

/** Returns the types of a resource and its parents, outermost first, joined by `$`. */
export function qualifiedType(urn: string): string {
  return part(urn, 2);
}

/** Returns a resource's own type. */
export function typeOf(urn: string): string {
  const types = qualifiedType(urn);
  return types.slice(types.lastIndexOf(TYPE_SEPARATOR) + 1);
}

/** Returns a resource's name, which may contain `::`. */
export function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** Returns the stack and project of a URN. */
export function stackNameOf(urn: string): StackName {
  return { stack: part(urn, 0).slice("urn:pulumi:".length), project: part(urn, 1) };
}

/** Whether a type is a provider resource's type. */
export function isProviderType(type: string): boolean {
  return type.startsWith(PROVIDER_TYPE_PREFIX);
}

/** Returns the type of a package's provider resource. */
export function providerTypeOf(packageName: string): string {
  return PROVIDER_TYPE_PREFIX + packageName;
}

/** Returns the package of a type. For a provider resource, returns the package it provides. */
export function packageOf(type: string): string {
  return isProviderType(type) ? type.slice(PROVIDER_TYPE_PREFIX.length) : (type.split(":")[0] ?? "");
}

/** Whether a URN names a default provider. The engine creates these for resources without a declared provider. */
export function isDefaultProvider(urn: string): boolean {
  return isProviderType(typeOf(urn)) && /^default(_|$)/.test(nameOf(urn));
}

function part(urn: string, index: number): string {
  return urn.split("::")[index] ?? "";
}
