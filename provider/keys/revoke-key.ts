import type { ApiKeyRecord } from "../api/records";
import { isAborted, KeyplaneError, messageOf } from "../errors";
import { keyIdOf } from "../ids";
import { keyIn } from "../key-index";
import type { Context, Properties } from "../schema/resource-type";
import { isElsewhere, mustBeSameAccount } from "./account-guard";
import { identityIn, ownerIdIn, sameOwner } from "./identity";
import { ownerTag, tagOf } from "./names";

/** A key is listed at the latest this long after its creation, in milliseconds. */
const LISTED_WITHIN_MS = 60_000;

/** A key as a state tells of it. */
export interface RecordedKey {
  readonly id: string;
  readonly name: string | undefined;
  /** The identity of its owner. */
  readonly identity: string | undefined;
  /** ISO 8601 time; absent where it is not recorded. */
  readonly createdAt?: string | undefined;
  /** The secret; absent where it is not recorded. */
  readonly key?: string | undefined;
}

/** The key that the outputs of an `ApiKey` tell of. */
export function recordedKey(id: string, outputs: Properties): RecordedKey {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const { name, createdAt, key } = outputs;
  return { id, name: text(name), identity: identityIn(outputs), createdAt: text(createdAt), key: text(key) };
}

/**
 * Revokes a key that a state holds. The account must be proven to be the one that holds the stack's keys, and no list may
 * show the id under another name: elsewhere, or after a wrong answer, the id can be anybody's. A key that is gone already
 * counts as revoked.
 */
export async function revokeKey(held: RecordedKey, context: Context): Promise<void> {
  refuseOwnCredential(held, context);
  await mustBeSameAccount(held.identity, context);
  const all = context.keys();
  const found = (await all.find(held.id)) ?? (await secondLook(held.id, context));
  if (found !== undefined) mustBeKey(held, found);
  // Lists that lack it prove nothing. With the credential that it was recorded with, the service is asked by the id.
  else if (isElsewhere(held.identity, context) || keyIdOf(held.id) === undefined) return;
  const outcome = await all.revoke(held.id, { unlisted: found === undefined });
  // What a credential may not do any more can look like this, too.
  if (outcome === "absent" && (await all.list()).length === 0) await mustNotWork(held, context);
}

/** A key in a second list, which a run asks for once: one list could lack it by mistake, and so not veto a wrong id. */
async function secondLook(id: string, context: Context): Promise<ApiKeyRecord | undefined> {
  context.run.secondList ??= context.keys().list({ fresh: true });
  return keyIn(await context.run.secondList, id);
}

/** A key as the account lists it; `undefined` once it is proven to be gone. */
export async function findKey(held: RecordedKey, context: Context): Promise<ApiKeyRecord | undefined> {
  await mustBeSameAccount(held.identity, context);
  const all = context.keys();
  let keys = await all.list();
  if (keyIn(keys, held.id) === undefined && isYoung(held, context)) keys = await all.list({ fresh: true });
  const found = keyIn(keys, held.id);
  if (found !== undefined) mustBeKey(held, found);
  else await mustNotWork(held, context);
  return found;
}

/** Throws where a key works that no list shows: one incomplete list must not make a live key, and its secret, forgotten. */
async function mustNotWork({ id, name, key }: RecordedKey, context: Context): Promise<void> {
  if (key === undefined || !(await context.keys().authenticates(key, { isNew: false }))) return;
  throw new KeyplaneError(
    "KP-ANSWER",
    `the service does not list key ${id} (${name}), but the key works. Nothing was changed. Run the command again; if it ` +
      "stays so, tell the service's support",
  );
}

/** A key that nobody is to use any more: its id, and its name where that does not show who made it. */
export interface DoomedKey {
  readonly id: string;
  readonly name?: string | undefined;
}

/**
 * Tries to revoke keys that nobody uses any more, as many at once as the limits allow. Revokes nothing that a list shows
 * under a name which is not this owner's. Answers the ids that are still live.
 */
