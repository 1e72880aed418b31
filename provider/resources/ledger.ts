import { isDeepStrictEqual } from "node:util";
import type { ApiKeyRecord } from "../api/records";
import { isAborted, messageOf } from "../errors";
import { types } from "./fields";
import { sdkFields, textsOf, withoutEmpty } from "./key-fields";
import type { Context, Due, Kind, Properties } from "./kind";
import { ownerTag, tagOf } from "./names";
import { type Orphans, orphansIn, sayKey, sweepOrphans } from "./orphans";
import { placeFields } from "./place";
import { revokeAll } from "./revoke-key";

/**
 * Revokes keys whose successors everything in the stack has by now, and those that a crash or a lost answer has left
 * behind: once per run, after everything else in it has succeeded. No other resource revokes by tag, because while a
 * run is under way a key that nothing seems to hold can still be in a consumer's hands.
 */
export const ledger: Kind = {
  name: "Ledger",

  fields: {
    ...sdkFields,
    ...placeFields,
    owner: { type: types.text, required: true, change: "update" },
    /** Ids of all keys that the stack's resources hold. Only the making of a key can leave one behind. */
    owned: { type: types.listOf(types.keyId), required: true, change: "update", onlyAdditions: true },
    /** Ids of those among them that must stop working once everything in the stack has their successors. */
    pendingRevocations: { type: types.listOf(types.keyId), change: "update", onlyAdditions: true },
    /** Names of lost requests whose keys never showed up. */
    lostNames: { type: types.listOf(types.text), change: "update" },
  },

  due(outputs) {
    const due: Due[] = isUnswept(outputs) ? [{ field: "orphans", replace: false }] : [];
    if (outputs.unrevoked !== undefined) due.push({ field: "unrevoked", replace: false });
    return due;
  },

  async create(inputs, context) {
    const unrevoked = await revoke(doomedIn({}, inputs), context);
    return { id: "ledger", outputs: withoutEmpty({ ...(await sweep({}, inputs, context)), unrevoked }) };
  },

  // Only flags what it finds: a refresh changes nothing on the service, the `up` that follows sweeps.
  async read(_id, outputs, context) {
    const findings = await look(outputs, outputs, context, { anyAge: true });
    if (findings === undefined) return { ...outputs, unswept: true };
    return withoutEmpty({ ...outputs, orphans: findings.orphans.unused.map((key) => key.id) });
  },

  async update(_id, outputs, inputs, context) {
    const doomed = doomedIn(outputs, inputs);
    const unrevoked = await revoke(doomed, context);
    const revokes = doomed.added.length + doomed.left.length > 0;
    const news =
      revokes && !needsSweep(outputs, inputs) ? unseen(outputs, inputs) : await sweep(outputs, inputs, context);
    return withoutEmpty({ ...news, unrevoked });
  },

  // The first to go in a destroy, while the state may hold keys that it has never seen, those of a run that failed: so
  // it only tells the owner, the last to go, what the stack held.
  async delete(_id, outputs, context) {
    for (const id of [...textsOf(outputs.delivered), ...textsOf(outputs.owned)]) context.run.held.add(id);
  },
};

/** Ids of keys that nothing in the stack is to use any more. */
interface Doomed {
  /** Those that the stack's resources want gone since the last run. */
  readonly added: readonly string[];
  /** Those that the last run could not revoke. */
  readonly left: readonly string[];
}

function doomedIn(before: Properties, inputs: Properties): Doomed {
  const told = textsOf(before.pendingRevocations);
  const added = textsOf(inputs.pendingRevocations).filter((id) => !told.includes(id));
  return { added, left: textsOf(before.unrevoked) };
}

/** Revokes keys; never fails a run: answers the ids of those that the next one is to try again. */
async function revoke({ added, left }: Doomed, context: Context): Promise<readonly string[]> {
  // Where no state is saved before the end of the run, the successors may still get lost.
  const postponed = context.checkpointsSkipped ? added : [];
  if (postponed.length > 0) {
    context.warn(`key ${postponed.join(", ")} is left to the next run, because of PULUMI_SKIP_CHECKPOINTS`);
  }
  const ids = context.checkpointsSkipped ? left : [...left, ...added];
  for (const id of ids) context.progress(`revoking key ${id}`);
  const failed = await revokeAll(ids, context);
  const revoked = ids.filter((id) => !failed.includes(id));
  if (revoked.length > 0) context.info(`revoked key ${revoked.join(", ")}, which is replaced everywhere in this stack`);
  return [...failed, ...postponed];
}

/** Whether an update that also revokes has something to sweep: only the making of a key can leave one behind. */
function needsSweep(before: Properties, inputs: Properties): boolean {
  const owned = textsOf(before.owned);
  return (
    isUnswept(before) ||
    before.owner !== inputs.owner ||
    textsOf(inputs.owned).some((id) => !owned.includes(id)) ||
    !isDeepStrictEqual(textsOf(before.lostNames), textsOf(inputs.lostNames))
  );
}

function isUnswept(outputs: Properties): boolean {
  return outputs.orphans !== undefined || outputs.unswept !== undefined;
}

/** The outputs of an update that did not list: what the stack held before counts as live until a sweep tells. */
function unseen(before: Properties, inputs: Properties): Properties {
  return { ...inputs, delivered: [...new Set([...textsOf(before.delivered), ...textsOf(before.owned)])] };
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
    keys = await context.keys().list(options);
  } catch (error) {
    if (isAborted(error)) throw error;
    const why = messageOf(error);
    context.warn(`could not look for keys left behind by interrupted runs; the next run tries again: ${why}`);
    return undefined;
  }
  const owner = String(inputs.owner);
  const held = new Set([...textsOf(before.delivered), ...textsOf(before.owned), ...textsOf(inputs.owned)]);
  const lostNames = new Set(textsOf(inputs.lostNames));
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
