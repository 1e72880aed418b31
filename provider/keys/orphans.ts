import type { ApiKeyRecord } from "../api/records";
import { isAborted, messageOf } from "../errors";
import type { Context, Properties } from "../schema/resource-type";
import { textsOf } from "./key-fields";
import { ownerTag, tagOf } from "./names";

/** Maximum time in which a service may still carry out an unanswered request, in milliseconds. */
const LATEST_COMMIT_MS = 3_600_000;

/** Live keys with an owner's tag that none of its resources holds. */
export interface Orphans {
  /** Never used: nobody has the secret. */
  readonly unused: readonly ApiKeyRecord[];
  /** Used: somebody has the secret. */
  readonly used: readonly ApiKeyRecord[];
  /** Listed under the name of a key that a resource holds under another id. */
  readonly misnamed: readonly ApiKeyRecord[];
}

/**
 * The keys in a list that an owner's interrupted runs left behind.
 * @param ownerId - The owner's id.
 * @param held - Ids that the stack holds or ever held. The engine decides whether to revoke those.
 */
export function orphansIn(
  keys: readonly ApiKeyRecord[],
  ownerId: string,
  held: ReadonlySet<string>,
  { run }: Pick<Context, "run">,
): Orphans {
  const tag = ownerTag(ownerId);
  const unexplained = keys.filter((key) => tagOf(key.name) === tag && !held.has(key.id));
  const orphans = unexplained.filter(({ name }) => !run.heldNames.has(name));
  return {
    unused: orphans.filter((key) => key.lastUsedAt === null),
    used: orphans.filter((key) => key.lastUsedAt !== null),
    misnamed: unexplained.filter(({ name }) => run.heldNames.has(name)),
  };
}

/** Revokes the orphans that were never used, and reports the others. Returns the ids that could not be revoked. */
export async function sweepOrphans({ unused, used, misnamed }: Orphans, context: Context): Promise<readonly string[]> {
  for (const key of used) {
    context.warn(
      `key ${formatKey(key)} has this stack's tag, but no resource has it, and it was used. keyplane leaves it alone. ` +
        "Find out who uses it. If nobody should, revoke it in the console",
    );
  }
  for (const key of misnamed) {
    context.warn(
      `the service lists key ${formatKey(key)}, but this stack recorded the key of that name under another id. ` +
        "Nothing was changed. Look up the right id in the console",
    );
  }
  if (!context.checkpointsSkipped) return (await Promise.all(unused.map((key) => sweep(key, context)))).flat();
  for (const key of unused) {
    context.warn(
      `key ${formatKey(key)} has this stack's tag, but no resource has it. It is not revoked, because ` +
        "PULUMI_SKIP_CHECKPOINTS leaves no proof that nobody holds it",
    );
  }
  return [];
}

async function sweep(key: ApiKeyRecord, context: Context): Promise<readonly string[]> {
  try {
    await context.keys().revoke(key.id);
    context.info(`revoked key ${formatKey(key)}, left behind by an interrupted run`);
    return [];
  } catch (error) {
    if (isAborted(error)) throw error;
    const why = messageOf(error);
    context.warn(`key ${formatKey(key)} was left behind by an interrupted run and could not be revoked: ${why}`);
    return [key.id];
  }
}

/** Reports the owner's live keys that were in the state but that a `destroy` did not revoke. */
export function reportKept(keys: readonly ApiKeyRecord[], ownerId: string, { run, info, warn }: Context): void {
  const tag = ownerTag(ownerId);
  for (const key of keys.filter(({ id, name }) => tagOf(name) === tag && (run.held.has(id) || run.kept.has(id)))) {
    const why = run.kept.get(key.id);
    if (why !== undefined) info(`key ${formatKey(key)} stays live: ${why}`);
    else {
      warn(
        `key ${formatKey(key)} stays live: Pulumi removed its resource without deleting it, because of retainOnDelete, ` +
          "deletedWith or `pulumi state delete`. If nobody needs it, revoke it in the console",
      );
    }
  }
}

/** Keeps the lost names of a deleted key for the owner, which is deleted last, while their requests may take effect. */
export function noteLostNames({ lostNames, createdAt }: Properties, context: Context): void {
  if (context.now() - Date.parse(String(createdAt)) > LATEST_COMMIT_MS) return;
  for (const name of textsOf(lostNames)) context.run.lostNames.add(name);
}

/** Warns of requests that may still take effect after the owner is gone, when nothing looks for their keys. */
export function warnOfLostNames(keys: readonly ApiKeyRecord[], ownerId: string, { run, warn }: Context): void {
  const missing = Array.from(run.lostNames).filter((name) => keys.every((key) => key.name !== name));
  if (missing.length === 0) return;
  warn(
    `the answer to the creation of ${missing.join(", ")} was lost, and no such key was found. If the service ` +
      "creates it later, this stack will not know of it. Check once more with " +
      `\`npx keyplane sweep --owner ${ownerTag(ownerId)}\``,
  );
}

/** Formats a key for messages. */
export function formatKey({ id, name, createdAt, lastUsedAt }: ApiKeyRecord): string {
  return `${id} (${name}, created ${createdAt}, ${lastUsedAt === null ? "never used" : `last used ${lastUsedAt}`})`;
}
