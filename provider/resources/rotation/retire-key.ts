import type { ApiKeyRecord } from "../../api/records";
import { formatDuration, isoOf } from "../../duration";
import { isAborted, messageOf } from "../../errors";
import { keyIn } from "../../key-index";
import { clockSkew, laterNow } from "../../keys/clock-skew";
import { type Fate, fateOf } from "../../keys/fate";
import { type KeyToRevoke, mustNotWork, secondLook } from "../../keys/find-key";
import { formatKey, isOthers } from "../../keys/names";
import { leaveToOthers, revokeAll, settingWith } from "../../keys/revoke-key";
import type { Context } from "../../schema/resource-type";
import { shownName } from "../../text";
import { keysToRevoke } from "./adoption";
import { type PlannedRotation, periodsOf } from "./rotation-fields";
import { retireReason } from "./rotation-plan";
import { type HeldKey, hasPredecessor, madeBy, type RotationState, withoutPrevious } from "./rotation-state";

/**
 * Retires the previous key if its grace is over and nobody uses it. A ledger revokes a retired key at the end of a run
 * that reaches the whole stack, by its own record of the delivery. Without a ledger, it is revoked at once, if the
 * engine's history shows that its successor was delivered. A key that stays is reported. The run does not fail for it,
 * because the new key is already in use.
 */
export async function retirePrevious(saved: RotationState, context: Context): Promise<RotationState> {
  const { inputs } = saved;
  const state = context.hasLedger ? saved : await revokeRetired(await withDelivery(saved, context), context);
  const { previous } = state;
  const reason = retireReason(state, inputs, context.now());
  if (previous === undefined || reason === undefined) return state;
  if (isOthers(madeBy(state, previous), inputs.owner)) {
    leaveToOthers(previous, context);
    return withoutPrevious(state);
  }
  const ownSetting = settingWith(previous, context);
  if (ownSetting !== undefined) {
    context.warn(
      `key ${previous.id} is due to be revoked, but keyplane still authenticates with it (${ownSetting}). Revoking it ` +
        `would lock keyplane out. Set ${ownSetting} to the secret of key ${state.current?.id}, this resource's \`key\`, and ` +
        "run `pulumi up` again",
    );
    return state;
  }
  if (reason.field === "revokeNow") {
    const { current } = state;
    context.info(
      `key ${formatKey(previous)}, which revokeNow names, is revoked at the end of this run. Its successor is key ${current?.id}`,
    );
    return { ...withoutPrevious(state), compromised: [...state.compromised, previous.id] };
  }
  const record = await listedKey(previous, context);
  const fate = judgeReplaced(record, state, context);
  report({ previous, inputs }, record, fate, context);
  // A key that works although lists lack it is in use, for all that is known.
  if (record === "unknown") return state;
  if (record === undefined) {
    if (previous.key === undefined) await mustNotWork(previous, context);
    return withoutPrevious(state);
  }
  if (fate.fate === "report" && record.lastUsedAt !== null) return { ...state, previousUsedAt: record.lastUsedAt };
  if (fate.fate !== "revoke") return state;
  if (context.hasLedger) {
    context.info(
      `key ${formatKey(previous)} is retired. This run revokes it at its end, unless its successor, key ${state.current?.id}, ` +
        "was not yet delivered for a whole grace, because earlier runs failed",
    );
    const leftOf = async (ids: readonly string[]) => (await notGone(ids, context)).map(({ id }) => id);
    const [retired, compromised] = [await leftOf(state.retired), await leftOf(state.compromised)];
    return { ...withoutPrevious(state), retired: [...retired, previous.id], compromised };
  }
  const left = await revokeAll([previous], inputs.owner, context);
  if (left.length > 0) return state;
  context.info(`revoked key ${formatKey(previous)}. Its successor is key ${state.current?.id}`);
  return withoutPrevious(state);
}

/**
 * The state with the time of the delivery, which the engine's history shows. If no run has delivered the rotation yet,
 * its grace starts with this run, which delivers it if it reaches the whole stack.
 */
async function withDelivery(state: RotationState, context: Context): Promise<RotationState> {
  if (state.deliveredAt !== undefined || !hasPredecessor(state)) return state;
  const { history, urn } = context;
  const delivered = state.historyMark && (await history.since(state.historyMark, urn));
  // Consumers outside the stack can read the new key when the run has ended.
  if (typeof delivered === "number") {
    return { ...state, deliveredAt: isoOf(Math.max(delivered, Date.parse(state.rotatedAt ?? "") || 0)) };
  }
  // A later run tries again.
  if (!(await knowsServiceClock(state.previous?.id ?? String(state.retired[0]), context))) return state;
  const now = isoOf(laterNow(context));
  // A later run of the history may have gone on from another state, for example from one that was restored afterwards.
  const keys = state.previous ? formatKey(state.previous) : state.retired.join(", ");
  const why = `key ${keys} stays live: the history of the stack does not prove that the run of the rotation has reached`;
  if (state.historyMark?.isAgain) {
    context.warn(
      `${why} the whole stack, again. Run \`pulumi up\` for the whole stack, and correct the clock of this machine. If ` +
        "everything has the current key, set revokeNow to the id of this key",
    );
  } else context.info(`${why} the whole stack. Its grace starts now`);
  const historyMark = await history.mark(urn);
  const isAgain = state.historyMark !== undefined;
  return { ...state, rotatedAt: now, historyMark: historyMark && { ...historyMark, isAgain } };
}

