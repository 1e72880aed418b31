import { isDeepStrictEqual } from "node:util";
import { isAborted, KeyplaneError, messageOf } from "../errors";
import { mustBeSameAccount } from "../keys/account-guard";
import { ownerIdIn, sameOwner } from "../keys/identity";
import { sdkFields, textsOf, withoutEmpty } from "../keys/key-fields";
import { ownerTag, tagOf } from "../keys/names";
import { formatKey, type Orphans, orphansIn, sweepOrphans } from "../keys/orphans";
import { type DoomedKey, revokeAll } from "../keys/revoke-key";
import { scopeFields } from "../keys/scope";
import { types } from "../schema/field-types";
import type { Context, Due, Properties, ResourceType } from "../schema/resource-type";

/**
 * Revokes keys whose successors everything in the stack has received, and keys that a crash or a lost answer left
 * behind. Runs once per run, after everything else in it has succeeded. No other resource revokes by tag, because
 * during a run a consumer may still have a key that no resource seems to hold.
 */
export const ledger: ResourceType = {
  name: "Ledger",

  fields: {
    ...sdkFields,
    ...scopeFields,
    owner: { type: types.text, required: true, change: "update" },
    /** Ids of all keys that the stack's resources hold. Only the creation of a key can leave one behind. */
    owned: { type: types.listOf(types.keyId), required: true, change: "update", onlyAdditions: true },
    /** Ids of those that must be revoked once everything in the stack has their successors. */
    pendingRevocations: { type: types.listOf(types.keyId), change: "update", onlyAdditions: true },
    /** Ids of those whose failed revocation fails the run. */
    compromised: { type: types.listOf(types.keyId), change: "ignore" },
    /** Names of keys that do not show who created them, by id. */
    untagged: { type: types.map, change: "ignore" },
    /** Names of lost requests whose keys never showed up. */
    lostNames: { type: types.listOf(types.text), change: "update" },
    /** Set if something that the program registered was not deployed. */
    incomplete: { type: types.flag, change: "ignore" },
  },

  outputs: [],

  due(outputs) {
    const due: Due[] = isUnswept(outputs) ? [{ field: "unswept", replace: false }] : [];
    if (outputs.unrevoked !== undefined) due.push({ field: "unrevoked", replace: false });
    return due;
  },

  create: async (inputs, context) => ({ id: "ledger", outputs: await endRun({}, inputs, context) }),

  // Only flags what it finds. A refresh changes nothing on the service; the next `up` sweeps.
  async read(_id, outputs, context) {
    await mustBeSameAccount(String(outputs.owner), context);
    const findings = await look(outputs, outputs, context, {});
    const { unused = [] } = findings?.orphans ?? {};
    return findings !== undefined && unused.length === 0 ? outputs : { ...outputs, unswept: true };
  },

  update: (_id, outputs, inputs, context) => endRun(outputs, inputs, context),

  // A destroy deletes the ledger early, while the state may contain keys that it has never seen, from a failed run. So
  // it only tells the owner, which is deleted last, what the stack held.
  async delete(_id, outputs, context) {
    await mustBeSameAccount(String(outputs.owner), context);
    for (const id of [...textsOf(outputs.delivered), ...textsOf(outputs.owned)]) context.run.held.add(id);
  },
};

/** Does what must wait until everything in the stack is up to date. Returns the outputs. */
async function endRun(before: Properties, inputs: Properties, context: Context): Promise<Properties> {
  await mustBeSameAccount(String(inputs.owner), context);
  const { incomplete, ...told } = inputs;
  const { added, left } = doomedIn(before, told);
  if (incomplete === true || leavesOut(told, context)) {
    // Something may still use a key that has a successor, or hold one that no resource seems to hold.
    return withoutEmpty({ ...unseen(before, told), unrevoked: [...left, ...added], unswept: true });
  }
  // The sweep runs first, because its list also shows the names of the keys to revoke.
  const news = needsSweep(before, told) ? await sweep(before, told, context) : unseen(before, told);
  const unrevoked = await revoke({ added, left }, told, context);
  return withoutEmpty({ ...news, unrevoked });
}

/** Throws if a compromised key could not be revoked, so that nobody believes that it is gone. */
function mustBeRevoked({ compromised }: Properties, failed: readonly string[]): void {
  const live = textsOf(compromised).filter((id) => failed.includes(id));
  if (live.length === 0) return;
  throw new KeyplaneError(
    "KP-REVOKE",
    `key ${live.join(", ")}, which revokeNow names, could not be revoked. Run \`pulumi up\` again, or revoke it in the console`,
  );
}

/** Whether `--target` or `--exclude` has left a key out of this run, and so perhaps its consumers. */
function leavesOut(inputs: Properties, { run, warn }: Context): boolean {
  const missing = textsOf(inputs.owned).filter((id) => !run.holders.has(id));
  if (missing.length > 0) {
    warn(
      `old keys are not revoked, because this run left out key ${missing.join(", ")}. The next \`pulumi up\` of the whole stack revokes them`,
    );
  }
  return missing.length > 0;
}

