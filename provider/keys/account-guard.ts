import { KeyplaneError } from "../errors";
import type { Context } from "../schema/resource-type";
import { accountSetting } from "../text";
import { accountIn } from "./account-fingerprint";
import { identityOf, markIn, ownerIdIn, sameOwner, urnIn } from "./identity";
import { isAccountConfirmed } from "./known-origins";
import { hasTagOf } from "./names";

/**
 * Throws `KP-WRONG-ACCOUNT` unless this account is the one that an identity was recorded in. With the same credential
 * as then, that is certain without a request. With another one, the same owner must be recorded under this credential
 * elsewhere in the stack, the list must contain a live key with the owner's tag, or the stack's state must show that the
 * owner never had a key. All resources of a process share that list and its result.
 */
export async function mustBeSameAccount(identity: string | undefined, context: Context): Promise<void> {
  noteProof(identity, context);
  if (!isElsewhere(identity, context) || isAccountConfirmed(context.accountMark(), context.settings())) return;
  const { owner: ownerOfRun, provenOwners } = context.run;
  // A key that was removed from the program keeps an old identity. Keys still in the program have the current one.
  noteProof(ownerOfRun, context);
  const owner = ownerIdIn(identity);
  if (provenOwners.has(owner)) return;
  const keys = await context.keys().list();
  if (keys.some(({ name }) => hasTagOf(name, owner)) || (await context.witness(identity))?.neverHadKey(owner)) {
    provenOwners.add(owner);
  }
  // Another resource of the run may have proven it meanwhile.
  if (provenOwners.has(owner)) return;
  const { account } = context.scope;
  const [baseUrl, apiKey] = [accountSetting("baseUrl", account), accountSetting("apiKey", account)];
  throw new KeyplaneError(
    "KP-WRONG-ACCOUNT",
    `${baseUrl} or ${apiKey} changed, and the account that they now lead to has no key of this stack. Nothing was ` +
      "changed. Set them to the account that holds the stack's keys. Then run `pulumi up`, because `refresh` and " +
      "`destroy` use the configuration of the last `up`. The account can also be right: the stack has no key yet, all " +
      "its keys are gone, or none of them has a generated name. Then run the command once with " +
      `KEYPLANE_CONFIRM_ACCOUNT=${accountIn(context.accountMark())}`,
  );
}

/** Whether an update gives a key another owner. Throws as `mustBeSameAccount` does, for both owners. */
export async function provenOwnerChange(
  saved: string | undefined,
  owner: string | undefined,
  context: Context,
): Promise<boolean> {
  await mustBeSameAccount(owner, context);
  if (sameOwner(saved, owner)) return false;
  // A new owner, in a renamed or copied stack, proves nothing about keys that are older than the owner.
  await mustBeSameAccount(saved, context);
  return true;
}

/** Records that this is the account of an identity's owner, if the identity was recorded with this credential. */
function noteProof(identity: string | undefined, context: Context): void {
  const recorded = accountIn(markIn(identity));
  if (recorded !== undefined && recorded === accountIn(context.accountMark()))
    context.run.provenOwners.add(ownerIdIn(identity));
}

/** The identity to record once the account is proven to be the same. */
export function identityHere(identity: string | undefined, context: Context): string | undefined {
  return identity === undefined ? undefined : identityOf(ownerIdIn(identity), context.accountMark(), urnIn(identity));
}

/** Whether an identity was recorded in another account, or in this account with another credential. */
export function isElsewhere(identity: string | undefined, context: Context): boolean {
  const recorded = accountIn(markIn(identity));
  return recorded !== undefined && recorded !== accountIn(context.accountMark());
}
