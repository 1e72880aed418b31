import { isAborted, KeyplaneError, messageOf } from "../errors";
import { settingOf } from "../settings/settings";
import type { Call } from "./call";
import { isYoung, mustBeGone, mustBeKey, type RecordedKey, secondLook, whenListed } from "./finding";
import { compareAccount, wrongAccount } from "./fingerprint";
import type { KeyList } from "./key-list";

/**
 * Revokes a key that a state contains. No list may show the id under another name: after a wrong answer, or in another
 * account, the id can belong to anybody. A key that is already gone counts as revoked.
 */
export async function revokeKey(held: RecordedKey, call: Call): Promise<void> {
  refuseOwnCredential(held, call);
  const { keys } = call.keyList;
  // Several resources can have the same previous key, if earlier runs could not delete what they replaced.
  if (keys.hasRevoked(held.id)) return;
  const found = (await keys.findInAny(held.id)) ?? (await secondLook(held.id, call.keyList));
  if (found !== undefined) mustBeKey(held, found, call.keyList);
  else {
    const where = compareAccount(held.fingerprint, call.keyList);
    if (where === "elsewhere") throw wrongAccount(held.id, call.keyList);
    // A list without the key proves nothing. With the recorded credential, the service is asked to revoke the id. With
    // another one, which can be that of another account, the key itself is tried.
    if (where === "unsure") return mustBeGone(held, call);
  }
  if ((await keys.revoke(held.id, { unlisted: found === undefined })) === "revoked") return;
  // A new key that is not known everywhere yet gets the same answers, and so does one of a credential that has lost
  // permissions.
  if (held.key === undefined && isYoung(held, call) && (await whenListed(held, call))) return revokeKey(held, call);
  if (held.key !== undefined || (await keys.list()).length === 0) await mustBeGone(held, call);
  keys.rememberGone(held.id);
}

/**
 * Tries to revoke keys that are no longer used, as many at once as the limits allow. Skips a key that a list shows
 * under another name. Returns the ids that are still live.
 */
export async function revokeAll(toRevoke: readonly RecordedKey[], call: Call): Promise<readonly string[]> {
  const live = await Promise.all(
    toRevoke.map(async (held) => {
      try {
        await revokeKey(held, call);
        return [];
      } catch (error) {
        // An aborted run only records the ids: it has left too much to do for a warning about each.
        if (!isAborted(error)) {
          call.log.warn(`could not revoke key ${held.id}; the next \`pulumi up\` tries again: ${messageOf(error)}`);
        }
        return [held.id];
      }
    }),
  );
  return live.flat();
}

/** What has become of a new key that nobody got, as the end of a sentence. */
export function endOf(isGone: boolean): string {
  return isGone ? "is revoked again" : "is still to be revoked";
}

/** Throws if keys are still live that had to be revoked. */
export function mustBeRevoked(live: readonly string[], origin = ""): void {
  if (live.length === 0) return;
  throw new KeyplaneError("KP-REVOKE", `could not revoke key ${live.join(", ")}${origin}. Run the command again`);
}

/** Throws if keyplane itself authenticates with the key, as its secret shows. */
export function refuseOwnCredential(held: Pick<RecordedKey, "id" | "key" | "digest">, { keyList }: Call): void {
  const setting = ownSettingOf(held, keyList);
  if (setting === undefined) return;
  throw new KeyplaneError(
    "KP-OWN-CREDENTIAL",
    `key ${held.id} is the one that keyplane authenticates with (${setting}). Revoking it would lock keyplane out. Set ` +
      `${setting} to another key of the account first`,
  );
}

/** Name of the setting that has the secret of a key; `undefined` if keyplane does not authenticate with it. */
export function ownSettingOf(held: Pick<RecordedKey, "key" | "digest">, { settings }: KeyList): string | undefined {
  return settingOf(settings, held);
}
