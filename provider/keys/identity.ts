import type { Members } from "../members";

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

function partsOf(identity: unknown) {
  const [, ownerId = "", mark, encodedUrn] = /^([^.|]*)(?:\.([^|]*))?(?:\|(.*))?$/s.exec(String(identity)) ?? [];
  return { ownerId, mark, encodedUrn };
}

/** The identity in the inputs or outputs of a key. Version 0.1 stored the fingerprint of the account separately. */
export function identityIn({ owner, credential }: Members): string | undefined {
  if (typeof owner !== "string") return undefined;
  const isWhole = owner.includes(".") || typeof credential !== "string";
  return isWhole ? owner : identityOf(owner, credential);
}

/** Whether two identities have the same owner, in any account. */
export function sameOwner(one: unknown, other: unknown): boolean {
  return ownerIdIn(one) === ownerIdIn(other);
}

type StackName = Readonly<Partial<Record<"organization" | "project" | "stack", unknown>>>;

/** The former name of a stack, as an entry of `renamedFrom`; `undefined` if it has the same name. */
export function formerName({ organization, project, stack }: StackName, now: StackName): string | undefined {
  // Version 0.1 did not record the organization.
  if (organization !== undefined && organization !== now.organization) return `${organization}/${project}/${stack}`;
  if (project !== now.project) return `${project}/${stack}`;
  return stack === now.stack ? undefined : `${stack}`;
}

/**
 * Whether the setting `renamedFrom` says that a stack is the one that had another name. An entry is `STACK`, in the same
 * project, `PROJECT/STACK` or `ORGANIZATION/PROJECT/STACK`.
 * @param before - Its name in the state.
 */
export function isRenamedFrom(before: StackName, now: StackName, renamedFrom: readonly string[]): boolean {
  return renamedFrom.some((entry) => {
    const [stack, project = now.project, organization = before.organization] = entry.split("/").toReversed();
    // The plugin is not told the organization.
    const isOrganization = before.organization === undefined || organization === before.organization;
    return stack === before.stack && project === before.project && isOrganization;
  });
}

export function stackIn(urn: string): { readonly project: string; readonly stack: string } {
  const [stack = "", project = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
  return { project, stack };
}

/** Whether two URNs are of one stack, which may have had another name. A copied state has the URNs of its new stack. */
export function isSameStack(before: unknown, urn: string, renamedFrom: readonly string[] = []): boolean {
  if (typeof before !== "string") return false;
  const [former, now] = [stackIn(before), stackIn(urn)];
  const isSame = former.stack === now.stack && former.project === now.project;
  return isSame || isRenamedFrom(former, now, renamedFrom);
}
