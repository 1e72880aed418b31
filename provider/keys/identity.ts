/**
 * The identity of keys: `<owner's id>.<account's mark>`. The owner passes it to each key. So a key that is created
 * without a check of its owner, as in a run with `--target`, can check whether the account is still the same.
 * The plugin adds `|<URN>`, because there each resource looks for its own orphans. The URN is in base64, so that a
 * replacement of texts in a copied state does not turn the copy's identity into one of the copy's own stack.
 */
export function identityOf(ownerId: string, mark: string | undefined, urn?: string): string {
  const account = mark === undefined ? "" : `.${mark}`;
  return ownerId + account + (urn === undefined ? "" : `|${Buffer.from(urn).toString("base64url")}`);
}

/** The owner's id in an identity. */
export function ownerIdIn(identity: unknown): string {
  return partsOf(identity).ownerId;
}

/** The mark of the account in an identity; `undefined` if none is recorded. Older identities lack the origin in it. */
export function markIn(identity: unknown): string | undefined {
  return partsOf(identity).mark;
}

/** The resource's URN in an identity; `undefined` in one of the dynamic provider. */
export function urnIn(identity: unknown): string | undefined {
  const { encodedUrn } = partsOf(identity);
  return encodedUrn === undefined ? undefined : Buffer.from(encodedUrn, "base64url").toString();
}

function partsOf(identity: unknown): {
  readonly ownerId: string;
  readonly mark: string | undefined;
  readonly encodedUrn: string | undefined;
} {
  const [, ownerId = "", mark, encodedUrn] = /^([^.|]*)(?:\.([^|]*))?(?:\|(.*))?$/s.exec(String(identity)) ?? [];
  return { ownerId, mark, encodedUrn };
}

/** The owner in the inputs or outputs of a key. Version 0.1 stored the fingerprint of the account separately. */
interface Owned {
  readonly owner?: unknown;
  readonly credential?: unknown;
}

/** The identity in the inputs or outputs of a key. */
export function identityIn({ owner, credential }: Owned): string | undefined {
  if (typeof owner !== "string") return undefined;
  const isWhole = owner.includes(".") || typeof credential !== "string";
  return isWhole ? owner : identityOf(owner, credential);
}

/** Whether two identities have the same owner, in any account. */
export function sameOwner(one: unknown, other: unknown): boolean {
  return ownerIdIn(one) === ownerIdIn(other);
}

/** Whether two URNs have the same stack and project. A copied state has the URNs of its new stack. */
export function isSameStack(one: unknown, other: string): boolean {
  return typeof one === "string" && stackIn(one) === stackIn(other);
}

function stackIn(urn: string): string {
  return urn.split("::").slice(0, 2).join("::");
}
