import type { ApiKeyRecord } from "../api/records";
import { isAborted } from "../errors";
import { types } from "./fields";
import { sdkFields, withoutEmpty } from "./key-fields";
import type { Context, Kind, Properties } from "./kind";
import { ownerTag, tagOf } from "./names";
import { revokeAll } from "./revoke-key";

/**
 * Finds keys that a crash or a lost answer has left behind, and revokes them: once per run, after everything else in
 * it has succeeded. No other resource revokes by tag, because while a run is under way a key that nothing seems to
 * hold can still be in a consumer's hands.
 */
export const ledger: Kind = {
  name: "Ledger",

  fields: {
    ...sdkFields,
    owner: { type: types.text, required: true, change: "update" },
    /** Ids of all keys that the stack's resources hold. Only the making of a key can leave one behind. */
    owned: { type: types.listOf(types.keyId), required: true, change: "update", onlyAdditions: true },
    /** Ids of those among them that must stop working once everything in the stack has their successors. */
    pendingRevocations: { type: types.listOf(types.keyId), change: "update", onlyAdditions: true },
    /** Names of lost requests whose keys never showed up. */
    lostNames: { type: types.listOf(types.text), change: "update" },
  },

  due(outputs) {
    const unfinished = outputs.orphans !== undefined || outputs.unswept !== undefined;
    return unfinished ? [{ field: "orphans", replace: false }] : [];
  },

  async create(inputs, context) {
    await revokePending(inputs, context);
    return { id: "ledger", outputs: await sweep({}, inputs, context) };
  },

  // Only flags what it finds: a refresh changes nothing on the service, the `up` that follows sweeps.
  async read(_id, outputs, context) {
    const findings = await look(outputs, outputs, context, {});
    if (findings === undefined) return { ...outputs, unswept: true };
    return withoutEmpty({ ...outputs, orphans: findings.orphans.map((key) => key.id) });
  },

  async update(_id, outputs, inputs, context) {
    await revokePending(inputs, context);
    return sweep(outputs, inputs, context);
  },

  // The first to go in a destroy, while all keys that the stack holds are still in `delivered`.
  async delete(_id, outputs, context) {
    await sweep(outputs, outputs, context);
  },
};

/** Revokes what the stack's resources want gone; what fails stays with them, and they try again in the next run. */
async function revokePending(inputs: Properties, context: Context): Promise<void> {
  // Where no state is saved before the end of the run, the successors may still get lost.
  if (context.checkpointsSkipped) return;
  const left = await revokeAll(inputs.pendingRevocations, context);
  const revoked = listOf(inputs.pendingRevocations).filter((id) => !left.includes(id));
  if (revoked.length > 0) context.info(`revoked key ${revoked.join(", ")}, which is replaced everywhere in this stack`);
}

/** Revokes the orphans; never fails a run: what could not be done is noted, so that the next `up` tries again. */
async function sweep(before: Properties, inputs: Properties, context: Context): Promise<Properties> {
  const findings = await look(before, inputs, context, { fresh: true });
  if (findings === undefined) return withoutEmpty({ ...inputs, delivered: before.delivered, unswept: true });
  const { orphans, used, delivered } = findings;
  for (const key of used) {
    context.warn(
      `key ${sayKey(key)} bears this stack's tag but is in none of its resources, and it was used: it is left alone. ` +
        "Find out who uses it, and revoke it in the console if nobody should",
    );
  }
  const left: string[] = [];
  for (const key of orphans) {
    if (context.checkpointsSkipped) {
      context.warn(
        `key ${sayKey(key)} bears this stack's tag but is in none of its resources. It is not revoked, because ` +
          "PULUMI_SKIP_CHECKPOINTS leaves no proof that nobody holds it",
      );
      continue;
    }
    try {
      await context.account().keys.revoke(key.id);
      context.info(`revoked key ${sayKey(key)}, left behind by an interrupted run`);
    } catch (error) {
      if (isAborted(error)) throw error;
      left.push(key.id);
      context.warn(
        `key ${sayKey(key)} was left behind by an interrupted run and could not be revoked: ${sayError(error)}`,
      );
    }
  }
  return withoutEmpty({ ...inputs, delivered, orphans: left });
}

interface Findings {
  /** Live keys with the owner's tag that no state holds and nobody ever used. */
  readonly orphans: readonly ApiKeyRecord[];
  /** The same, but used: somebody has the secret. */
  readonly used: readonly ApiKeyRecord[];
  /** Ids of live keys that the stack held at some time: to revoke them, or not, is the engine's business. */
  readonly delivered: readonly string[];
}

async function look(
  before: Properties,
  inputs: Properties,
  context: Context,
  options: { readonly fresh?: boolean },
): Promise<Findings | undefined> {
  let keys: readonly ApiKeyRecord[];
  try {
    keys = await context.account().keys.list(options);
  } catch (error) {
    if (isAborted(error)) throw error;
    context.warn(
      `could not look for keys left behind by interrupted runs; the next run tries again: ${sayError(error)}`,
    );
    return undefined;
  }
  const tag = ownerTag(String(inputs.owner));
  const held = new Set([...listOf(before.delivered), ...listOf(before.owned), ...listOf(inputs.owned)]);
  const lostNames = new Set(listOf(inputs.lostNames));
  const unexplained = keys.filter((key) => tagOf(key.name) === tag && !held.has(key.id));
  for (const key of keys.filter(
    (found) => lostNames.has(found.name) && !held.has(found.id) && tagOf(found.name) !== tag,
  )) {
    context.warn(
      `key ${sayKey(key)} bears a name for which a request of this stack was lost. It may be somebody else's, so it is ` +
        "left alone: revoke it in the console if it is nobody's",
    );
  }
  return {
    orphans: unexplained.filter((key) => key.lastUsedAt === null),
    used: unexplained.filter((key) => key.lastUsedAt !== null),
    delivered: keys.filter((key) => held.has(key.id)).map((key) => key.id),
  };
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function sayKey({ id, name, createdAt, lastUsedAt }: ApiKeyRecord): string {
  return `${id} (${name}, created ${createdAt}, ${lastUsedAt === null ? "never used" : `last used ${lastUsedAt}`})`;
}

function sayError(error: unknown): string {
  return error instanceof Error ? error.message : "unknown error";
}
