import { isAborted, KeyplaneError, messageOf } from "../errors";
import { keyIdOf } from "../ids";
import type { Context } from "../schema/resource-type";
import type { HeldName } from "../schema/witness";
import { settingOf } from "../settings/settings";
import { isElsewhere, mustBeSameAccount } from "./account-guard";
import { fateOf } from "./fate";
import {
  isYoung,
  type KeyToRevoke,
  mustBeKey,
  mustNotWork,
  type RecordedKey,
  secondLook,
  whenListed,
} from "./find-key";
import { sameOwner } from "./identity";
import { formatKey, nameInUrn } from "./names";
import { revokeCommand } from "./scope";

/**
 * Revokes a key that a state contains. The account must be proven to be the one with the stack's keys, and no list may
 * show the id under another name: in another account, or after a wrong answer, the id can belong to anybody. A key that
 * is already gone counts as revoked.
 */
export async function revokeKey(held: RecordedKey, context: Context): Promise<void> {
  refuseOwnCredential(held, context);
  await mustBeSameAccount(held.identity, context);
  const all = context.keys();
  // Several resources can have the same previous key, if earlier runs could not delete what they replaced.
  if (all.hasRevoked(held.id)) return;
  const found = (await all.find(held.id)) ?? (await secondLook(held.id, context));
  if (found !== undefined) mustBeKey(held, found);
  // A list without the key proves nothing. With the recorded credential, the service is asked to revoke the id. With
  // another one, which can be that of another account, the key itself is tried.
  else if (isElsewhere(held.identity, context) || keyIdOf(held.id) === undefined) return mustNotWork(held, context);
  if ((await all.revoke(held.id, { unlisted: found === undefined })) === "revoked") return;
  // A new key that is not known everywhere yet gets the same answers, and so does a key of another account, or of a
  // credential that has lost permissions.
  if (held.key === undefined && isYoung(held, context) && (await whenListed(held, context))) {
    return revokeKey(held, context);
  }
  if (held.key !== undefined || (await all.list()).length === 0) await mustNotWork(held, context);
  all.noteGone(held.id);
}

/**
 * Tries to revoke keys that are no longer used, as many at once as the limits allow. Skips a key that a list shows
 * under a name that is not this owner's. Returns the ids that are still live.
 * @param toRevoke - The names of those whose names do not show who created them.
 */
export async function revokeAll(
  toRevoke: readonly KeyToRevoke[],
  identity: string | undefined,
  context: Context,
): Promise<readonly string[]> {
  const left = await Promise.all(
    toRevoke.map(async (held) => {
      try {
        await revokeKey({ ...held, identity }, context);
        return [];
      } catch (error) {
        // An aborted run only records the ids: it has left too much to do for a warning about each.
        if (!isAborted(error)) {
          context.warn(`could not revoke key ${held.id}; the next \`pulumi up\` tries again: ${messageOf(error)}`);
        }
        return [held.id];
      }
    }),
  );
  return left.flat();
}

/** Throws if keys are still live that had to be revoked. */
export function mustBeRevoked(left: readonly string[], origin = ""): void {
  if (left.length === 0) return;
  throw new KeyplaneError("KP-REVOKE", `could not revoke key ${left.join(", ")}${origin}. Run the command again`);
}

/** Says that a key of a copied or renamed state stays live. */
export function leaveToOthers(key: HeldName, { warn, scope }: Context): void {
  warn(
    `key ${formatKey(key)} was created by another stack, from which this state was copied or renamed. It is not revoked. ` +
      `If nobody needs it, run \`${revokeCommand(key.id, scope)}\``,
  );
}

/**
 * The identity of a stack's owner in this run. In the first run of a copied or renamed stack, the state of a key that is
 * replaced still has the old one.
 */
export function ownerNow(identity: string | undefined, context: Context): string | undefined {
  return context.ownerNow ?? context.run.owner ?? identity;
}

/**
 * Throws `KP-REVOKE` if consumers of a deleted resource may still need its keys. The engine deletes after everything
 * else has succeeded, except if the command leaves resources out or continues after errors. Then the stack's state must
 * show that the successor works, and that each consumer was updated since it was made. It does not show whether a hook
 * after that has failed.
 * @param id - The id of the resource that is deleted.
 */