export async function revokeAll(
  doomed: readonly DoomedKey[],
  identity: string | undefined,
  context: Context,
): Promise<readonly string[]> {
  const left = await Promise.all(
    doomed.map(async ({ id, name }) => {
      try {
        await revokeKey({ id, name, identity }, context);
        return [];
      } catch (error) {
        // Of an aborted run the ids alone are recorded: what it has left to do needs no word for each of them.
        if (!isAborted(error)) {
          context.warn(`could not revoke key ${id}; the next \`pulumi up\` tries again: ${messageOf(error)}`);
        }
        return [id];
      }
    }),
  );
  return left.flat();
}

/** Revokes keys that nobody uses any more. Throws where one is still live after that. */
export async function mustRevokeAll(
  doomed: readonly DoomedKey[],
  identity: string | undefined,
  context: Context,
): Promise<void> {
  const left = await revokeAll(doomed, identity, context);
  if (left.length > 0) {
    throw new KeyplaneError("KP-REVOKE", `could not revoke key ${left.join(", ")}. Run the command again`);
  }
}

/** Whether a key may be too new to be listed. */
function isYoung({ createdAt }: RecordedKey, context: Context): boolean {
  return context.now() - Date.parse(String(createdAt)) < LISTED_WITHIN_MS;
}

/** Whether a key was made by another stack than the one that now holds it: its state was copied, or renamed. */
export function isForeign({ owner, mintedBy, name }: Properties): boolean {
  const maker = typeof mintedBy === "string" ? mintedBy : tagOf(String(name));
  return typeof owner === "string" && maker !== undefined && maker !== ownerTag(ownerIdIn(owner));
}

/**
 * The owner of a stack's keys as this run knows it: in the first run of a copied or renamed stack, another one than the
 * outputs of a key that is replaced in it still tell.
 */
export function ownerNow({ owner }: Properties, context: Context): unknown {
  return context.run.owner ?? owner;
}

/** Throws `KP-WRONG-ACCOUNT` where a state is about to forget a key that stays live, and the key is in another account. */
export async function mustNotForget(outputs: Properties, context: Context): Promise<void> {
  if (sameOwner(ownerNow(outputs, context), outputs.owner)) await mustBeSameAccount(identityIn(outputs), context);
}

/** Throws where a list shows the id of a key under another name than the state has: it is somebody else's key. */
function mustBeKey(held: RecordedKey, found: ApiKeyRecord): void {
  if (isSameKey(held, found)) return;
  const recorded = held.name ?? "one of its own";
  throw new KeyplaneError(
    "KP-ID-MISMATCH",
    `the service lists key ${held.id} as ${found.name}, but this stack recorded it as ${recorded}. Nothing was done with ` +
      "it. Find out in the service's console which of the two keys is this stack's. Then remove the resource with " +
      "`pulumi state delete`, and revoke the stack's key by hand",
  );
}

/** Where no name is recorded, the owner's tag in the listed name tells. */
function isSameKey({ name, identity }: RecordedKey, found: ApiKeyRecord): boolean {
  if (name !== undefined) return found.name === name;
  return identity !== undefined && tagOf(found.name) === ownerTag(ownerIdIn(identity));
}

/**
 * Throws where the key is one that keyplane itself authenticates with: by its secret, or by an id under which the run has
 * met one of those.
 */
export function refuseOwnCredential({ id, key }: Pick<RecordedKey, "id" | "key">, context: Context): void {
  const { ownKeys } = context.run;
  const setting = (key === undefined ? undefined : context.account().settingOf(key)) ?? ownKeys.get(id);
  if (setting === undefined) return;
  ownKeys.set(id, setting);
  throw new KeyplaneError(
    "KP-OWN-CREDENTIAL",
    `key ${id} is the one that keyplane authenticates with (${setting}). Revoking it would lock keyplane out. Set ` +
      `${setting} to another key of the account first`,
  );
}
