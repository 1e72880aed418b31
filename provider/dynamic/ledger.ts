import type { ApiKeyRecord } from "../api/records";
import { isoOf } from "../duration";
import { isAborted, KeyplaneError, messageOf } from "../errors";
import { mustBeSameAccount } from "../keys/account-guard";
import { laterNow } from "../keys/clock-skew";
import { endOfOverlap } from "../keys/fate";
import { mustNotWork } from "../keys/find-key";
import { ownerIdIn, sameOwner } from "../keys/identity";
import { sdkFields } from "../keys/key-fields";
import { formatListed, hasTagOf, readRecord } from "../keys/names";
import { revokeAll } from "../keys/revoke-key";
import { scopeFields } from "../keys/scope";
import { judgeUnknown, reportUnknown, settleUnknown } from "../keys/unknown-keys";
import { type Members, membersOf, textOf, textsOf, withoutEmpty } from "../members";
import { judgePrevious, knowsServiceClock, listedKey } from "../resources/rotation/retire-key";
import { type PlannedRotation, periodsOf } from "../resources/rotation/rotation-fields";
import { atBorder } from "../schema/at-border";
import { type FieldRule, type FieldType, type InputsOf, types } from "../schema/field-types";
import type { Context, DeliveryRecord, Due, LedgerRecord } from "../schema/resource-type";
import { RECORDED_RUNS } from "./owner";

/** What a rotating key says of a previous key: its successor, its periods, and whether the key is retired. */
interface Previous {
  readonly successor: string;
  readonly isRetired: boolean;
  readonly periods: PlannedRotation;
}

const fields = {
  ...sdkFields,
  ...scopeFields,
  owner: { type: types.text, required: true, change: "update" },
  /** Ids of all keys that the stack's resources hold. Only the creation of a key can leave one behind. */
  owned: { type: types.listOf(types.keyId), required: true, change: "update", onlyAdditions: true },
  /** Ids of keys that `revokeNow` names and that have a successor. */
  compromised: { type: types.listOf(types.keyId), change: "update", onlyAdditions: true },
  previous: { type: types.map as FieldType<Readonly<Record<string, Previous>>>, change: "ignore" },
  /** Names of keys that do not show who created them, by id. */
  untagged: { type: types.map as FieldType<Readonly<Record<string, string>>>, change: "ignore" },
  /** Set if something that the program registered was not deployed. */
  incomplete: { type: types.flag, change: "ignore" },
  /** Set if the program has a component that another program constructs: it does not see whether its children failed. */
  unseen: { type: types.flag, change: "ignore" },
} as const satisfies Record<string, FieldRule>;

type Inputs = InputsOf<typeof fields>;

/** The state of the ledger: the inputs of the last run, and what that run has found and done. */
type LedgerState = Partial<Inputs> &
  Required<LedgerRecord> & {
    readonly owned: readonly string[];
    readonly compromised: readonly string[];
    /** Ids of compromised keys that it could not revoke yet. */
    readonly unrevoked: readonly string[];
    /** Ids of earlier keys that were still live when they were last looked for. */
    readonly delivered: readonly string[];
    readonly deliveries: ReadonlyMap<string, DeliveryRecord>;
    /** Whether it still has to look for keys that interrupted runs left behind. */
    readonly isUnswept: boolean;
  };

type Swept = Pick<LedgerState, "delivered" | "isUnswept" | "knowsSince" | "sweptAt">;

type Held = { readonly owner?: string | undefined; readonly owned: readonly string[] };

function readState({ unswept, orphans, ...outputs }: Members): LedgerState {
  const compromised = textsOf(outputs.compromised);
  const [knowsSince, sweptAt] = [timeIn(outputs.knowsSince), timeIn(outputs.sweptAt)];
  return {
    ...(outputs as Inputs),
    owned: textsOf(outputs.owned),
    compromised,
    // Version 0.2 also listed retired keys here. The resources that retired them have them, too, and revoke them.
    unrevoked: textsOf(outputs.unrevoked).filter((id) => compromised.includes(id)),
    delivered: textsOf(outputs.delivered),
    deliveries: new Map(Object.entries(outputs.deliveries ?? {}).filter(isReadable)),
    // Version 0.1 stored the ids of orphans that it could not revoke.
    isUnswept: unswept !== undefined || orphans !== undefined,
    knowsSince: outputs.owner === undefined || sweptAt === undefined ? undefined : knowsSince,
    sweptAt: sweptAt ?? 0,
    endedRuns: textsOf(outputs.endedRuns),
  };
}

/** A recorded time, in milliseconds since 1970; 0 if none is recorded, `undefined` if it cannot be read. */
function timeIn(recorded: unknown): number | undefined {
  const time = recorded == null ? 0 : Date.parse(String(recorded));
  return Number.isNaN(time) ? undefined : time;
}

