import type { ApiKeyRecord } from "../api/records";
import { isAborted, KeyplaneError, messageOf } from "../errors";
import { keyIdOf } from "../ids";
import { keyIn } from "../key-index";
import type { Context } from "../schema/resource-type";
import { shownName } from "../text";
import { isElsewhere, mustBeSameAccount } from "./account-guard";
import { fateOf } from "./fate";
import { ownerIdIn, sameOwner } from "./identity";
import { hasTagOf } from "./names";

/** Maximum time after its creation until a key is listed, in milliseconds. */
const LISTED_WITHIN_MS = 60_000;

/** A key as recorded in a state. */
export interface RecordedKey {
  readonly id: string;
  readonly name: string | undefined;
  /** The identity of its owner. */
  readonly identity: string | undefined;
  /** ISO 8601 time; absent if it is not recorded. */
  readonly createdAt?: string | undefined;
  /** The secret; absent if it is not recorded, or sealed. */
  readonly key?: string | undefined;
  /** The public digest of the secret. */
  readonly digest?: string | undefined;
}

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
  // A list without the key proves nothing. With the recorded credential, the service is asked to revoke the id.
  else if (isElsewhere(held.identity, context) || keyIdOf(held.id) === undefined) return;
  const outcome = await all.revoke(held.id, { unlisted: found === undefined });
  // A credential that has lost permissions can get the same answers.
  if (outcome === "absent" && (await all.list()).length === 0) await mustNotWork(held, context);
}

/** Finds a key in a second list, requested once per run: one list could lack it by mistake, and so hide a wrong id. */
export async function secondLook(id: string, context: Context): Promise<ApiKeyRecord | undefined> {
  context.run.secondList ??= context.keys().list({ fresh: true });
  return keyIn(await context.run.secondList, id);
}

/** A key as the account lists it; `undefined` if it is proven to be gone. */
export async function findKey(held: RecordedKey, context: Context): Promise<ApiKeyRecord | undefined> {
  await mustBeSameAccount(held.identity, context);
  const all = context.keys();
  let keys = await all.list();
  if (keyIn(keys, held.id) === undefined && isYoung(held, context)) keys = await all.list({ fresh: true });
  // Without the secret nothing can be tried, so a second list must agree with the first.
  const found = keyIn(keys, held.id) ?? (held.key === undefined ? await laterLook(held, context) : undefined);
  if (found !== undefined) mustBeKey(held, found);
  else await mustNotWork(held, context);
  return found;
}

/** What to do about a sealed key that is taken for gone. If it works after all, no later run has to report it. */
export function untried(id: string, name: string | undefined): string {
  return (
    `two lists lack key ${id} (${shownName(name)}). It is sealed, so keyplane cannot try it, and takes it for gone. If it ` +
    `still works, run \`npx keyplane revoke ${id}\``
  );
}

/** Finds a key that cannot be tried in another list. A list can lag behind a creation, so a young key gets a minute. */
async function laterLook(held: RecordedKey, context: Context): Promise<ApiKeyRecord | undefined> {
  const found = await secondLook(held.id, context);
  if (found !== undefined || !isYoung(held, context)) return found;
  context.progress(`waiting until the service must list key ${held.id}, which is new`);
  await context.account().sleep(Math.min(LISTED_WITHIN_MS, LISTED_WITHIN_MS - ageOf(held, context)));
  return keyIn(await context.keys().list({ fresh: true }), held.id);
}

/** Throws if a key that no list shows still works: an incomplete list must not remove a live key from a state. */
async function mustNotWork({ id, name, key }: RecordedKey, context: Context): Promise<void> {
  if (key === undefined || !(await context.keys().authenticates(key, { isNew: false }))) return;
  throw new KeyplaneError(
    "KP-ANSWER",
    `the service does not list key ${id} (${shownName(name)}), but the key works. Nothing was changed. Run the command again. If ` +
      "the error persists, contact the service's support",
  );
}

/** A key to revoke: its id, and its name if the name does not show who created it. */
export interface KeyToRevoke {
  readonly id: string;
  readonly name?: string | undefined;
}

/**
 * Tries to revoke keys that are no longer used, as many at once as the limits allow. Skips a key that a list shows
 * under a name that is not this owner's. Returns the ids that are still live.
 */
