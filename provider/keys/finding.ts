import type { ApiKeyRecord } from "../api/records";
import { KeyplaneError } from "../errors";
import { keyIn } from "../key-index";
import { shownName } from "../text";
import type { Call } from "./call";
import { compareAccount, wrongAccount } from "./fingerprint";
import type { KeyList } from "./key-list";
import { formatKey, suffixIn } from "./naming";
import { revokeCommand } from "./scope";

/** Maximum time after its creation until a key is listed, in milliseconds. */
const LISTED_WITHIN_MS = 60_000;

/** A key that a state records. */
export interface RecordedKey {
  readonly id: string;
  /** Its name; absent if it is not recorded. */
  readonly name?: string | undefined;
  /** The suffix that its name has, if the name itself is not recorded. */
  readonly suffix?: string | undefined;
  /** The fingerprint of the account that last showed it. */
  readonly fingerprint: string | undefined;
  /** ISO 8601 time by which it existed; absent if it is not recorded. */
  readonly createdAt?: string | undefined;
  /** The secret; absent if it is not recorded, or sealed. */
  readonly key?: string | undefined;
  readonly digest?: string | undefined;
  /** Whether its first use decides about another key, so that keyplane itself must not use it while lists may lag behind. */
  readonly isUseAwaited?: boolean;
}

/** Finds a key in a second list, requested once per run: one list could lack it by mistake, and so hide a wrong id. */
export async function secondLook(id: string, { keys, memory }: KeyList): Promise<ApiKeyRecord | undefined> {
  memory.second ??= keys.list({ fresh: true });
  const { second } = memory;
  try {
    return keyIn(await second, id);
  } catch (error) {
    // The next look asks again.
    if (memory.second === second) memory.second = undefined;
    throw error;
  }
}

/**
 * A key as the account lists it; `undefined` if it is proven to be gone.
 * @param options - `recent`: looks first in a recent list, which shows how the key was used.
 */
export async function findKey(
  held: RecordedKey,
  call: Call,
  { recent = false }: { readonly recent?: boolean } = {},
): Promise<ApiKeyRecord | undefined> {
  const { keyList } = call;
  let found = recent ? await keyList.keys.find(held.id, { recent }) : undefined;
  found ??= await keyList.keys.find(held.id);
  if (found === undefined && isYoung(held, call)) found = await keyList.keys.find(held.id, { fresh: true });
  // Without the secret nothing can be tried, so a second list must agree with the first.
  if (found === undefined && held.key === undefined) found = await laterLook(held, call);
  if (found !== undefined) mustBeKey(held, found, keyList);
  else if (held.isUseAwaited && isYoung(held, call) && compareAccount(held.fingerprint, keyList) === "same") {
    throw new KeyplaneError(
      "KP-ANSWER",
      `the service does not list key ${formatKey(held)}, which is new. Nothing was changed. Run the command again in a minute`,
    );
  } else await mustBeGone(held, call);
  return found;
}

/** Throws if the account has changed so that a key of the state cannot be found there: a successor would be elsewhere. */
export async function mustBeHere(held: RecordedKey, call: Call): Promise<void> {
  const { keyList } = call;
  if (compareAccount(held.fingerprint, keyList) === "same" || keyList.keys.hasRevoked(held.id)) return;
  // Any list will do, because the name of an id never changes.
  const found = await keyList.keys.findInAny(held.id);
  if (found === undefined) await findKey(held, call);
  else mustBeKey(held, found, keyList);
}

/** Finds a key that cannot be tried in another list. A list can lag behind a creation, so a young key gets a minute. */
async function laterLook(held: RecordedKey, call: Call): Promise<ApiKeyRecord | undefined> {
  const found = await secondLook(held.id, call.keyList);
  return found !== undefined || !isYoung(held, call) ? found : whenListed(held, call);
}

/** Finds a young key after the minute in which lists can lag behind its creation. */
export async function whenListed(held: RecordedKey, call: Call): Promise<ApiKeyRecord | undefined> {
  const { keyList, log } = call;
  log.progress(`waiting until the service must list key ${held.id}, which is new`);
  await keyList.account.sleep(Math.min(LISTED_WITHIN_MS, LISTED_WITHIN_MS - ageOf(held, call)));
  return keyList.keys.find(held.id, { fresh: true });
}

/**
 * Throws unless a key that lists lack is gone. The list must be that of the account that had the key, and its secret must
 * not work any more: a wrong list must not remove a live key from a state. Warns of a key that cannot be tried, because
 * it is sealed or its secret is not recorded.
 */
export async function mustBeGone(held: RecordedKey, call: Call): Promise<void> {
  const { keyList, log } = call;
  const { id, key } = held;
  const where = compareAccount(held.fingerprint, keyList);
  // No secret goes to another address than the one it is from.
  if (where === "elsewhere" || (where === "unsure" && key === undefined)) throw wrongAccount(id, keyList);
  if (key === undefined) {
    log.warn(
      `two lists lack key ${formatKey(held)}. The state does not have its secret, so keyplane cannot try it, and treats ` +
        `it as gone. If it still works, run \`${revokeCommand(id, keyList.scope)}\``,
    );
    return;
  }
  if (!(await keyList.keys.authenticates(key, { isNew: isYoung(held, call) }))) return;
  if (where === "unsure") throw wrongAccount(id, keyList);
  throw new KeyplaneError(
    "KP-ANSWER",
    `the service does not list key ${formatKey(held)}, but the key works. Nothing was changed. Run the command again. If ` +
      "the error persists, contact the service's support",
  );
}

/** Whether the service may not know a key everywhere yet. */
export function isYoung(held: RecordedKey, call: Call): boolean {
  return ageOf(held, call) < LISTED_WITHIN_MS;
}

/** The age of a key in milliseconds, by the service's clock. */
function ageOf({ createdAt }: RecordedKey, { keyList }: Call): number {
  return keyList.account.serviceNow() - Date.parse(createdAt ?? "");
}

/**
 * Throws if a list shows the id of a key under another name than the state: then it is somebody else's key. In an account
 * that is not proven to have the key, the id is one of that account.
 */
export function mustBeKey({ id, name, suffix, fingerprint }: RecordedKey, found: ApiKeyRecord, keyList: KeyList): void {
  if (found.name === name || (suffix !== undefined && suffixIn(found.name) === suffix)) return;
  if (compareAccount(fingerprint, keyList) !== "same") throw wrongAccount(id, keyList);
  const recorded = name === undefined ? "a key with a name of its own" : shownName(name);
  throw new KeyplaneError(
    "KP-ID-MISMATCH",
    `the service lists key ${id} as ${shownName(found.name)}, but this stack recorded it as ${recorded}. Nothing was changed. ` +
      "Find out in the service's console which of the two keys is this stack's. Then remove the resource and its " +
      "uses from the program, run `pulumi up` and then `pulumi state delete`, and revoke the stack's key by hand",
  );
}
