import type { ApiKeyRecord } from "../api/records";
import { isAnswerLost, KeyplaneError, messageOf } from "../errors";
import type { Call } from "./call";
import type { RecordedKey } from "./finding";
import { type LostRequests, NOTHING_LOST } from "./key-state";
import { formatListed, suffixIn } from "./naming";
import { revokeAll } from "./revoking";
import { revokeCommand } from "./scope";

/** When to look for the key of a lost request, in milliseconds after its answer was lost. */
const LOOK_STEPS_MS = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];

/** Maximum time in which a service may still carry out an unanswered request, in milliseconds. */
const LATEST_COMMIT_MS = 3_600_000;

/**
 * Looks for a key with the name of a lost request, until the request can hardly take effect any more. `undefined` if
 * there is none. Throws `KP-UNSETTLED` if the list cannot be read.
 */
export async function findLostKey(name: string, lost: KeyplaneError, call: Call): Promise<ApiKeyRecord | undefined> {
  const { account, keys, settings } = call.keyList;
  let waited = 0;
  // A refusal is a complete answer: that request cannot create a key later.
  for (const step of isAnswerLost(lost) ? LOOK_STEPS_MS : [0]) {
    let listed: readonly ApiKeyRecord[];
    try {
      await account.sleep(step - waited);
      listed = await keys.list({ fresh: true });
    } catch (error) {
      // Without the list, a retry could create a second key: stop, and name the key to look for.
      throw new KeyplaneError(
        "KP-UNSETTLED",
        `${lost.message}. keyplane could not find out whether the key ${name} was created (${messageOf(error)}). ` +
          "Nothing else was sent. Run `pulumi up` again to look for the key",
        { route: lost.route, requestId: lost.requestId },
      );
    }
    waited = step;
    const found = listed.find((key) => key.name === name);
    if (found !== undefined || waited >= settings.requestTimeoutMs) return found;
  }
  return undefined;
}

/** Those of the lost requests whose keys have the resource's suffix. Under an exact name, the resource has a key itself by now. */
export function withSuffix({ lostNames, lostAt }: LostRequests, suffix: string): LostRequests {
  const own = lostNames.filter((name) => suffixIn(name) === suffix);
  return own.length === 0 ? NOTHING_LOST : { lostNames: own, lostAt };
}

/** What is known about a key that has the exact name of a lost request, and what to do. */
export function inDoubt(key: ApiKeyRecord, { keyList }: Call): string {
  return (
    `key ${formatListed(key)} has the name of a request whose answer was lost. It can be the key of that request, whose secret ` +
    `nobody has, or somebody else's. It stays live. If nobody needs it, run \`${revokeCommand(key.id, keyList.scope)}\``
  );
}

/** Reports which keys have the exact name of a lost request. */
export function reportInDoubt({ lostNames }: LostRequests, keys: readonly ApiKeyRecord[], call: Call): void {
  for (const key of keys) {
    if (lostNames.includes(key.name) && suffixIn(key.name) !== call.suffix) call.log.warn(inDoubt(key, call));
  }
}

/**
 * Looks once for the keys of earlier lost requests, and revokes those with the resource's suffix that showed up: their secrets
 * are lost. A key that was used is somebody's for all that is known, and is reported. Returns what is still to look for:
 * nothing once no request can take effect any more.
 */
export async function revokeLostKeys(
  lost: LostRequests,
  fingerprint: RecordedKey["fingerprint"],
  call: Call,
): Promise<LostRequests> {
  const { lostNames: names, lostAt } = lost;
  if (names.length === 0) return lost;
  const { keyList, log } = call;
  const found = (await keyList.keys.list({ fresh: true })).filter(({ name }) => names.includes(name));
  const own = found.filter(({ name }) => suffixIn(name) === call.suffix);
  const unused = own.filter(({ lastUsedAt }) => lastUsedAt === null);
  const isLast = call.verb === "delete";
  // In an update, the creation that follows fails because of such a key, and says so.
  if (isLast) reportInDoubt(lost, found, call);
  // Without their age: a list has them, so that nothing waits until one must.
  const live = await revokeAll(
    unused.map(({ id, name }) => ({ id, name, fingerprint })),
    call,
  );
  for (const key of own) {
    if (key.lastUsedAt !== null) {
      log.warn(
        `key ${formatListed(key)} was created by a request whose answer was lost, and somebody used it. It stays live. If nobody ` +
          `needs it, run \`${revokeCommand(key.id, keyList.scope)}\``,
      );
    } else if (!live.includes(key.id)) {
      log.info(`revoked key ${formatListed(key)}, which the service created after its answer was lost`);
    }
  }
  const isOver = !(keyList.account.serviceNow() - Date.parse(lostAt ?? "") <= LATEST_COMMIT_MS);
  const open = names.filter((name) => {
    const key = found.find((each) => each.name === name);
    if (key === undefined) return !isOver;
    return own.includes(key) ? live.includes(key.id) : !isLast;
  });
  return open.length === 0 ? NOTHING_LOST : { lostNames: open, lostAt };
}

/** Looks for the last time: the resource is deleted, and its state with it. */
export async function revokeLostKeysForGood(
  lost: LostRequests,
  fingerprint: RecordedKey["fingerprint"],
  call: Call,
): Promise<void> {
  const { lostNames } = await revokeLostKeys(lost, fingerprint, call);
  if (lostNames.length === 0) return;
  call.log.warn(
    `the answer to the creation of ${lostNames.join(", ")} was lost, and no such key was found. If the service creates it ` +
      "later, nothing knows of it. In an hour, look for it with `npx keyplane keys`",
  );
}
