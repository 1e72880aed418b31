import { isDeepStrictEqual } from "node:util";
import type { Account } from "../../api/account";
import { isoOf } from "../../duration";
import { KeyplaneError } from "../../errors";
import { graceOf } from "../../keys/ages";
import type { Call } from "../../keys/call";
import { areClocksApart } from "../../keys/clock";
import { type Creation, createKey, noKey } from "../../keys/creating";
import { mustBeHere } from "../../keys/finding";
import type { HeldKey } from "../../keys/key-state";
import { expiresAt, formatKey } from "../../keys/naming";
import { waitForProjects } from "../../keys/readiness";
import { endOf, ownSettingOf, revokeAll } from "../../keys/revoking";
import type { Result } from "../resource";
import type { RotationInputs } from "./fields";
import type { Rotation } from "./plan";
import { stillLive } from "./retiring";
import { type RotationState, recordOf } from "./rotation-state";

/**
 * Creates a new current key and returns the state. The old one becomes the previous key; one that `revokeNow` names is
 * revoked as soon as its successor is ready. Throws only if the run has changed nothing.
 * @param saved - The state before the run.
 */
export async function rotateKey(
  before: RotationState,
  reason: Rotation,
  saved: RotationState,
  call: Call,
): Promise<Result<RotationState>> {
  const { inputs, current: old } = before;
  const { keyList } = call;
  const ownSetting = old && ownSettingOf(old, keyList);
  if (old !== undefined && ownSetting !== undefined) mustHandOver(old, ownSetting, before);
  const known = old ?? before.previous;
  if (known !== undefined) await mustBeHere(recordOf(known, before), call);
  const state = await withoutBroken(before, call);

  const made = await createReadyKey(
    state,
    { ...inputs, verify: inputs.verify === true || ownSetting !== undefined },
    call,
  );
  const withCleanup = { ...state, ...made.cleanup };
  if (made.key === undefined) {
    const { problem } = made;
    if (sameKeys(withCleanup, saved)) throw problem;
    return { state: withCleanup, problem };
  }
  const { key: current, createdAt, problem } = made;
  const isRevokedNow = reason.field === "revokeNow" && ownSetting === undefined;
  const next: RotationState = {
    ...withCleanup,
    current,
    previous: state.current === undefined || isRevokedNow ? state.previous : state.current,
    createdAt,
    pending: made.pending,
    isQueued: false,
    sealedTo: current.sealedKey ? inputs.sealTo : undefined,
    maxAgeOfCurrent: inputs.maxAge,
    ...rotationTimes(keyList.account, inputs),
    fingerprint: keyList.fingerprint,
  };
  say({ before, next, reason, ownSetting }, call);
  if (old === undefined || !isRevokedNow) return { state: next, problem };
  // Until its successor is ready, a consumer may have no other key.
  const waiting = { ...next, pendingRevocations: [...next.pendingRevocations, old.id] };
  if (problem !== undefined) return { state: waiting, problem };
  if ((await revokeAll([recordOf(old, before)], call)).length > 0)
    return { state: waiting, problem: stillLive(old.id) };
  call.log.info(`revoked key ${formatKey(old)}, which revokeNow names`);
  return { state: next };
}

/**
 * When a rotation was done, in whole seconds as in the history of the stack, and when its previous key is asked about. With
 * the time of a clock that is far behind, a run before the rotation would seem to have delivered the new key.
 */
export function rotationTimes(account: Account, inputs: RotationInputs) {
  const [now, there] = [account.now(), account.serviceNow()];
  const at = Math.floor((areClocksApart(there - now) ? Math.max(now, there) : now) / 1_000) * 1_000;
  return { rotatedAt: isoOf(at), deliveredAt: undefined, retireAfter: isoOf(at + graceOf(inputs)) };
}

