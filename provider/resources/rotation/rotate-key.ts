import { isDeepStrictEqual } from "node:util";
import { NotCreated } from "../../keys/create-key";
import { digestOfTriggers } from "../../keys/key-state";
import { expiresAt } from "../../keys/lease";
import { bothLost } from "../../keys/lost-request";
import { isOthers } from "../../keys/maker";
import { revokeAll, settingWith } from "../../keys/revoke-key";
import { revokeCommand } from "../../keys/scope";
import { newDigestKey } from "../../schema/digest";
import { type Context, NotReady } from "../../schema/resource-type";
import { makeReadyKey } from "./make-ready-key";
import type { RotationReason } from "./rotation-plan";
import { digestKeyOf, formatHeld, type HeldKey, isoOf, madeBy, type RotationState, retireTime } from "./rotation-state";
import { refuseSelfRotation, takeOverSteps } from "./self-rotation";

/** One rotation. */
export interface RotationRequest {
  /** The resource's id. */
  readonly id: string;
  /** The state as the engine has saved it. */
  readonly saved: RotationState;
  /** The state that this run has reached so far. */
  readonly state: RotationState;
  readonly reason: RotationReason;
}

/**
 * Creates a new current key and returns the state. The old one stays live until its successor is in a saved state and
 * consumers have it. Throws `NotReady` if the new key is not ready yet, or if none could be created but the run has
 * changed something.
 */
export async function rotateKey(request: RotationRequest, context: Context): Promise<RotationState> {
  const { id, saved } = request;
  const { current: old, inputs } = request.state;
  const ownSetting = old && settingWith(old, context);
  if (old !== undefined && ownSetting !== undefined && inputs.selfRotation !== true) {
    throw refuseSelfRotation(old, ownSetting);
  }
  const state = await withoutBroken(request.state, context);

  const [made, historyMark] = await Promise.all([
    makeReadyKey({ ...inputs, verify: inputs.verify === true || ownSetting !== undefined }, context),
    old && context.deliveries?.mark(context.urn),
  ]);
  const pendingRevocations = [...state.pendingRevocations, ...made.pendingRevocations];
  if (made.key === undefined) {
    const failed = { ...state, pendingRevocations, lost: bothLost(state.lost, made.lost) };
    if (sameKeys(failed, saved) && !(made.failure instanceof NotCreated)) throw made.failure;
    throw new NotReady(id, failed, `${made.failure?.message}`);
  }
  const { createdAt, ...current } = made.key;
  const rotatedAt = isoOf(Math.max(context.now(), Date.parse(createdAt) || 0));
  const sealing = current.sealedKey
    ? { sealedTo: inputs.sealTo, digestKey: state.digestKey ?? newDigestKey() }
    : { sealedTo: undefined, digestKey: undefined };
  const next: RotationState = {
    ...handOver(
      { ...state, pendingRevocations, rotatedAt, deliveredAt: undefined, historyMark, previousUsedAt: undefined },
      request,
      ownSetting,
      context,
    ),
    current,
    ...sealing,
    createdAt,
    leasedFor: inputs.maxAge,
    currentGone: false,
    pending: made.pending,
    triggers: digestOfTriggers(inputs.rotationTriggers, digestKeyOf({ current, ...sealing })),
    queuedTriggers: undefined,
    lost: bothLost(state.lost, made.lost),
    identity: inputs.owner,
  };
  if (old !== undefined) say({ old, current, next, reason: request.reason, ownSetting }, context);
  if (made.failure !== undefined) throw new NotReady(id, next, made.failure.message);
  return next;
}

/** Revokes a key that did not become ready. It was not handed out, and must not stay live beside others. */
async function withoutBroken(state: RotationState, context: Context): Promise<RotationState> {
  if (state.current === undefined || !state.pending.some((work) => work.status === "failed")) return state;
  const { keyId: id, name } = state.current;
  const left = await revokeAll([{ id, name }], state.inputs.owner, context);
  const pendingRevocations = [...state.pendingRevocations, ...left];
  return { ...state, current: undefined, createdAt: undefined, pending: [], pendingRevocations };
}

/** Makes the replaced key the previous one, unless it is gone or must be revoked at once. */
function handOver(
  state: RotationState,
  { reason }: RotationRequest,
  ownSetting: string | undefined,
  context: Context,
): RotationState {
  const { current: old, previous, compromised } = state;
  if (old === undefined || state.currentGone) return state;
  if (!reason.compromised) return { ...state, previous: old };
  if (isOthers(madeBy(state, old), state.inputs.owner)) {
    context.warn(
      `key ${formatHeld(old)} was created by another stack, so it is not revoked. If nobody needs it there, run ` +
        `\`${revokeCommand(old.keyId, context.scope)}\``,
    );
    return state;
  }
  // Only its successor can revoke keyplane's own key. Until then, its secret identifies it.
  return ownSetting !== undefined
    ? { ...state, previous: old, compromised: [...compromised, ...(previous ? [previous.keyId] : [])] }
    : { ...state, compromised: [...compromised, old.keyId] };
}

/** What a rotation has done. */
interface Rotated extends Pick<RotationRequest, "reason"> {
  readonly old: HeldKey;
  readonly current: HeldKey;
  readonly next: RotationState;
  /** The setting that has the old key, if keyplane authenticates with it. */
  readonly ownSetting: string | undefined;
}

function say({ old, current, next, reason, ownSetting }: Rotated, context: Context): void {
  const retireAfter = isoOf(retireTime(next, next.inputs));
  const replaces = `key ${formatHeld(current)} replaces key ${old.keyId}: ${reason.why}`;
  if (ownSetting !== undefined) context.warn(takeOverSteps(old, current, ownSetting, retireAfter));
  else if (next.previous === old)
    context.info(`${replaces}. Key ${old.keyId} stays live at least until ${liveUntil(old, retireAfter)}`);
  else if (reason.compromised)
    context.info(`${replaces}. Key ${old.keyId} is revoked as soon as everything in this stack has the new key`);
  else context.info(replaces);
}

/** Until when a previous key stays live: until the end of its grace, or until its deadline if that comes before. */
function liveUntil({ name }: HeldKey, graceEnd: string | undefined): string {
  const deadline = expiresAt(name);
  return deadline !== undefined && deadline < String(graceEnd)
    ? `its deadline, ${deadline}, because this rotation comes late`
    : String(graceEnd);
}

/** Whether the saved state says the same of keys and lost requests. */
function sameKeys(state: RotationState, saved: RotationState): boolean {
  const keysOf = ({ current, previous, pendingRevocations, compromised, retired, lost }: RotationState) => [
    ...[current?.keyId, previous?.keyId, lost.lostNames],
    ...[pendingRevocations, compromised, retired],
  ];
  return isDeepStrictEqual(keysOf(state), keysOf(saved));
}
