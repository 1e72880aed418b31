import { randomUUID } from "node:crypto";
import { fingerprintIn, identityOf, isSameStack, ownerIdIn, urnIn } from "../keys/identity";

/**
 * The identity of a provider resource, `<owner's id>.<account's fingerprint>|<its URN>`. `CheckConfig` returns it as an
 * extra input, and the engine saves that before any key is made. A copied or renamed stack gets a new owner, because a
 * copy must not claim the keys of the original.
 * @param before - The identity in the state, if there is one.
 * @param here - The fingerprint of the account, if it is known.
 * @param isConfirmed - Whether the user confirmed that this is the account of the keys.
 */
export function ownerOfProvider(urn: string, before: unknown, here: string | undefined, isConfirmed: boolean): string {
  if (!isOfStack(before, urn)) return identityOf(randomUUID(), here, urn);
  // Another credential proves nothing: the recorded fingerprint stays until the user confirms the account.
  return identityOf(ownerIdIn(before), isConfirmed ? here : fingerprintIn(before), urn);
}

/**
 * The owner of a key, an input of it: `<owner's id>|<URN>`. A key keeps its owner's id for as long as it is in the same
 * stack, because an upgrade of the plugin can bring another default provider.
 * @param before - The owner in the state: an input of this plugin, or an identity of the dynamic provider.
 * @param urnBefore - The URN in a state of the dynamic provider.
 */
export function ownerOfKey(urn: string, before: unknown, urnBefore: unknown, ofProvider: string): string {
  const isKept = isOfStack(before, urn) || (typeof before === "string" && isSameStack(urnBefore, urn));
  // A copied stack that is destroyed at once still has the provider resource of the original, which owns none of its keys.
  const fresh = isSameStack(urnIn(ofProvider) || urn, urn) ? ofProvider : "";
  return identityOf(ownerIdIn(isKept ? before : fresh), undefined, urn);
}

/**
 * The identity of a key: its owner, with the fingerprint of the account in which it was recorded. A new key is to be in
 * the account of its provider. An organization has a fingerprint of its own, which the provider does not know.
 */
export function identityIn(owner: unknown, recorded: unknown, organizationId: unknown, ofProvider: string): string {
  const ofNewKey = organizationId === undefined ? fingerprintIn(ofProvider) : undefined;
  const fingerprint = ownerIdIn(recorded) === ownerIdIn(owner) ? fingerprintIn(recorded) : ofNewKey;
  return identityOf(ownerIdIn(owner), fingerprint, urnIn(owner));
}

/** Whether an identity was made for a resource of this stack. */
export function isOfStack(identity: unknown, urn: string): boolean {
  return typeof identity === "string" && isSameStack(urnIn(identity), urn);
}