/** Ids of keys that nothing in the stack should use any more. */
interface Doomed {
  /** Keys that the stack's resources asked to revoke since the last run. */
  readonly added: readonly string[];
  /** Keys that the last run could not revoke. */
  readonly left: readonly string[];
}

function doomedIn(before: Properties, inputs: Properties): Doomed {
  // In a copied state, the original stack revokes them: its state contains them, too.
  if (before.owner !== undefined && !sameOwner(before.owner, inputs.owner)) return { added: [], left: [] };
  const told = new Set(textsOf(before.pendingRevocations));
  const added = textsOf(inputs.pendingRevocations).filter((id) => !told.has(id));
  return { added, left: textsOf(before.unrevoked) };
}

/** Revokes keys. Returns the ids that the next run must retry. Only a compromised key fails the run. */
async function revoke({ added, left }: Doomed, inputs: Properties, context: Context): Promise<readonly string[]> {
  // If the state is saved only at the end of the run, the successors may still be lost.
  const postponed = context.checkpointsSkipped ? added : [];
  if (postponed.length > 0) {
    context.warn(`key ${postponed.join(", ")} is revoked only by the next run, because PULUMI_SKIP_CHECKPOINTS is set`);
  }
  const ids = context.checkpointsSkipped ? left : [...left, ...added];
  if (ids.length > 0) context.progress(`revoking key ${ids.join(", ")}`);
  const names = (inputs.untagged ?? {}) as Readonly<Record<string, string>>;
  const doomed = ids.map((id): DoomedKey => ({ id, name: names[id] }));
  const failed = await revokeAll(doomed, String(inputs.owner), context);
  const revoked = ids.filter((id) => !failed.includes(id));
  if (revoked.length > 0)
    context.info(`revoked key ${revoked.join(", ")}, because everything in this stack has the new key`);
  mustBeRevoked(inputs, failed);
  return [...failed, ...postponed];
}

/** Whether a run has something to sweep: only the creation of a key can leave one behind. */
function needsSweep(before: Properties, inputs: Properties): boolean {
  const owned = new Set(textsOf(before.owned));
  return (
    isUnswept(before) ||
    !sameOwner(before.owner, inputs.owner) ||
    textsOf(inputs.owned).some((id) => !owned.has(id)) ||
    !isDeepStrictEqual(textsOf(before.lostNames), textsOf(inputs.lostNames))
  );
}

/** Version 0.1 stored the ids of orphans that it could not revoke. */
function isUnswept({ unswept, orphans }: Properties): boolean {
  return unswept !== undefined || orphans !== undefined;
}

/** The outputs of an update without a list. Keys that the stack held before count as live until a sweep. */
function unseen(before: Properties, inputs: Properties): Properties {
  return { ...inputs, delivered: [...new Set([...textsOf(before.delivered), ...textsOf(before.owned)])] };
}

/** Revokes the orphans. Never fails a run: records what could not be done, so that the next `up` retries it. */
async function sweep(before: Properties, inputs: Properties, context: Context): Promise<Properties> {
  // An owner that was created in this run has no earlier run that could have left a key behind.
  if (context.run.isNewOwner && textsOf(inputs.lostNames).length === 0) return unseen(before, inputs);
  const findings = await look(before, inputs, context, { fresh: true });
  if (findings === undefined) return { ...unseen(before, inputs), unswept: true };
  const left = await sweepOrphans(findings.orphans, context);
  return { ...inputs, delivered: findings.delivered, ...(left.length > 0 && { unswept: true }) };
}

interface Findings {
  readonly orphans: Orphans;
  /** Ids of live keys that the stack holds or once held. */
  readonly delivered: readonly string[];
}

async function look(
  before: Properties,
  inputs: Properties,
  context: Context,
  options: { readonly fresh?: boolean },
): Promise<Findings | undefined> {
  try {
    const keys = await context.keys().list(options);
    const ownerId = ownerIdIn(inputs.owner);
    const held = new Set([...textsOf(before.delivered), ...textsOf(before.owned), ...textsOf(inputs.owned)]);
    const lostNames = new Set(textsOf(inputs.lostNames));
    const others = keys.filter((key) => !held.has(key.id) && tagOf(key.name) !== ownerTag(ownerId));
    for (const key of others.filter(({ name }) => lostNames.has(name))) {
      context.warn(
        `key ${formatKey(key)} has the name of a key that this stack requested without getting an answer. It may belong to somebody ` +
          "else, so it is not revoked. If nobody uses it, revoke it in the console",
      );
    }
    const delivered = keys.filter((key) => held.has(key.id)).map((key) => key.id);
    return { orphans: orphansIn(keys, ownerId, held, context), delivered };
  } catch (error) {
    if (isAborted(error)) throw error;
    const why = messageOf(error);
    context.warn(`could not look for keys that interrupted runs left behind. The next run tries again: ${why}`);
    return undefined;
  }
}