export async function mustHaveReachedConsumers(
  id: string,
  identity: string | undefined,
  context: Context,
): Promise<void> {
  const { isInDoubt, isLimited, isDestroy, goesOn: isKnown = false } = context.command();
  if (!isInDoubt) return;
  const { urn } = context;
  const goesOn = isKnown || !isLimited;
  // When a resource has failed, the program lacks what it declares with its outputs.
  const isHidden = isKnown && !context.isDeclared;
  const isSafe = (waiting: readonly string[] | "unknown") => fateOf({ kind: "replaced", waiting }).fate === "revoke";
  const ask = async (look: { readonly fresh: boolean }): Promise<readonly string[] | "unknown"> => {
    // A copy has the consumers of its original, too, whose key this is.
    const witness = await context.witness(identity, { ...look, asOwn: true });
    // A destroy deletes the consumers first.
    if (witness === undefined) return isDestroy ? [] : "unknown";
    const successor = witness.successorOf(urn, id);
    // The look that deletions share can be from before this resource was replaced.
    if (successor === undefined && !isDestroy && (isHidden || !look.fresh)) return "unknown";
    const { created, hasFailed, hasAfterHook } = successor ?? {};
    // Everybody outside the stack still has the old key. A destroy deletes both.
    if ((hasFailed || (goesOn && hasAfterHook)) && !isDestroy) return [nameInUrn(urn)];
    const waiting = witness.waitingFor(urn, id, { goesOn });
    if (!isSafe(waiting) || created === undefined) return waiting;
    return witness.waitingFor(urn, id, { goesOn, isUpdate: await context.history.updatesSince(created, urn) });
  };
  // The verbs of a phase share one look at the state. A later one can show more.
  if (isSafe(await ask({ fresh: false }))) return;
  const waiting = await ask({ fresh: true });
  if (isSafe(waiting)) return;
  const names = waiting === "unknown" ? [] : waiting.map((name) => JSON.stringify(name));
  const who = names.length === 0 ? "its consumers" : names.join(" and ");
  const isUndeclared = isHidden && names.length === 0;
  const why = isUndeclared
    ? "the program has not declared it, perhaps because a resource failed"
    : `${who} may still have it`;
  const options = "continues after errors, or is limited by targets or exclusions";
  const remedy =
    isKnown || isLimited
      ? `: this command ${options}. Run \`pulumi up\` without these options`
      : `, and keyplane could not read whether this command ${options}. docs/limits.md says what to do`;
  throw new KeyplaneError("KP-REVOKE", `the key stays live, because ${why}${remedy}`);
}

/** Throws `KP-WRONG-ACCOUNT` if a state is about to lose a live key that is in another account. */
export async function mustNotForget(identity: string | undefined, context: Context): Promise<void> {
  if (sameOwner(ownerNow(identity, context), identity)) await mustBeSameAccount(identity, context);
}

/** Throws if keyplane itself authenticates with the key, as its secret or a known id shows. */
export function refuseOwnCredential(held: Pick<RecordedKey, "id" | "key" | "digest">, context: Context): void {
  const { id } = held;
  const { ownKeys } = context.run;
  const setting = settingWith(held, context) ?? ownKeys.get(id);
  if (setting === undefined) return;
  ownKeys.set(id, setting);
  throw new KeyplaneError(
    "KP-OWN-CREDENTIAL",
    `key ${id} is the one that keyplane authenticates with (${setting}). Revoking it would lock keyplane out. Set ` +
      `${setting} to another key of the account first`,
  );
}

/** Name of the setting that has the secret of a key; `undefined` if keyplane does not authenticate with it. */
export function settingWith(held: Pick<RecordedKey, "key" | "digest">, context: Context): string | undefined {
  return settingOf(context.settings(), held);
}

/**
 * The refusal to take over the key that keyplane itself authenticates with, as its secret shows; `undefined` for another
 * key. Names no id: the secret can be that of another key than the id's.
 */
export function refusedTakeOver(key: string, source: string, context: Context): KeyplaneError | undefined {
  const setting = settingWith({ key }, context);
  if (setting === undefined) return undefined;
  return new KeyplaneError(
    "KP-OWN-CREDENTIAL",
    `the secret in ${source} is the one that keyplane authenticates with (${setting}). If its key were taken over, its ` +
      `rotation would lock keyplane out. Set ${setting} to another key of the account first, or take over another key`,
  );
}