/** Whether a record is whole. Without it, the grace starts again. */
function isReadable(record: [id: string, value: unknown]): record is [string, DeliveryRecord] {
  return !Number.isNaN(Date.parse(textOf(membersOf(record[1]).deliveredAt) ?? ""));
}

/**
 * Revokes compromised and previous keys whose successors everything in the stack has received, and keys that interrupted
 * runs left behind. Runs once per run, after everything else in it. No resource revokes by tag before it, because during
 * a run a consumer may still have a key that no resource seems to hold. A destroy leaves that to the owner.
 */
export const ledger = atBorder<Inputs, LedgerState>({
  name: "Ledger",

  fields,

  outputs: [],

  readState,

  writeState: ({ incomplete, unseen, isUnswept, knowsSince, sweptAt, deliveries, ...state }) =>
    withoutEmpty({
      ...state,
      unswept: isUnswept || undefined,
      // Absent, it says that the ledger knows all keys.
      knowsSince: knowsSince === undefined ? "never" : isoOf(knowsSince || undefined),
      sweptAt: isoOf(sweptAt || undefined),
      deliveries: deliveries.size > 0 ? Object.fromEntries(deliveries) : undefined,
    }),

  due(state, inputs, { now }) {
    const due: Due[] = state.isUnswept ? [{ field: "unswept", replace: false }] : [];
    if (state.unrevoked.length > 0) due.push({ field: "unrevoked", replace: false });
    const isDue = ([id, previous]: [string, Previous]) => retireAt(previous, state.deliveries.get(id)) <= now;
    if (Object.entries(inputs.previous ?? {}).some(isDue)) due.push({ field: "previous", replace: false });
    return due;
  },

  create: async (inputs, context) => ({ id: "ledger", outputs: await endRun(readState({}), inputs, context) }),

  // Only flags what it finds. A refresh changes nothing on the service; the next `up` sweeps.
  async read(_id, state, context) {
    await mustBeSameAccount(state.owner, context);
    const look = async () => judgeUnknown(await taggedKeys(state, state, context), context);
    const fates = await trying(context, undefined, look);
    reportUnknown(fates ?? new Map(), context);
    const isClean = fates !== undefined && Array.from(fates.values()).every(({ fate }) => fate !== "revoke");
    return isClean ? state : { ...state, isUnswept: true };
  },

  update: (_id, state, inputs, context) => endRun(state, inputs, context),

  // A destroy deletes the ledger early, while the state may contain keys that it has never seen, from a failed run. So
  // it only tells the owner, which is deleted last, what the stack held.
  async delete(_id, state, context) {
    await mustBeSameAccount(state.owner, context);
    const { knowsSince, sweptAt, endedRuns, deliveries } = state;
    context.run.ledger = { record: { knowsSince, sweptAt, endedRuns }, held: new Set(everHeld(state)), deliveries };
  },
});

/** Does what must wait until everything in the stack is up to date. */
async function endRun(before: LedgerState, inputs: Inputs, context: Context): Promise<LedgerState> {
  await mustBeSameAccount(inputs.owner, context);
  const ended = context.runRecord === undefined ? [] : [readRecord(context.runRecord).id];
  const endedRuns = [...before.endedRuns, ...ended].slice(-RECORDED_RUNS);
  const recorded = { ...inputs, compromised: inputs.compromised ?? [], endedRuns };
  // In a copied state, the original stack revokes them: its state contains them, too.
  const hasNewOwner = before.owner !== undefined && !sameOwner(before.owner, inputs.owner);
  const left = hasNewOwner ? [] : before.unrevoked;
  const added = hasNewOwner ? [] : recorded.compromised.filter((id) => !before.compromised.includes(id));
  const previous = Object.keys(inputs.previous ?? {}).filter((id) => !before.deliveries.get(id)?.isRevoked);
  if (inputs.incomplete === true || (await leavesOut(inputs, [...left, ...added, ...previous], context))) {
    // Something may still use a key that has a successor, or hold one that no resource seems to hold.
    const unrevoked = [...left, ...added];
    return { ...recorded, ...unsweptAfter(before, inputs, context), unrevoked, deliveries: before.deliveries };
  }
  // The sweep runs first, because its list also shows the names of the keys to revoke.
  const swept = needsSweep(before, inputs)
    ? await sweep(before, inputs, context)
    : { ...unsweptAfter(before, inputs, context), isUnswept: false };
  // If the state is saved only at the end of the run, the successors may still be lost.
  const [now, later] = context.checkpointsSkipped ? [left, added] : [[...left, ...added], []];
  if (later.length > 0) {
    context.warn(`key ${later.join(", ")} is revoked only by the next run, because PULUMI_SKIP_CHECKPOINTS is set`);
  }
  await revoke(now, inputs, context);
  const deliveries = await retire(before, inputs, context);
  return { ...recorded, ...swept, unrevoked: later, deliveries };
}

