import type { Account } from "../api/account";
import type { ApiKeyRecord } from "../api/records";
import { KeyplaneError } from "../errors";
import { textsOf } from "./key-fields";
import { keyIn } from "./key-index";
import type { Context, Properties } from "./kind";
import { ownerTag, tagOf } from "./names";

/** A key is listed at the latest this long after its creation, in milliseconds. */
const LISTED_WITHIN_MS = 60_000;

/**
 * Revokes a key that a state holds. A key that is gone already counts as revoked, once it is proven that the account
 * is the one that held it. Refuses to revoke the key that keyplane itself authenticates with.
 */
export async function revokeKey(id: string, outputs: Properties, context: Context): Promise<void> {
  const account = context.account();
  refuseOwnCredential(id, outputs.key, account);
  // Elsewhere the same id can be anybody's.
  if (isElsewhere(outputs, account)) mustBeOurs(id, outputs, await context.keys().list(), account);
  if ((await context.keys().revoke(id)) === "absent") {
    mustBeGone(id, outputs, await context.keys().list(), account);
  }
}

/**
 * Throws where a key that a state holds may be live in another account than this one. Under the credential that last
 * saw the key it costs nothing.
 */
export async function mustBeSameAccount(id: string, outputs: Properties, context: Context): Promise<void> {
  if (isElsewhere(outputs, context.account())) await findKey(id, outputs, context);
}

/** Tries to revoke each of several keys that nobody holds; answers the ids that are still live. */
export async function revokeAll(ids: unknown, context: Context): Promise<readonly string[]> {
  const left: string[] = [];
  for (const id of textsOf(ids)) {
    try {
      await context.keys().revoke(id);
    } catch (error) {
      left.push(id);
      context.warn(
        `key ${id} could not be revoked and will be tried again: ${error instanceof Error ? error.message : ""}`,
      );
    }
  }
  return left;
}

/** Revokes several keys that nobody holds; throws where one is still live after that. */
export async function mustRevokeAll(ids: readonly string[], context: Context): Promise<void> {
  const left = await revokeAll(ids, context);
  if (left.length > 0) {
    throw new KeyplaneError("KP-REVOKE", `could not revoke key ${left.join(", ")}: run the command again`);
  }
}

/** A key as the account lists it; `undefined` once it is proven to be gone. */
export async function findKey(id: string, outputs: Properties, context: Context): Promise<ApiKeyRecord | undefined> {
  const account = context.account();
  // A refresh of a large stack takes minutes: all its reads share one list.
  let keys = await context.keys().list({ anyAge: true });
  let found = keyIn(keys, id);
  if (found === undefined && context.now() - Date.parse(String(outputs.createdAt)) < LISTED_WITHIN_MS) {
    keys = await context.keys().list({ fresh: true });
    found = keyIn(keys, id);
  }
  if (found === undefined) mustBeGone(id, outputs, keys, account);
  else if (isElsewhere(outputs, account)) mustBeOurs(id, outputs, keys, account);
  return found;
}

/** Whether a key was made by another stack than the one that now holds it: its state was copied, or renamed. */
export function isForeign(outputs: Properties): boolean {
  const { owner, mintedBy, name } = outputs;
  const maker = typeof mintedBy === "string" ? mintedBy : tagOf(String(name));
  return typeof owner === "string" && maker !== undefined && maker !== ownerTag(owner);
}

/**
 * The owner of a stack's keys as this run knows it: in the first run of a copied or renamed stack, another one than the
 * outputs of a key that is replaced in it still tell.
 */
export function ownerNow({ owner }: Properties, context: Context): unknown {
  return context.run.owner ?? owner;
}

/** Whether the credential is another one than that which last saw the key, and so perhaps that of another account. */
function isElsewhere({ credential }: Properties, account: Account): boolean {
  return typeof credential === "string" && credential !== account.credential;
}

/** Under another credential, a key of the same id is the same key only if it bears the same name. */
function mustBeOurs(id: string, { name }: Properties, keys: readonly ApiKeyRecord[], account: Account): void {
  const found = keyIn(keys, id);
  if (found !== undefined && typeof name === "string" && found.name !== name) throw wrongAccount(id, account);
}

/**
 * Absence from a list proves that a key is gone only in the account that made it. Under the credential that last saw
 * the key this is certain; under another one it takes a witness: some other key of the same owner in the list.
 */
function mustBeGone(id: string, outputs: Properties, keys: readonly ApiKeyRecord[], account: Account): void {
  if (!isElsewhere(outputs, account)) return;
  const tag = typeof outputs.owner === "string" ? ownerTag(outputs.owner) : undefined;
  if (tag !== undefined && keys.some((key) => tagOf(key.name) === tag)) return;
  throw wrongAccount(id, account);
}

function wrongAccount(id: string, account: Account): KeyplaneError {
  return new KeyplaneError(
    "KP-WRONG-ACCOUNT",
    `key ${id} is not in this account, and ${account.setting("baseUrl")} or ${account.setting("apiKey")} is not the ` +
      "one that last saw it, so it " +
      "may be live in another account. Set the credential of the account that holds it, or, if it is gone, remove it " +
      "with `pulumi state delete`",
  );
}

/** Throws where the key is the one that keyplane itself authenticates with. */
export function refuseOwnCredential(id: string, key: unknown, account: Account): void {
  const setting = typeof key === "string" ? account.settingOf(key) : undefined;
  if (setting === undefined) return;
  throw new KeyplaneError(
    "KP-OWN-CREDENTIAL",
    `key ${id} is the one that keyplane authenticates with (${setting}): revoking it would lock keyplane out. ` +
      `Set ${setting} to another key of the account first`,
  );
}
