import type { ApiKeyRecord } from "../api/records";
import { isAborted, messageOf } from "../errors";
import { textsOf } from "./key-fields";
import type { Context, Properties } from "./kind";
import { ownerTag, tagOf } from "./names";

/** After so long, no service still carries out a request that it has not answered. */
const LATEST_COMMIT_MS = 3_600_000;

/** Live keys with an owner's tag that none of its resources hold. */
export interface Orphans {
  /** Never used: nobody has the secret. */
  readonly unused: readonly ApiKeyRecord[];
  /** Used: somebody has the secret. */
  readonly used: readonly ApiKeyRecord[];
}

/**
 * The keys in a list that an owner's interrupted runs have left behind.
 * @param held - Ids that its stack holds or ever held: to revoke them, or not, is the engine's business.
 */
export function orphansIn(keys: readonly ApiKeyRecord[], owner: string, held: ReadonlySet<string>): Orphans {
  const tag = ownerTag(owner);
  const unexplained = keys.filter((key) => tagOf(key.name) === tag && !held.has(key.id));
  return {
    unused: unexplained.filter((key) => key.lastUsedAt === null),
    used: unexplained.filter((key) => key.lastUsedAt !== null),
  };
}

/** Revokes the orphans that nobody ever used, and reports the others; answers the ids that could not be revoked. */
export async function sweepOrphans({ unused, used }: Orphans, context: Context): Promise<readonly string[]> {
  for (const key of used) {
    context.warn(
      `key ${sayKey(key)} bears this stack's tag but is in none of its resources, and it was used: it is left alone. ` +
        "Find out who uses it, and revoke it in the console if nobody should",
    );
  }
  const left: string[] = [];
  for (const key of unused) {
    if (context.checkpointsSkipped) {
      context.warn(
        `key ${sayKey(key)} bears this stack's tag but is in none of its resources. It is not revoked, because ` +
          "PULUMI_SKIP_CHECKPOINTS leaves no proof that nobody holds it",
      );
      continue;
    }
    try {
      await context.keys().revoke(key.id);
      context.info(`revoked key ${sayKey(key)}, left behind by an interrupted run`);
    } catch (error) {
      if (isAborted(error)) throw error;
      left.push(key.id);
      const why = messageOf(error);
      context.warn(`key ${sayKey(key)} was left behind by an interrupted run and could not be revoked: ${why}`);
    }
  }
  return left;
}

/** Keeps the lost names of a key that is deleted for its owner, the last to go, while their requests may still count. */
export function noteLostNames({ lostNames, createdAt }: Properties, context: Context): void {
  if (context.now() - Date.parse(String(createdAt)) > LATEST_COMMIT_MS) return;
  for (const name of textsOf(lostNames)) context.run.lostNames.add(name);
}

/** Says which requests could still be carried out when nobody is left to look for their keys. */
export function warnOfLostNames(keys: readonly ApiKeyRecord[], owner: string, { run, warn }: Context): void {
  const missing = Array.from(run.lostNames).filter((name) => keys.every((key) => key.name !== name));
  if (missing.length === 0) return;
  warn(
    `the answer to the creation of ${missing.join(", ")} was lost, and no such key has turned up. Should the service ` +
      `still carry it out, nothing here knows of it any more: look once more with \`npx keyplane sweep --owner ${ownerTag(owner)}\``,
  );
}

/** A key as messages name it. */
export function sayKey({ id, name, createdAt, lastUsedAt }: ApiKeyRecord): string {
  return `${id} (${name}, created ${createdAt}, ${lastUsedAt === null ? "never used" : `last used ${lastUsedAt}`})`;
}