/** Revokes retired keys by the same rules. Their secrets are no longer known. */
async function revokeRetired(state: RotationState, context: Context): Promise<RotationState> {
  if (state.retired.length === 0) return state;
  const live = await notGone(state.retired, context);
  for (const id of state.retired) if (!live.some((key) => key.id === id)) await mustNotWork({ id }, context);
  const toRevoke = live
    .filter(({ record }) => judgeReplaced(record, state, context).fate === "revoke")
    .map(({ id }) => id);
  const left = await revokeAll(keysToRevoke(toRevoke, state), state.inputs.owner, context);
  const isDone = (id: string) => toRevoke.includes(id) && !left.includes(id);
  return { ...state, retired: live.map(({ id }) => id).filter((id) => !isDone(id)) };
}

/** What the service lists about a key: nothing if the key is gone, and `unknown` without a list. */
export type Listed = ApiKeyRecord | undefined | "unknown";

/** Looks a key up. That it is gone, one list alone does not prove, and no list if its secret works. */
export async function listedKey(held: KeyToRevoke, context: Context): Promise<Listed> {
  try {
    const found = keyIn(await context.keys().list({ recent: true }), held.id) ?? (await secondLook(held.id, context));
    if (found === undefined && held.key !== undefined) await mustNotWork(held, context);
    return found;
  } catch (error) {
    if (isAborted(error)) throw error;
    context.warn(`the last use of key ${held.id} is unknown: ${messageOf(error)}`);
    return "unknown";
  }
}

/** Those of some keys that are not gone, each with what the service lists about it. */
export async function notGone(ids: readonly string[], context: Context) {
  const found = await Promise.all(ids.map(async (id) => ({ id, record: await listedKey({ id }, context) })));
  return found.filter(({ record }) => record !== undefined);
}

/**
 * Whether an answer has shown the service's clock. Without it, a grace could start, by a wrong clock, before this run.
 * That is rare, so it may cost the list in which a key is looked up.
 */
export async function knowsServiceClock(id: string, context: Context): Promise<boolean> {
  return context.account().skewMs !== undefined || (await listedKey({ id }, context)) !== "unknown";
}

/** The fate of a previous or retired key. A ledger has its own record of the delivery, and decides once more. */
function judgeReplaced(record: Listed, state: RotationState, context: Context): Fate {
  const deliveredAt = context.hasLedger ? state.rotatedAt : state.deliveredAt;
  return judgePrevious(record, deliveredAt, state.inputs, context);
}

/** The fate of a previous key by what the service lists about it, and by when its successor was delivered. */
export function judgePrevious(
  record: Listed,
  deliveredAt: string | undefined,
  inputs: PlannedRotation,
  context: Context,
): Fate {
  const use = record === "unknown" ? record : record === undefined ? "gone" : (record.lastUsedAt ?? "never");
  return fateOf({
    kind: "previous",
    deliveredAt: deliveredAt === undefined ? undefined : Date.parse(deliveredAt),
    ...periodsOf(inputs),
    lastUsed: use === "unknown" || use === "gone" || use === "never" ? use : Date.parse(use),
    now: Math.min(context.now(), context.account().serviceNow()),
  });
}

function report(
  { previous, inputs }: { readonly previous: HeldKey; readonly inputs: PlannedRotation },
  record: Listed,
  fate: Fate,
  context: Context,
): void {
  const key = `key ${formatKey(previous)}`;
  const { lastUsedAt, lastUsedFromAddr } = record === "unknown" || record === undefined ? {} : record;
  const use = `was last used ${lastUsedAt} from ${shownName(lastUsedFromAddr ?? "an unknown address")}`;
  if (fate.fate === "revoke") {
    if (fate.despiteUse) context.warn(`${key} ${use}. It is revoked anyway, because maxOverlap is over`);
  } else if (fate.why === "grace") {
    const why = clockSkew(context) ?? "its grace is not over by the service's clock";
    context.warn(`${key} is kept until ${isoOf(fate.until)}: ${why}`);
  } else if (fate.why === "in use") {
    context.warn(
      `${key} ${use}. It is kept until nobody has used it for ${formatDuration(periodsOf(inputs).quiet)}, but not ` +
        `longer than until ${isoOf(fate.until)}. Give its users the current key`,
    );
  }
}
