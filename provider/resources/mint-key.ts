import type { Account } from "../api/account";
import type { ApiKeyRecord, CreatedKey } from "../api/records";
import { isAnswerLost, isApiError, KeyplaneError } from "../errors";
import { type Context, NotReady, type Properties } from "./kind";
import { autoName } from "./names";

/** At most so many names are tried for one key; each carries one request. */
const MAX_NAMES = 3;

/** When the lost request's key is looked for, in milliseconds after its answer was given up. */
const SETTLE_STEPS_MS = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];

/** A key that was made, and what its making has left to be looked after. */
export interface MintedKey {
  readonly created: CreatedKey;
  /** Names of requests whose answer was lost and whose key never showed up. */
  readonly lostNames: readonly string[];
  /** Ids of keys that nobody holds and that could not be revoked yet. */
  readonly pendingRevocations: readonly string[];
}

/** What a key is to be called. */
export type Naming =
  | { readonly prefix: string; readonly owner: string }
  | { readonly exactName: string; readonly onConflict: "fail" | "revokeUnused" };

/**
 * Makes exactly one key. A request whose answer is lost is settled before another goes out: what it made is found by
 * its name and revoked, because its secret is lost. Never throws away an id: a key that can be neither delivered nor
 * revoked comes back as `pendingRevocations`, or, when all attempts are used up, as `NotReady` with that id.
 */
export async function mintKey(naming: Naming, context: Context): Promise<MintedKey> {
  const account = context.account();
  const lostNames: string[] = [];
  const pendingRevocations: string[] = [];
  const strangers = "exactName" in naming ? await clearName(account, naming, context) : new Set<string>();

  for (let attempt = 1; ; attempt++) {
    const name = "exactName" in naming ? naming.exactName : autoName(naming.prefix, naming.owner);
    try {
      return { created: await account.keys.create(name), lostNames, pendingRevocations };
    } catch (error) {
      if (!mayBeOurs(error, "exactName" in naming && lostNames.length === 0)) throw error;
      context.progress(`the answer to the creation of ${name} was lost; looking whether it was made`);
      const settled = await settle(account, name, strangers, error, context);
      if (settled.kept !== undefined) pendingRevocations.push(settled.kept);
      if (!settled.found) lostNames.push(name);
      // A name that is still taken cannot be asked for again.
      const exhausted = attempt >= MAX_NAMES || (settled.kept !== undefined && "exactName" in naming);
      if (exhausted) throw giveUp(name, lostNames, pendingRevocations, error);
    }
  }
}

/**
 * Whether a live key may stem from this creation: its answer was lost, or its name is taken. An exact name can have
 * been taken by somebody else since it was looked at, so there it takes a lost request of our own to explain it.
 */
function mayBeOurs(error: unknown, takenByOthers: boolean): error is KeyplaneError {
  return isAnswerLost(error) || (isApiError(error) && error.kind === "conflict" && !takenByOthers);
}

/**
 * Looks for the key of a lost request until the request can no longer be under way, and revokes it.
 * `kept` is the id of a key that was found and could not be revoked.
 */
async function settle(
  account: Account,
  name: string,
  strangers: ReadonlySet<string>,
  lost: KeyplaneError,
  context: Context,
): Promise<{ readonly found: boolean; readonly kept?: string }> {
  const knownId = isAnswerLost(lost) ? lost.id : undefined;
  let waited = 0;
  for (const step of SETTLE_STEPS_MS) {
    await account.sleep(step - waited);
    waited = step;
    const orphan = knownId ?? (await findOrphan(account, name, strangers, lost));
    if (orphan !== undefined) {
      try {
        await account.keys.revoke(orphan);
        return { found: true };
      } catch (error) {
        context.warn(`key ${orphan}, made by a request whose answer was lost, is still live: ${messageOf(error)}`);
        return { found: true, kept: orphan };
      }
    }
    // A refusal is a complete answer: nothing of that request can turn up later.
    if (!isAnswerLost(lost)) throw lost;
    if (waited >= context.settings().requestTimeoutMs) break;
  }
  return { found: false };
}

/** A key under the very name of a lost request that nobody else can hold: it was not there before and never used. */
async function findOrphan(
  account: Account,
  name: string,
  strangers: ReadonlySet<string>,
  lost: KeyplaneError,
): Promise<string | undefined> {
  let keys: readonly ApiKeyRecord[];
  try {
    keys = await account.keys.list({ fresh: true });
  } catch (error) {
    // Without the list, a repeat could make a second key: stop here and name what to look for.
    throw new KeyplaneError(
      "answer_lost",
      "KP-UNSETTLED",
      `${lost.message}. Whether the key ${name} was made could not be found out (${messageOf(error)}). ` +
        "Nothing else was sent; run `pulumi up` again, which looks for it",
      { route: lost.route, requestId: lost.requestId },
    );
  }
  return keys.find((key) => key.name === name && key.lastUsedAt === null && !strangers.has(key.id))?.id;
}

/** Makes sure that an exact name is free; answers the ids that bear it and are not ours to touch. */
async function clearName(
  account: Account,
  naming: { readonly exactName: string; readonly onConflict: "fail" | "revokeUnused" },
  context: Context,
): Promise<ReadonlySet<string>> {
  const keys = await account.keys.list({ fresh: true });
  const inTheWay = keys.filter((key) => key.name === naming.exactName);
  if (naming.onConflict === "revokeUnused") {
    for (const key of inTheWay.filter((found) => found.lastUsedAt === null)) {
      context.info(`revoking key ${key.id}, which bears the name ${naming.exactName} and was never used`);
      await account.keys.revoke(key.id);
    }
  }
  const [taken] = inTheWay.filter((key) => naming.onConflict === "fail" || key.lastUsedAt !== null);
  if (taken !== undefined) {
    const use = taken.lastUsedAt === null ? "never used" : `last used ${taken.lastUsedAt}`;
    const way =
      naming.onConflict === "fail" && taken.lastUsedAt === null ? ', or set onNameConflict to "revokeUnused"' : "";
    throw new KeyplaneError(
      "conflict",
      "KP-NAME-TAKEN",
      `the name ${naming.exactName} is taken by key ${taken.id} (created ${taken.createdAt}, ${use}). ` +
        `Choose another name, revoke that key${way}. To replace a key of this stack that bears the name, change ` +
        "rotationTriggers, or set the resource option deleteBeforeReplace",
    );
  }
  return new Set(inTheWay.map((key) => key.id));
}

function giveUp(
  name: string,
  lostNames: readonly string[],
  pendingRevocations: readonly string[],
  last: KeyplaneError,
): Error {
  const [orphan] = pendingRevocations;
  const reason = `${last.message}. No key could be delivered; the last name tried was ${name}. Run \`pulumi up\` again`;
  if (orphan === undefined) return new KeyplaneError("answer_lost", "KP-UNSETTLED", reason, last);
  // Recorded under the orphan's id and due for replacement, so that the next run revokes it and makes a new one.
  const outputs: Properties = { pending: [{ action: "create", status: "failed" }], lostNames, pendingRevocations };
  return new NotReady(orphan, outputs, reason);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