/** When there is something to do for a previous key, in milliseconds since 1970. */
function retireAt({ successor, isRetired, periods }: Previous, before: DeliveryRecord | undefined): number {
  if (before?.isRevoked) return Number.POSITIVE_INFINITY;
  if (before?.successor !== successor) return 0;
  if (!isRetired) return Number.POSITIVE_INFINITY;
  return endOfOverlap(Date.parse(before.deliveredAt), Date.parse(before.usedAt ?? ""), periodsOf(periods));
}

/**
 * Records which successors the whole stack has now, and revokes retired keys whose grace is over since then and that
 * nobody uses. Returns the records.
 */
async function retire(before: LedgerState, inputs: Inputs, context: Context): Promise<LedgerState["deliveries"]> {
  const now = context.now();
  const entries = Object.entries(inputs.previous ?? {}).map(async ([id, previous]) => {
    const delivery = await deliveryRecordOf({ id, ...previous }, before.deliveries.get(id), inputs, context);
    if (delivery === undefined) return [];
    const isDue = retireAt(previous, delivery) <= now;
    return [[id, isDue ? await revokePrevious({ id, ...previous }, delivery, inputs, context) : delivery] as const];
  });
  return new Map((await Promise.all(entries)).flat());
}

/**
 * The record of a previous key, new or known. Its grace starts again if its successor is gone or compromised: its users
 * have to change to yet another key. `undefined` without the service's clock.
 */
async function deliveryRecordOf(
  { id, successor }: Previous & { readonly id: string },
  known: DeliveryRecord | undefined,
  inputs: Inputs,
  context: Context,
): Promise<DeliveryRecord | undefined> {
  const { owned, compromised = [] } = inputs;
  const isUsable = (id: string) => owned.includes(id) && !compromised.includes(id);
  const goesOn = known?.isRevoked || known?.successor === successor || isUsable(String(known?.successor));
  if (known !== undefined && goesOn) return { ...known, successor };
  if (!(await knowsServiceClock(id, context))) return undefined;
  return { successor, deliveredAt: new Date(laterNow(context)).toISOString() };
}

/** Revokes a retired key if the list of this run shows that nobody uses it. */
async function revokePrevious(
  { id, periods }: Previous & { readonly id: string },
  delivery: DeliveryRecord,
  inputs: Inputs,
  context: Context,
): Promise<DeliveryRecord> {
  const key = { id, name: inputs.untagged?.[id] };
  const found = await listedKey(key, context);
  if (found === undefined) {
    await mustNotWork(key, context);
    return { ...delivery, isRevoked: "gone" };
  }
  if (judgePrevious(found, delivery.deliveredAt, periods, context).fate !== "revoke") {
    if (found === "unknown" || found.lastUsedAt === null) return delivery;
    context.warn(
      `key ${formatListed(found)} is retired, but stays live, because it is still used. Give its users key ${delivery.successor}`,
    );
    return { ...delivery, usedAt: found.lastUsedAt };
  }
  context.progress(`revoking key ${id}`);
  const left = await revokeAll([key], inputs.owner, context);
  if (left.length > 0) return delivery;
  context.info(`revoked key ${id}. Everything in this stack has its successor, key ${delivery.successor}`);
  return { ...delivery, isRevoked: true };
}

/**
 * Whether `--target`, `--exclude` or an error after which the engine went on has left a key out of this run, or can have
 * left out a consumer, which the engine does not tell. That matters only if there are old keys.
 */
async function leavesOut(inputs: Inputs, oldKeys: readonly string[], context: Context): Promise<boolean> {
  const { owned, owner, unseen } = inputs;
  const missing = owned.filter((id) => !context.run.holders.has(id));
  const { isLimited, goesOn } = context.command();
  // The program sees a resource as successful whose hook failed after that. A transform can have added the hook.
  const isUnseen = async () => unseen || (await context.witness(owner, { fresh: true }))?.hasAfterHooks() !== false;
  if (missing.length === 0 && (oldKeys.length === 0 || !(isLimited || (goesOn && (await isUnseen()))))) return false;
  const what = missing.length > 0 ? `key ${missing.join(", ")}` : "resources, which may still have them";
  const [left, next] = goesOn ? ["may have left out", ", without continuing after errors,"] : ["left out", ""];
  context.warn(
    `old keys are not revoked, because this run ${left} ${what}. The next \`pulumi up\` of the whole stack${next} revokes them`,
  );
  return true;
}