export async function revokeAll(
  toRevoke: readonly KeyToRevoke[],
  identity: string | undefined,
  context: Context,
): Promise<readonly string[]> {
  const left = await Promise.all(
    toRevoke.map(async ({ id, name }) => {
      try {
        await revokeKey({ id, name, identity }, context);
        return [];
      } catch (error) {
        // An aborted run only records the ids: it has left too much to do for a warning about each.
        if (!isAborted(error)) {
          context.warn(`could not revoke key ${id}; the next \`pulumi up\` tries again: ${messageOf(error)}`);
        }
        return [id];
      }
    }),
  );
  return left.flat();
}

/** Revokes keys that are no longer used. Throws if one is still live afterwards. */
export async function mustRevokeAll(
  toRevoke: readonly KeyToRevoke[],
  identity: string | undefined,
  context: Context,
): Promise<void> {
  const left = await revokeAll(toRevoke, identity, context);
  if (left.length > 0) {
    throw new KeyplaneError("KP-REVOKE", `could not revoke key ${left.join(", ")}. Run the command again`);
  }
}

/** Whether a key may be too new to be listed. */
function isYoung(held: RecordedKey, context: Context): boolean {
  return ageOf(held, context) < LISTED_WITHIN_MS;
}

/** The age of a key in milliseconds, by the service's clock. */
function ageOf({ createdAt }: RecordedKey, context: Context): number {
  return context.account().serviceNow() - Date.parse(createdAt ?? "");
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
 * show that each consumer was updated since the successor was made.
 * @param id - The id of the resource that is deleted.
 */
export async function mustHaveReachedConsumers(
  id: string,
  identity: string | undefined,
  context: Context,
): Promise<void> {
  const { isInDoubt, isDestroy } = context.command();
  if (!isInDoubt) return;
  const ownerId = ownerIdIn(identity);
  const ask = async (fresh: boolean): Promise<readonly string[] | "unknown"> => {
    const witness = await context.witness({ fresh });
    if (!witness?.knows(ownerId)) return isDestroy ? [] : "unknown";
    return witness.waitingFor(context.urn, id);
  };
  const isSafe = (waiting: readonly string[] | "unknown") =>
    fateOf({ kind: "replaced", inDoubt: true, waiting }).fate === "revoke";
  // The verbs of a phase share one look at the state. A later one can show more.
  if (isSafe(await ask(false))) return;
  const waiting = await ask(true);
  if (isSafe(waiting)) return;
  const names = waiting === "unknown" ? [] : waiting.map((name) => JSON.stringify(name));
  const who = names.length === 0 ? "a consumer, as far as is known," : names.join(" and ");
  throw new KeyplaneError(
    "KP-REVOKE",
    `the key stays live, because ${who} may still have it: this command continues after errors, or is limited by ` +
      "targets or exclusions. Run `pulumi up` without these options",
  );
}

/** Throws `KP-WRONG-ACCOUNT` if a state is about to lose a live key that is in another account. */
export async function mustNotForget(identity: string | undefined, context: Context): Promise<void> {
  if (sameOwner(ownerNow(identity, context), identity)) await mustBeSameAccount(identity, context);
}

/** Throws if a list shows the id of a key under another name than the state: then it is somebody else's key. */
function mustBeKey(held: RecordedKey, found: ApiKeyRecord): void {
  if (isSameKey(held, found)) return;
  const recorded = held.name === undefined ? "one of its own" : shownName(held.name);
  throw new KeyplaneError(
    "KP-ID-MISMATCH",
    `the service lists key ${held.id} as ${shownName(found.name)}, but this stack recorded it as ${recorded}. Nothing was changed. ` +
      "Find out in the service's console which of the two keys is this stack's. Then remove the resource with " +
      "`pulumi state delete`, and revoke the stack's key by hand",
  );
}

/** If no name is recorded, compares the owner's tag in the listed name. */
function isSameKey({ name, identity }: RecordedKey, found: ApiKeyRecord): boolean {
  if (name !== undefined) return found.name === name;
  return identity !== undefined && hasTagOf(found.name, ownerIdIn(identity));
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
  return context.account().settingOf(held);
}
