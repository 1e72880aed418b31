import type { ApiKeyRecord } from "../api/records";
import { KeyplaneError } from "../errors";
import { keyIn } from "../key-index";
import type { Context } from "../schema/resource-type";
import type { HeldName } from "../schema/witness";
import { shownName } from "../text";
import { mustBeSameAccount } from "./account-guard";
import { ownerIdIn } from "./identity";
import { formatKey, hasTagOf } from "./names";
import { revokeCommand } from "./scope";

/** Maximum time after its creation until a key is listed, in milliseconds. */
const LISTED_WITHIN_MS = 60_000;

export interface RecordedKey extends HeldName {
  readonly identity: string | undefined;
  /** ISO 8601 time by which it existed; absent if it is not recorded. */
  readonly createdAt?: string | undefined;
  /** The secret; absent if it is not recorded, or sealed. */
  readonly key?: string | undefined;
  readonly digest?: string | undefined;
}

/** A key to revoke, of the identity that all of them have. */
export type KeyToRevoke = Omit<RecordedKey, "identity">;

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

/** Finds a key that cannot be tried in another list. A list can lag behind a creation, so a young key gets a minute. */
async function laterLook(held: RecordedKey, context: Context): Promise<ApiKeyRecord | undefined> {
  const found = await secondLook(held.id, context);
  return found !== undefined || !isYoung(held, context) ? found : whenListed(held, context);
}

/** Finds a young key after the minute in which lists can lag behind its creation. */
export async function whenListed(held: RecordedKey, context: Context): Promise<ApiKeyRecord | undefined> {
  context.progress(`waiting until the service must list key ${held.id}, which is new`);
  await context.account().sleep(Math.min(LISTED_WITHIN_MS, LISTED_WITHIN_MS - ageOf(held, context)));
  return keyIn(await context.keys().list({ fresh: true }), held.id);
}

/**
 * Throws if a key that no list shows still works: an incomplete list must not remove a live key from a state. Names a key
 * that cannot be tried, because it is sealed or its secret is no longer recorded: no later run has to report it.
 */
export async function mustNotWork(held: KeyToRevoke, context: Context): Promise<void> {
  const { id, key } = held;
  if (key === undefined) {
    context.warn(
      `two lists lack key ${formatKey(held)}. The state does not have its secret, so keyplane cannot try it, and treats ` +
        `it as gone. If it still works, run \`${revokeCommand(id, context.scope)}\``,
    );
    return;
  }
  if (!(await context.keys().authenticates(key, { isNew: isYoung(held, context) }))) return;
  throw new KeyplaneError(
    "KP-ANSWER",
    `the service does not list key ${formatKey(held)}, but the key works. Nothing was changed. Run the command again. If ` +
      "the error persists, contact the service's support",
  );
}

/** Whether the service may not know a key everywhere yet. */
export function isYoung(held: KeyToRevoke, context: Context): boolean {
  return ageOf(held, context) < LISTED_WITHIN_MS;
}

/** The age of a key in milliseconds, by the service's clock. */
function ageOf({ createdAt }: KeyToRevoke, context: Context): number {
  return context.account().serviceNow() - Date.parse(createdAt ?? "");
}

/** Throws if a list shows the id of a key under another name than the state: then it is somebody else's key. */
export function mustBeKey(held: RecordedKey, found: ApiKeyRecord): void {
  const { name, identity } = held;
  // If no name is recorded, the listed one must have the owner's tag.
  const isOwn = identity !== undefined && hasTagOf(found.name, ownerIdIn(identity));
  if (name === undefined ? isOwn : found.name === name) return;
  const recorded = name === undefined ? "one of its own" : shownName(name);
  throw new KeyplaneError(
    "KP-ID-MISMATCH",
    `the service lists key ${held.id} as ${shownName(found.name)}, but this stack recorded it as ${recorded}. Nothing was changed. ` +
      "Find out in the service's console which of the two keys is this stack's. Then remove the resource with " +
      "`pulumi state delete`, and revoke the stack's key by hand",
  );
}
