import type { ApiKeyRecord, CreatedKey } from "../api/records";
import { isAnswerLost, isApiError, KeyplaneError } from "../errors";
import { keyIn } from "../key-index";
import type { Call } from "./call";
import type { Attempts } from "./creating";
import type { RecordedKey } from "./finding";
import { firstList, isSeen, stepOf } from "./leftovers";
import { findLostKey, inDoubt, withLost } from "./lost";
import { formatKey, formatListed, shownResource } from "./naming";
import { revokeKey } from "./revoking";
import { revokeCommand } from "./scope";

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
 * name in the meantime, so it proves nothing about the key. The name is recorded, so that later runs tell of the key.
 */
export async function createExact(
  exact: ExactName,
  projectId: string | undefined,
  attempts: Attempts,
  call: Call,
): Promise<CreatedKey> {
  const { name } = exact;
  if (name === exact.replaced?.name) attempts.isFreed = await freeName(exact.replaced, call);
  await clearName(exact, attempts, call);
  try {
    return await createWhenFree(name, projectId, call);
  } catch (error) {
    if (!isAnswerLost(error)) throw error;
    call.row.progress(`the answer to the creation of ${name} was lost; checking whether a key has the name`);
    attempts.lost = withLost(attempts.lost, name, call);
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
  if (call.place.keys.hasRevoked(old.id) || keyIn(await firstList(call), old.id) === undefined) return false;
  if ((await call.stack.state(stepOf(call)))?.isRetained(old) !== false) return false;
  call.row.progress(`revoking key ${formatKey(old)}, whose name its successor gets`);
  await revokeKey(old, call);
  return true;
}

/** Makes sure that an exact name is free. */
async function clearName(
  { name, onNameConflict = "fail" }: ExactName,
  { lost: { lostNames } }: Attempts,
  call: Call,
): Promise<void> {
  const { keys } = call.place;
  const listed = await firstList(call);
  // Whether a key was used must be known as of now, before it is revoked for that.
  const known = onNameConflict === "fail" ? listed : await keys.list({ fresh: true });
  const inTheWay = known.filter((key) => key.name === name && !keys.hasRevoked(key.id));
  const taken = (key: ApiKeyRecord, remedy: string) =>
    new KeyplaneError("KP-NAME-TAKEN", `the name ${name} is taken by key ${formatListed(key)}. ${remedy}`);
  for (const key of inTheWay) {
    const toRevoke = onNameConflict === "revokeUnused" && key.lastUsedAt === null;
    const kept = await whoKeeps(key, { toRevoke }, call);
    if (kept !== undefined) throw taken(key, kept);
    if (toRevoke) {
      call.row.info(`revoking key ${key.id}, which has the name ${name} and was never used`);
      await keys.revoke(key.id);
    } else if (lostNames.includes(name)) {
      throw new KeyplaneError(
        "KP-NAME-TAKEN",
        `the name ${name} is taken: ${inDoubt(key, call)}. Then run \`pulumi up\` again`,
      );
    } else {
      const ways =
        key.lastUsedAt === null ? ', revoke that key, or set onNameConflict to "revokeUnused"' : ", or revoke that key";
      throw taken(key, `Choose another name${ways}: \`${revokeCommand(key.id, call.place.scope)}\``);
    }
  }
}

/**
 * Which resource of this stack has a key that is in the way, and what to do: nobody is to revoke it. `undefined` if none has
 * it, or if nothing shows that and the key is not `toRevoke`.
 */
async function whoKeeps(
  key: ApiKeyRecord,
  { toRevoke }: { readonly toRevoke: boolean },
  call: Call,
): Promise<string | undefined> {
  const state = await call.stack.state(stepOf(call));
  const holder = state?.holderOf(key);
  if (holder !== undefined) return giveWay(holder, call);
  if (!toRevoke) return undefined;
  if (isSeen(call.place, key.id)) return "It belongs to a resource of this stack. Choose another name";
  const isUnknown = state === undefined || state.holds(key) === "unknown";
  return isUnknown
    ? "The state of the stack, which shows whether a resource has it, could not be read. Choose another name"
    : undefined;
}

/** What to do about a name that a key of this stack has: it is not to be revoked, because consumers use it. */
function giveWay(holder: string, { urn }: Call): string {
  if (holder === urn) {
    return (
      "It is the key of this resource, and stays until Pulumi deletes it. To replace it, change rotationTriggers, without " +
      "`--replace`, `replacementTrigger`, `pulumi state taint` or `retainOnDelete`"
    );
  }
  const shown = shownResource(holder);
  return (
    `It belongs to ${shown} in this stack. Choose another name. If this resource takes the place of ${shown}, add it as an ` +
    `alias instead, such as aliases: [{ name: ${shown} }]`
  );
}

/** Creates a key with a given name. If this run has revoked a key of the name, waits until the service frees the name. */
async function createWhenFree(name: string, projectId: string | undefined, { place, row }: Call): Promise<CreatedKey> {
  const { keys, account } = place;
  for (const pause of keys.hasRevokedName(name) ? FREE_PAUSES_MS : []) {
    try {
      return await keys.create(name, { projectId });
    } catch (error) {
      if (!isApiError(error) || error.kind !== "conflict") throw error;
      row.progress(`waiting until the service frees the name ${name}, whose key this run has revoked`);
      await account.sleep(pause);
    }
  }
  return keys.create(name, { projectId });
}
