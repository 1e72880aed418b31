import type { ApiKeyRecord, CreatedKey } from "../api/records";
import { isAnswerLost, isApiError, KeyplaneError } from "../errors";
import { keyIn } from "../key-index";
import type { Holder } from "../stack/stack-facts";
import type { Call } from "./call";
import type { CleanupSoFar } from "./cleanup";
import type { KeyInputs } from "./fields";
import type { RecordedKey } from "./finding";
import { firstList } from "./key-list";
import { findLostKey, inDoubt } from "./lost";
import { formatKey, formatListed, shownResource } from "./naming";
import { revokeKey } from "./revoking";
import { revokeCommand } from "./scope";
import { usedNow } from "./uses";

/** Pauses between requests for a name whose key was revoked, in milliseconds. */
const FREE_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** A name that the program sets, and what happens to an unused key that has the name. */
export interface ExactName {
  readonly name: string;
  readonly onNameConflict?: "fail" | "revokeUnused" | undefined;
  /** The key that the new one replaces, if its resource is deleted next. */
  readonly replaced?: RecordedKey | undefined;
}

/**
 * Creates a key with a given name. A key that has the name after a lost request stays: somebody else may have taken the
 * name in the meantime, so it proves nothing about the key. The name is recorded, so that later runs report the key.
 */
export async function createExact(
  exact: ExactName,
  inputs: KeyInputs,
  cleanup: CleanupSoFar,
  call: Call,
): Promise<CreatedKey> {
  const { name } = exact;
  if (name === exact.replaced?.name && (await freeName(exact.replaced, call))) cleanup.recordFreed();
  await clearName(exact, cleanup, call);
  try {
    return await createWhenFree(name, inputs, call);
  } catch (error) {
    if (!isAnswerLost(error)) throw error;
    call.log.progress(`the answer to the creation of ${name} was lost; checking whether a key has the name`);
    cleanup.recordLost(name, call.keyList.account.serviceNow());
    const found = await findLostKey(name, error, call);
    const next = found === undefined ? `no key has the name ${name} so far. Run` : `${inDoubt(found, call)}. Then run`;
    throw new KeyplaneError("KP-UNSETTLED", `${error.message}; ${next} \`pulumi up\` again`, error);
  }
}

/**
 * Revokes a key whose successor gets the same exact name: live names are unique. Pulumi could delete its resource first,
 * but an engine with `--continue-on-error` would wait for ever for a deletion that failed. Returns whether it did; not if
 * the state does not show that Pulumi deletes the key.
 */
async function freeName(old: RecordedKey, call: Call): Promise<boolean> {
  if (call.keyList.keys.hasRevoked(old.id) || keyIn(await firstList(call), old.id) === undefined) return false;
  const state = await call.stack.state(call);
  if ("unread" in state || state.isRetained(old) !== false) return false;
  call.log.progress(`revoking key ${formatKey(old)}, whose name its successor gets`);
  await revokeKey(old, call);
  return true;
}

/** Makes sure that an exact name is free. */
async function clearName(
  { name, onNameConflict = "fail" }: ExactName,
  cleanup: CleanupSoFar,
  call: Call,
): Promise<void> {
  const { keys } = call.keyList;
  const { lostNames } = cleanup.soFar.lost;
  const listed = await firstList(call);
  // Whether a key was used must be known as of now, before it is revoked for that.
  const known = onNameConflict === "fail" ? listed : await keys.list({ fresh: true });
  const inTheWay = known.filter((key) => key.name === name && !keys.hasRevoked(key.id));
  const taken = (key: ApiKeyRecord, remedy: string) =>
    new KeyplaneError("KP-NAME-TAKEN", `the name ${name} is taken by key ${formatListed(key)}. ${remedy}`);
  for (const key of inTheWay) {
    const isAsked = onNameConflict === "revokeUnused" && key.lastUsedAt === null;
    const toRevoke = isAsked && (await showsUsesNow(known, call));
    const state = await call.stack.state(call);
    const holder = "unread" in state ? undefined : state.holderOf(key);
    if (holder !== undefined) throw taken(key, giveWay(holder, call));
    if (!toRevoke && lostNames.includes(name)) {
      throw new KeyplaneError(
        "KP-NAME-TAKEN",
        `the name ${name} is taken: ${inDoubt(key, call)}. Then run \`pulumi up\` again`,
      );
    }
    // Without a proof that nobody in the stack has it, nobody is told to revoke it either.
    if (call.keyList.memory.has(key)) throw taken(key, "It belongs to a resource of this stack. Choose another name");
    if ("unread" in state || state.holds(key) === "unknown") {
      const why = "unread" in state ? `: ${state.unread}` : "";
      throw taken(
        key,
        `The state of the stack, which shows whether a resource has it, could not be read${why}. Choose another name`,
      );
    }
    if (!toRevoke) {
      const late = isAsked ? "The service shows uses late, so somebody may use it. " : "";
      const ways =
        key.lastUsedAt === null && !isAsked
          ? ', revoke that key, or set onNameConflict to "revokeUnused"'
          : ", or revoke that key";
      throw taken(key, `${late}Choose another name${ways}: \`${revokeCommand(key.id, call.keyList.scope)}\``);
    }
    call.log.info(`revoking key ${key.id}, which has the name ${name} and was never used`);
    await keys.revoke(key.id);
  }
}

/**
 * Whether the service shows uses at once, so that a key without one is unused. An organization's list does not show who
 * requests it.
 */
async function showsUsesNow(listed: readonly ApiKeyRecord[], { keyList }: Call): Promise<boolean> {
  const { account, keys } = keyList;
  const own = keys === account.keys ? listed : await account.keys.list({ fresh: true });
  return usedNow(own, account).length > 0;
}

/** What to do about a name that a key of this stack has: it is not to be revoked, because consumers use it. */
function giveWay({ urn, replaced }: Holder, call: Call): string {
  const shown = shownResource(urn);
  if (replaced) {
    return (
      `It is the former key of ${shown}, which Pulumi deletes at the end of a run. Choose another name, or run \`pulumi up\` ` +
      "once without this one"
    );
  }
  if (urn === call.urn) {
    return (
      "It is the key of this resource. It is revoked first only if a changed input replaces it, without retainOnDelete and " +
      "revokeOnDelete: false. Undo the change (`pulumi state untaint`, if it was tainted), run `pulumi up` without these " +
      "options, and then change a value of rotationTriggers"
    );
  }
  const belongs = `It belongs to ${shown} in this stack. Choose another name`;
  // An ApiKey cannot continue it.
  if (urn.includes(":RotatingApiKey::")) return belongs;
  return `${belongs}. If this resource replaces ${shown}, add its URN as an alias instead: aliases: ["${urn}"]`;
}

/** Creates a key with a given name. If this run has revoked a key of the name, waits until the service frees the name. */
async function createWhenFree(name: string, inputs: KeyInputs, { keyList, log }: Call): Promise<CreatedKey> {
  const { keys, account } = keyList;
  for (const pause of keys.hasRevokedName(name) ? FREE_PAUSES_MS : []) {
    try {
      return await keys.create(name, inputs);
    } catch (error) {
      if (!isApiError(error) || error.kind !== "conflict") throw error;
      log.progress(`waiting until the service frees the name ${name}, whose key this run has revoked`);
      await account.sleep(pause);
    }
  }
  return keys.create(name, inputs);
}
