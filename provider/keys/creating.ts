import type { CreatedKey } from "../api/records";
import { parseDuration } from "../duration";
import { asKeyplaneError, isAborted, isAnswerLost, isApiError, isOtherKey, KeyplaneError, messageOf } from "../errors";
import type { PendingWork } from "../pending-work";
import type { SealedTexts } from "../seal/recipients";
import type { Call } from "./call";
import { CleanupSoFar } from "./cleanup";
import { reportSkew } from "./clock";
import { createExact, type ExactName } from "./exact-name";
import type { KeyInputs } from "./fields";
import { firstList } from "./key-list";
import { type Cleanup, type HeldKey, heldFrom } from "./key-state";
import { findLostKey, withSuffix } from "./lost";
import { highestListed, nameInUrn, nameOf, prefixFrom } from "./naming";
import { finishPending, pendingAfter } from "./readiness";
import { endOf } from "./revoking";
import { type Sealer, sealerFor } from "./sealing";

/** Maximum number of names to request for one key. */
const MAX_ATTEMPTS = 3;

const AGAIN = "Run `pulumi up` again";

/** What a creation has made, and what it, and those before it, have left. */
export type Creation = { readonly cleanup: Cleanup; readonly pending: readonly PendingWork[] } & (
  | {
      readonly key: HeldKey;
      readonly createdAt: string;
      /** Why the key is not ready; as the beginning of a sentence, and with what the next run does. */
      readonly why?: string;
      readonly problem?: KeyplaneError;
    }
  | { readonly key: undefined; readonly problem: KeyplaneError }
);

export const noKey = (cleanup: Cleanup, error: unknown): Creation & { readonly key: undefined } => ({
  cleanup,
  key: undefined,
  pending: [],
  problem: asKeyplaneError(error),
});

/**
 * Creates exactly one key, and waits until it is ready. If the answer to a request is lost, the key that it created is found by
 * its name and revoked before the next request, because its secret is lost. Never loses an id or a name: what can be neither
 * delivered nor revoked is in `cleanup`. Throws only if there is nothing to record.
 * @param before - What earlier creations of the resource have left.
 * @param exact - A name that the program sets, in place of a generated one.
 */
export async function createKey(inputs: KeyInputs, before: Cleanup, call: Call, exact?: ExactName): Promise<Creation> {
  const cleanup = new CleanupSoFar(before);
  let made: Sealed;
  try {
    made = await requestAndSeal(inputs, cleanup, call, exact);
  } catch (error) {
    if (!cleanup.isNew) throw error;
    return noKey(cleanup.soFar, error);
  }
  const { created, sealedKey } = made;
  const { id, key, createdAt, operations } = created;
  reportSkew(call);
  const ready = await finishPending(pendingAfter(operations, inputs), { id, key, sealedKey }, inputs, call);
  const { soFar } = cleanup;
  const after = { ...soFar, lost: withSuffix(soFar.lost, call.suffix) };
  return { key: heldFrom(created, sealedKey), createdAt, cleanup: after, ...ready };
}

interface Sealed {
  readonly created: CreatedKey;
  /** The sealed secret, which is recorded instead of the secret; absent without recipients. */
  readonly sealedKey: SealedTexts | undefined;
}

async function requestAndSeal(
  inputs: KeyInputs,
  cleanup: CleanupSoFar,
  call: Call,
  exact?: ExactName,
): Promise<Sealed> {
  const { sealTo } = inputs;
  const sealer = sealTo === undefined ? undefined : await sealerFor(sealTo, call.keyList.account.now());
  const created = await (exact === undefined
    ? requestKey(inputs, cleanup, call)
    : createExact(exact, inputs, cleanup, call)
  ).catch((error: unknown) => revokeOther(error, cleanup, call));
  return { created, sealedKey: sealer && (await sealOrRevoke(created, sealer, cleanup, call)) };
}

