import type { ApiKeyRecord } from "../api/records";
import { isAborted } from "../errors";
import { types } from "./fields";
import { sdkFields, withoutEmpty } from "./key-fields";
import type { Context, Kind, Properties } from "./kind";
import { ownerTag, tagOf } from "./names";
import { type Orphans, orphansIn, sayKey, sweepOrphans } from "./orphans";
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
    const findings = await look(outputs, outputs, context, { anyAge: true });
    if (findings === undefined) return { ...outputs, unswept: true };
    return withoutEmpty({ ...outputs, orphans: findings.orphans.unused.map((key) => key.id) });
  },

  async update(_id, outputs, inputs, context) {
    await revokePending(inputs, context);
    return sweep(outputs, inputs, context);
  },

  // The first to go in a destroy, while the state may hold keys that it has never seen, those of a run that failed: so
  // it only tells the owner, the last to go, what the stack held.
  async delete(_id, outputs, context) {
    for (const id of [...listOf(outputs.delivered), ...listOf(outputs.owned)]) context.run.held.add(id);
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
  const { delivered, orphans } = findings;
  return withoutEmpty({ ...inputs, delivered, orphans: await sweepOrphans(orphans, context) });
}

interface Findings {
  readonly orphans: Orphans;
  /** Ids of live keys that the stack held at some time. */
  readonly delivered: readonly string[];
}

async function look(
  before: Properties,
  inputs: Properties,
  context: Context,
  options: { readonly fresh?: boolean; readonly anyAge?: boolean },
): Promise<Findings | undefined> {
  let keys: readonly ApiKeyRecord[];
  try {
    keys = await context.account().keys.list(options);
  } catch (error) {
    if (isAborted(error)) throw error;
    const why = error instanceof Error ? error.message : "unknown error";
    context.warn(`could not look for keys left behind by interrupted runs; the next run tries again: ${why}`);
    return undefined;
  }
  const owner = String(inputs.owner);
  const held = new Set([...listOf(before.delivered), ...listOf(before.owned), ...listOf(inputs.owned)]);
  const lostNames = new Set(listOf(inputs.lostNames));
  const others = keys.filter((key) => !held.has(key.id) && tagOf(key.name) !== ownerTag(owner));
  for (const key of others.filter(({ name }) => lostNames.has(name))) {
    context.warn(
      `key ${sayKey(key)} bears a name for which a request of this stack was lost. It may be somebody else's, so it is ` +
        "left alone: revoke it in the console if it is nobody's",
    );
  }
  return {
    orphans: orphansIn(keys, owner, held),
    delivered: keys.filter((key) => held.has(key.id)).map((key) => key.id),
  };
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
