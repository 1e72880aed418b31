import type { Properties } from "../schema/resource-type";

/**
 * The identity of keys: the owner's id and the account's fingerprint, separated by a dot. The owner passes it to each
 * key. So a key that is created without a check of its owner, as in a run with `--target`, can check whether the
 * account is still the same.
 */
export function identityOf(ownerId: string, fingerprint: string): string {
  return `${ownerId}.${fingerprint}`;
}

/** The owner's id in an identity. */
export function ownerIdIn(identity: unknown): string {
  const text = String(identity);
  const dot = text.indexOf(".");
  return dot < 0 ? text : text.slice(0, dot);
}

/** The account's fingerprint in an identity; `undefined` if none is recorded. */
export function fingerprintIn(identity: unknown): string | undefined {
  const dot = typeof identity === "string" ? identity.indexOf(".") : -1;
  return dot < 0 ? undefined : String(identity).slice(dot + 1);
}

/** The identity in the outputs of a key. Version 0.1 stored the fingerprint separately. */
export function identityIn({ owner, credential }: Properties): string | undefined {
  if (typeof owner !== "string") return undefined;
  const isWhole = owner.includes(".") || typeof credential !== "string";
  return isWhole ? owner : identityOf(owner, credential);
}

/** Whether two identities have the same owner, in any account. */
export function sameOwner(one: unknown, other: unknown): boolean {
  return ownerIdIn(one) === ownerIdIn(other);
}