/** Throws if a rotation of keyplane's own key is not wanted, or cannot be handed over. */
function mustHandOver({ id }: HeldKey, setting: string, { inputs, previous }: RotationState): void {
  const why = `key ${id} is due for rotation, but keyplane authenticates with it (${setting})`;
  if (inputs.selfRotation !== true) {
    throw new KeyplaneError(
      "KP-OWN-CREDENTIAL",
      `${why}. Set selfRotation to true if you will set ${setting} to the new key afterwards. Otherwise, set ${setting} to ` +
        "another key of the account",
    );
  }
  // Only its successor can revoke it. Until then, its secret must stay in the state, which can hold one.
  if (previous === undefined) return;
  const remedy = `Set ${setting} to another key of the account, and run \`pulumi up\` again`;
  throw new KeyplaneError("KP-OWN-CREDENTIAL", `${why}, and key ${previous.id} is not revoked yet. ${remedy}`);
}

/** Creates a key with a generated name and waits until it is ready. Revokes an unusable key: it was not handed out. */
async function createReadyKey(before: RotationState, inputs: RotationInputs, call: Call): Promise<Creation> {
  let made: Creation;
  try {
    await waitForProjects(inputs, call);
    call.log.progress("creating a new key");
    made = await createKey(inputs, before, call);
  } catch (error) {
    return noKey(before, error);
  }
  if (made.key === undefined || !made.pending.some((each) => each.status === "failed")) return made;
  const { key, createdAt, cleanup, why } = made;
  const { id, name } = key;
  const live = await revokeAll([{ id, name, createdAt, fingerprint: call.keyList.fingerprint }], call);
  const text = `the new key ${id} was not delivered and ${endOf(live.length === 0)}: ${why}. The next \`pulumi up\` creates another one`;
  const pendingRevocations = [...cleanup.pendingRevocations, ...live];
  return noKey({ ...cleanup, pendingRevocations }, new KeyplaneError("KP-UNUSABLE", text));
}

/** Revokes a key that did not become ready. It was not handed out, and must not stay live beside others. */
async function withoutBroken(state: RotationState, call: Call): Promise<RotationState> {
  if (state.current === undefined || !state.pending.some((work) => work.status === "failed")) return state;
  const live = await revokeAll([recordOf(state.current, state)], call);
  const pendingRevocations = [...state.pendingRevocations, ...live];
  return { ...state, current: undefined, createdAt: undefined, pending: [], pendingRevocations };
}

/** @param ownSetting - The setting that has the old key, if keyplane authenticates with it. */
function say(
  rotation: {
    readonly before: RotationState;
    readonly next: RotationState;
    readonly reason: Rotation;
    readonly ownSetting: string | undefined;
  },
  call: Call,
): void {
  const { before, next, reason, ownSetting } = rotation;
  const { current: old } = before;
  const { current, previous, retireAfter } = next;
  if (old === undefined || current === undefined) return;
  const replaces = `key ${formatKey(current)} replaces key ${old.id}: ${reason.why}`;
  if (ownSetting !== undefined) call.log.warn(credentialSteps(old, current, ownSetting, retireAfter));
  else if (previous === old) call.log.info(`${replaces}. Key ${old.id} ${restOfLife(old, retireAfter, call)}`);
  else call.log.info(replaces);
}

/** What to do after keyplane's own key was rotated, step by step. */
function credentialSteps(old: HeldKey, current: HeldKey, setting: string, retireAfter: string | undefined): string {
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
function restOfLife({ name }: HeldKey, graceEnd: string | undefined, { keyList }: Call): string {
  const deadline = expiresAt(name);
  if (deadline === undefined || deadline >= String(graceEnd)) return `stays live at least until ${graceEnd}`;
  const isPast = Date.parse(deadline) <= keyList.account.serviceNow();
  const rest = isPast ? "is past its deadline" : "stays live at least until its deadline";
  return `${rest}, ${deadline}, because this rotation comes late`;
}

/** Whether the saved state says the same of keys and lost requests. */
function sameKeys(state: RotationState, saved: RotationState): boolean {
  const keysOf = ({ current, previous, lost, pendingRevocations: ids }: RotationState) => [
    current?.id,
    previous?.id,
    lost.lostNames,
    ids,
  ];
  return isDeepStrictEqual(keysOf(state), keysOf(saved));
}
