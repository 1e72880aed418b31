import { type Scope, scopeOf } from "../../provider/keys/scope";
import { isKeyType } from "../../provider/resource-types";
import { type Deployment, HIDDEN, type StateResource } from "../../provider/stack/deployment";

/** The scopes of the keys in a state. */
export function scopesIn({ resources }: Deployment): readonly Scope[] {
  return resources.filter(({ type }) => isKeyType(type)).flatMap((resource) => scopeIn(resource) ?? []);
}

/** The scope of a resource; `undefined` if it is encrypted. */
export function scopeIn({ inputs, outputs }: StateResource): Scope | undefined {
  const { account, organizationId } = { ...inputs, ...outputs };
  if (account === HIDDEN || organizationId === HIDDEN) return undefined;
  // The plugin records an output that has no value as null.
  return scopeOf({ account: account ?? undefined, organizationId: organizationId ?? undefined });
}