/** Revokes compromised keys. Fails the run if one is still live, so that nobody believes that it is gone. */
async function revoke(ids: readonly string[], inputs: Inputs, context: Context): Promise<void> {
  if (ids.length === 0) return;
  context.progress(`revoking key ${ids.join(", ")}`);
  const toRevoke = ids.map((id) => ({ id, name: inputs.untagged?.[id] }));
  const failed = await revokeAll(toRevoke, inputs.owner, context);
  const revoked = ids.filter((id) => !failed.includes(id));
  if (revoked.length > 0)
    context.info(`revoked key ${revoked.join(", ")}, because everything in this stack has the new key`);
  if (failed.length === 0) return;
  throw new KeyplaneError(
    "KP-REVOKE",
    `key ${failed.join(", ")}, which revokeNow names, could not be revoked. Run \`pulumi up\` again, or revoke it in the console`,
  );
}

/** Whether a run has something to sweep: only the creation of a key can leave one behind. */
function needsSweep(before: LedgerState, inputs: Inputs): boolean {
  const isNew = (id: string) => !before.owned.includes(id);
  return before.isUnswept || !sameOwner(before.owner, inputs.owner) || inputs.owned.some(isNew);
}

/** Ids that the stack has ever held. They count as live until a list lacks them. */
function everHeld({ delivered, owned }: LedgerState): readonly string[] {
  return [...new Set([...delivered, ...owned])];
}

/** Revokes the orphans. Never fails a run: records what could not be done, so that the next `up` retries it. */
async function sweep(before: LedgerState, inputs: Inputs, context: Context): Promise<Swept> {
  // An owner that was created in this run has no earlier run that could have left a key behind.
  if (context.run.isNewOwner && context.run.lostNames.size === 0) {
    return { delivered: everHeld(before), isUnswept: false, knowsSince: 0, sweptAt: 0 };
  }
  const without = unsweptAfter(before, inputs, context);
  return trying<Swept>(context, without, async () => {
    const keys = await taggedKeys(before, { ...inputs, fresh: true }, context);
    const sweptAt = Math.floor(context.account().serviceNow() / 1_000) * 1_000;
    const { left, reported, kept } = await settleUnknown(keys, context, { fresh: true });
    // A resource that left the program still holds its keys, and its deletion after this run may keep them live.
    const isDelivered = (id: string) => keys.delivered.has(id) || inputs.owned.includes(id) || kept.includes(id);
    const delivered = keys.list.map(({ id }) => id).filter(isDelivered);
    return {
      delivered,
      isUnswept: left.length > 0,
      knowsSince: reported.length > 0 ? without.knowsSince : 0,
      sweptAt: left.length + reported.length > 0 ? without.sweptAt : sweptAt,
    };
  });
}

/** What is known without a look for left keys. */
function unsweptAfter(before: LedgerState, inputs: Inputs, context: Context): Swept {
  const { knowsSince = laterNow(context), sweptAt } = knowledgeOf(before, inputs);
  return { delivered: everHeld(before), isUnswept: true, knowsSince, sweptAt };
}

/** What the ledger knows of all keys of this owner. A ledger of another one knows nothing of them. */
function knowledgeOf({ owner, knowsSince, sweptAt, endedRuns }: LedgerState, inputs: Held) {
  return sameOwner(owner, inputs.owner) ? { knowsSince, sweptAt, endedRuns } : { sweptAt: 0 };
}

/** The result, or a warning and something else: no look for left keys fails a run. */
async function trying<T>(context: Context, otherwise: T, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (isAborted(error)) throw error;
    context.warn(`could not look for keys that nobody needs. The next run tries again: ${messageOf(error)}`);
    return otherwise;
  }
}

/** The keys with the stack's tag, and which of them the stack has or had. One that is listed under another id is reported. */
async function taggedKeys(
  before: LedgerState,
  { owner, owned, fresh = false }: Held & { readonly fresh?: boolean },
  context: Context,
) {
  const list = await context.keys().list({ fresh });
  const [identity, held, delivered] = [String(owner), new Set(owned), new Set(everHeld(before))];
  const tagged = list.filter(({ name }) => hasTagOf(name, ownerIdIn(identity)));
  // A resource that this run replaces can hold a key that only failed runs had, which no ledger knows.
  const { heldNames, holders } = context.run;
  const isMisnamed = ({ id, name }: ApiKeyRecord) =>
    heldNames.has(name) && !holders.has(id) && !held.has(id) && !delivered.has(id);
  for (const key of tagged.filter(isMisnamed)) {
    context.warn(
      `the service lists key ${formatListed(key)}, but this stack recorded the key of that name under another id. ` +
        "Nothing was changed. Look up the right id in the console",
    );
  }
  const unknown = tagged.filter((key) => !isMisnamed(key));
  return { unknown, list, identity, held, delivered, ...knowledgeOf(before, { owner, owned }) };
}