async function requestKey(inputs: KeyInputs, cleanup: CleanupSoFar, call: Call): Promise<CreatedKey> {
  const { namePrefix: prefix = prefixFrom(nameInUrn(call.urn)) } = inputs;
  const maxAgeMs = parseDuration(inputs.maxAge);
  const { suffix } = call;
  const { keys, account } = call.keyList;
  // The first request of a process: it proves the credential, and shows the service's clock.
  const listed = highestListed(await firstList(call), suffix);
  for (let attempt = 1; ; attempt++) {
    // A deadline is a time of the service.
    const name = nameOf(prefix, suffix, cleanup.nextAttempt(listed), maxAgeMs && account.serviceNow() + maxAgeMs);
    try {
      return await keys.create(name, inputs);
    } catch (error) {
      // A name with this suffix that is taken is that of a lost request, too: one of an interrupted run.
      if (!isAnswerLost(error) && !(isApiError(error) && error.kind === "conflict")) throw error;
      await revokeLost(name, error, cleanup, call);
      if (attempt < MAX_ATTEMPTS) continue;
      const reason = `${error.message}. No key was created; the last name tried was ${name}. ${AGAIN}`;
      throw new KeyplaneError("KP-UNSETTLED", reason, error);
    }
  }
}

/** Revokes the key of a request whose answer was lost, in this run or in an interrupted one, or records its name. */
async function revokeLost(name: string, lost: KeyplaneError, cleanup: CleanupSoFar, call: Call): Promise<void> {
  call.log.progress(`an answer to the creation of ${name} was lost; checking whether the key exists`);
  // Recorded first: if the list cannot be read, the next run looks for the name.
  const takeBack = cleanup.recordLost(name, call.keyList.account.serviceNow());
  const found = await findLostKey(name, lost, call);
  if (found === undefined) return;
  // Somebody used a key whose secret nobody has: the search for its name reports it.
  if (found.lastUsedAt !== null) return;
  takeBack();
  // A resource of this run has it. Its state is a copy of this one's.
  if (call.keyList.memory.has(found)) return;
  await revokeUndelivered(found.id, "which a request created whose answer was lost,", cleanup, call);
}

/** Revokes a key that the service has created with another project scope than requested. Throws every error on. */
async function revokeOther(error: unknown, cleanup: CleanupSoFar, call: Call): Promise<never> {
  if (!isOtherKey(error)) throw error;
  const isGone = await revokeUndelivered(error.keyId, "whose project scope is not the requested one,", cleanup, call);
  const remedy =
    "Check projectId, and whether the service supports keys that are limited to a project. If a key with this project scope will " +
    "do, set or remove projectId accordingly";
  throw new KeyplaneError(
    error.code,
    `${error.message}. Nobody got the key, and it ${endOf(isGone)}. ${remedy}`,
    error,
  );
}

/** Seals a new key. Revokes it if that fails, because it must not be recorded in readable form. */
async function sealOrRevoke({ id, key }: CreatedKey, sealer: Sealer, cleanup: CleanupSoFar, call: Call) {
  try {
    return await sealer(key);
  } catch (error) {
    const isGone = await revokeUndelivered(id, "which could not be sealed,", cleanup, call);
    throw new KeyplaneError("KP-SEAL", `key ${id} could not be sealed, so it ${endOf(isGone)}: ${messageOf(error)}`);
  }
}

/** Revokes a key that cannot be delivered, or records it. Returns whether it is gone. */
async function revokeUndelivered(
  id: string,
  what: string,
  cleanup: CleanupSoFar,
  { keyList, log }: Call,
): Promise<boolean> {
  try {
    // The service does not know a new key everywhere at once. So one that it does not find may be live.
    if ((await keyList.keys.revoke(id)) === "revoked") return true;
    cleanup.recordLive(id);
    return false;
  } catch (error) {
    cleanup.recordLive(id);
    if (isAborted(error)) throw error;
    log.warn(`key ${id}, ${what} could not be revoked: ${messageOf(error)}`);
    return false;
  }
}
