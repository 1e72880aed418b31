import { isDeepStrictEqual } from "node:util";
import { isoOf } from "../../duration";
import { KeyplaneError } from "../../errors";
import { keyDigest } from "../../key-digest";
import { reportSkew } from "../../keys/clock-skew";
import { createKey, NotCreated } from "../../keys/create-key";
import { digestOfTriggers } from "../../keys/key-state";
import { expiresAt } from "../../keys/lease";
import { bothLost } from "../../keys/lost-request";
import { formatKey, isOthers } from "../../keys/names";
import { finishPending, pendingAfter, waitForProjects } from "../../keys/readiness";
import { leaveToOthers, revokeAll, settingWith } from "../../keys/revoke-key";
import { newDigestKey } from "../../schema/digest";
import { type Context, NotReady } from "../../schema/resource-type";
import type { RotationInputs } from "./rotation-fields";
import type { RotationReason } from "./rotation-plan";
import { digestKeyOf, type HeldKey, madeBy, type RotationState, retireTime, withoutPrevious } from "./rotation-state";

const REVOKED_AFTER = "is revoked as soon as everything in this stack has the new key";

interface RotationRequest {
  readonly id: string;
  readonly saved: RotationState;
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
    throw new KeyplaneError(
      "KP-OWN-CREDENTIAL",
      `key ${old.id} is due for rotation, but keyplane authenticates with it (${ownSetting}). Set selfRotation to true if you ` +
        `will set ${ownSetting} to the new key afterwards. Otherwise, set ${ownSetting} to another key of the account`,
    );
  }
  const state = await withoutBroken(request.state, context);

  const [made, historyMark] = await Promise.all([
    makeReadyKey({ ...inputs, verify: inputs.verify === true || ownSetting !== undefined }, context),
    old && !context.hasLedger ? context.history.mark(context.urn) : undefined,
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
    ...makePrevious(
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
  say(request, next, ownSetting, context);
  if (made.failure !== undefined) throw new NotReady(id, next, made.failure.message);
  return next;
}

type Attempt = Pick<RotationState, "pending" | "pendingRevocations" | "lost"> & {
  /** Absent if none could be created, or if the new key was unusable and was revoked. */
  readonly key?: HeldKey & { readonly createdAt: string };
  /** Why there is no key, or why it is not ready. */
  readonly failure?: Error;
};

/** Creates an auto-named key and waits until it is ready. Revokes an unusable key, because it was not handed out. */
async function makeReadyKey(inputs: RotationInputs, context: Context): Promise<Attempt> {
  const none = { pending: [], pendingRevocations: [], lost: {} };
  let newKey: Awaited<ReturnType<typeof createKey>>;
  try {
    await waitForProjects(inputs, context);
    context.progress("creating a new key");
    newKey = await createKey(inputs, context);
  } catch (error) {
    return { ...none, ...(error instanceof NotCreated && error.left), failure: error as Error };
  }
  const { created, sealedKey, lost, pendingRevocations } = newKey;
  const { id, name, key, createdAt, operations } = created;
  reportSkew(context);
  const work = pendingAfter(operations, inputs);
  const { pending, why, reason } = await finishPending(work, { id, key, sealedKey }, inputs, context);
  if (pending.some((each) => each.status === "failed")) {
    const left = await revokeAll([{ id, name, createdAt }], inputs.owner, context);
    const end = left.length === 0 ? "is revoked again" : "is still to be revoked";
    const text = `the new key ${id} was not delivered and ${end}: ${why}. The next \`pulumi up\` creates another one`;
    const failure = new KeyplaneError("KP-UNUSABLE", text);
    return { pending: [], lost, pendingRevocations: [...pendingRevocations, ...left], failure };
  }
  const held = { id, name, key: sealedKey ? undefined : key, sealedKey, digest: keyDigest(key), createdAt };
  return { key: held, pending, pendingRevocations, lost, ...(reason !== undefined && { failure: new Error(reason) }) };
}

/** Revokes a key that did not become ready. It was not handed out, and must not stay live beside others. */
async function withoutBroken(state: RotationState, context: Context): Promise<RotationState> {
  if (state.current === undefined || !state.pending.some((work) => work.status === "failed")) return state;
  const left = await revokeAll([{ ...state.current, createdAt: state.createdAt }], state.inputs.owner, context);
  const pendingRevocations = [...state.pendingRevocations, ...left];
  return { ...state, current: undefined, createdAt: undefined, pending: [], pendingRevocations };
}

/** Makes the replaced key the previous one, unless it is gone or must be revoked at once. */
function makePrevious(
  state: RotationState,
  { reason }: RotationRequest,
  ownSetting: string | undefined,
  context: Context,
): RotationState {
  const { current: old, previous, compromised, retired, inputs } = state;
  const isOwn = previous !== undefined && !isOthers(madeBy(state, previous), inputs.owner);
  if (old === undefined || state.currentGone) {
    if (!isOwn || previous.id !== inputs.revokeNow || settingWith(previous, context) !== undefined) return state;
    context.info(`key ${formatKey(previous)}, which revokeNow names, ${REVOKED_AFTER}`);
    return { ...withoutPrevious(state), compromised: [...compromised, previous.id] };
  }
  if (reason.field === "revokeNow" && isOthers(madeBy(state, old), inputs.owner)) {
    leaveToOthers(old, context);
    return state;
  }
  // Only its successor can revoke keyplane's own key. Until then, its secret identifies it.
  if (reason.field === "revokeNow" && ownSetting === undefined) {
    return { ...state, compromised: [...compromised, old.id] };
  }
  // Among the retired keys, nothing would show that keyplane authenticates with it.
  if (isOwn && settingWith(previous, context) !== undefined) return { ...state, retired: [...retired, old.id] };
  if (previous !== undefined && !isOwn) leaveToOthers(previous, context);
  // Nobody has named the previous key, so it keeps its grace.
  return { ...state, previous: old, retired: isOwn ? [...retired, previous.id] : retired };
}

/** @param ownSetting - The setting that has the old key, if keyplane authenticates with it. */
function say(
  { reason, state: { current: old } }: RotationRequest,
  next: RotationState,
  ownSetting: string | undefined,
  context: Context,
): void {
  const { current } = next;
  if (old === undefined || current === undefined) return;
  const retireAfter = isoOf(retireTime(next, next.inputs));
  const replaces = `key ${formatKey(current)} replaces key ${old.id}: ${reason.why}`;
  if (ownSetting !== undefined) context.warn(takeOverSteps(old, current, ownSetting, retireAfter));
  else if (next.previous === old) context.info(`${replaces}. Key ${old.id} ${restOfLife(old, retireAfter, context)}`);
  else if (reason.field === "revokeNow") context.info(`${replaces}. Key ${old.id} ${REVOKED_AFTER}`);
  else context.info(replaces);
}

/** What to do after keyplane's own key was rotated, step by step. */
function takeOverSteps(old: HeldKey, current: HeldKey, setting: string, retireAfter: string | undefined): string {
  const set = `\`pulumi config set ${setting.includes(".") ? "--path " : ""}--secret ${setting}`;
  const [first, second] =
    current.sealedKey === undefined
      ? [
          "export this resource's `key` as an output of the stack",
          `${set} "$(pulumi stack output NAME --show-secrets)"\``,
        ]
      : ["open this resource's `sealedKey` with the private key of a recipient", `${set}\``];
  return (
    `keyplane authenticates with key ${old.id}, which key ${current.id} replaces. Both keys work. Next steps: (1) ` +
    `${first}; (2) give it to keyplane: ${second}, wherever keyplane runs; (3) run \`pulumi up\` after ` +
    `${retireAfter}, which revokes key ${old.id}`
  );
}

/** Until when a previous key stays live: until the end of its grace, or until its deadline if that comes before. */
function restOfLife({ name }: HeldKey, graceEnd: string | undefined, context: Context): string {
  const deadline = expiresAt(name);
  if (deadline === undefined || deadline >= String(graceEnd)) return `stays live at least until ${graceEnd}`;
  const isPast = Date.parse(deadline) <= context.account().serviceNow();
  const rest = isPast ? "is past its deadline" : "stays live at least until its deadline";
  return `${rest}, ${deadline}, because this rotation comes late`;
}

/** Whether the saved state says the same of keys and lost requests. */
function sameKeys(state: RotationState, saved: RotationState): boolean {
  const keysOf = ({ current, previous, pendingRevocations, compromised, retired, lost }: RotationState) => [
    ...[current?.id, previous?.id, lost.lostNames],
    ...[pendingRevocations, compromised, retired],
  ];
  return isDeepStrictEqual(keysOf(state), keysOf(saved));
}
