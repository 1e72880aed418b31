import { createHash, randomUUID } from "node:crypto";
import { accountIn, originIn } from "../keys/account-fingerprint";
import { identityOf, isSameStack, markIn, ownerIdIn, urnIn } from "../keys/identity";
import { type AccountHere, type Confirmed, isAccountConfirmed, isOriginConfirmed } from "../keys/known-origins";
import type { EngineCommand } from "../stack/command-line";
import { plannedInput, plannedSeed } from "../stack/plan";
import { OWNER } from "./engine-values";

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/**
 * The identity of a provider resource, `<owner's id>.<account's mark>|<its URN>`. `CheckConfig` returns it as an
 * extra input, and the engine saves that before any key is made. A copied stack gets a new owner, because a copy must
 * not claim the keys of the original. So does a renamed one, unless the setting `renamedFrom` names its former name.
 * @param account - The mark of the account, and the settings that it was made from; `undefined` if they are not known.
 * @param options - The setting `renamedFrom`. `newId` makes the id of a new owner, @default a random one.
 */
export function ownerOfProvider(
  urn: string,
  before: unknown,
  account: AccountHere<Confirmed> | undefined,
  {
    renamedFrom,
    newId = () => randomUUID(),
  }: { readonly renamedFrom: readonly string[]; readonly newId?: (() => string) | undefined },
): string {
  if (!isOfStack(before, urn, renamedFrom)) return identityOf(newId(), account?.mark, urn);
  return identityOf(ownerIdIn(before), markAfter(markIn(before), account), urn);
}

/**
 * The mark to record. Another credential or address proves nothing: what is recorded stays until the user confirms the
 * new one. So a run that fails does not record an address to which the next one would send the credential.
 */
function markAfter(before: string | undefined, here: AccountHere<Confirmed> | undefined): string | undefined {
  if (here === undefined) return before;
  const { mark, settings } = here;
  if (isAccountConfirmed(mark, settings)) return mark;
  if (before === undefined) return undefined;
  const isKept = originIn(before) !== undefined && !isOriginConfirmed(mark, settings);
  return isKept ? before : `${accountIn(before)}.${originIn(mark)}`;
}

/**
 * The id of a new owner. It is random, because a stack of the same name in another backend must not claim the keys. But a
 * run that is compared with a plan must repeat the id of the preview, and `CheckConfig` gets no seed for it.
 */
export function newOwnerId(urn: string, command: EngineCommand): string {
  const planned = plannedInput(command, urn, OWNER);
  if (isOfStack(planned, urn, [])) return ownerIdIn(planned);
  const seed = plannedSeed(command);
  if (seed === undefined) return randomUUID();
  const digest = createHash("sha256").update(seed).update(urn).digest("hex").slice(0, 32);
  return digest.replace(UUID, "$1-$2-$3-$4-$5");
}

/**
 * The owner of a key, an input of it: `<owner's id>|<URN>`. A key keeps its owner's id for as long as it is in the same
 * stack, because an upgrade of the plugin can bring another default provider.
 * @param before - The owner in the state: an input of this plugin, or an identity of the dynamic provider.
 * @param urnBefore - The URN in a state of the dynamic provider.
 */
export function ownerOfKey(
  urn: string,
  { before, urnBefore }: { readonly before: unknown; readonly urnBefore: unknown },
  ofProvider: string,
  renamedFrom: readonly string[],
): string {
  const isKept =
    isOfStack(before, urn, renamedFrom) || (typeof before === "string" && isSameStack(urnBefore, urn, renamedFrom));
  // A copied stack that is destroyed at once still has the provider resource of the original, which owns none of its keys.
  const fresh = isSameStack(urnIn(ofProvider) || urn, urn, renamedFrom) ? ofProvider : "";
  return identityOf(ownerIdIn(isKept ? before : fresh), undefined, urn);
}

/**
 * The identity of a key: its owner, with the account in which it was recorded. A new key is to be in the account of its
 * provider. An organization has a mark of its own, which the provider does not know.
 */
export function identityOfResource(
  owner: unknown,
  recorded: unknown,
  organizationId: unknown,
  ofProvider: string,
): string {
  const ofNewKey = organizationId === undefined ? markIn(ofProvider) : undefined;
  const mark = ownerIdIn(recorded) === ownerIdIn(owner) ? markIn(recorded) : ofNewKey;
  return identityOf(ownerIdIn(owner), mark, urnIn(owner));
}

export function isOfStack(identity: unknown, urn: string, renamedFrom: readonly string[]): boolean {
  return typeof identity === "string" && isSameStack(urnIn(identity), urn, renamedFrom);
}
