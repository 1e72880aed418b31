import { isoOf } from "../../duration";
import type { Call } from "../../keys/call";
import { settleLost } from "../../keys/lost";
import { finishPending } from "../../keys/readiness";
import { revokeAll } from "../../keys/revoking";
import type { HeldKey } from "../../keys/state";
import { NotReady } from "../resource";
import { type Action, actionsOf, after, type Facts, NOTHING_DONE, type Rotation, rotationOf } from "./plan";
import { askAboutPrevious, reportKept, retirePrevious, stillLive } from "./retiring";
import { rotateKey, rotationTimes } from "./rotating";
import { pendingKeys, type RotationState, withoutPrevious } from "./state";

/** A rotating key in the middle of an update, with what the run knows beside it. */
interface Progress {
  readonly state: RotationState;
  readonly facts: Facts;
}

/**
 * Does the first action that is due, and decides again, until nothing is due. Throws `NotReady` if a key is not ready, or if
 * one that `revokeNow` names stays live.
 * @param saved - The state before the run.
 * @param now - When the run began, by this machine's clock, in milliseconds since 1970: for all decisions.
 */
export async function carryOut(
  saved: RotationState,
  begun: RotationState,
  call: Call,
  now: number,
): Promise<RotationState> {
  let progress: Progress = { state: begun, facts: NOTHING_DONE };
  for (;;) {
    const { state, facts } = progress;
    const action = actionsOf(state, state.inputs, facts, now).find(({ isDue }) => isDue);
    if (action === undefined) {
      reportClosedWindow(rotationOf(state, state.inputs, now), call);
      return state;
    }
    const next = await does(action, progress, saved, call);
    progress = { state: next.state, facts: after(action, next.facts) };
  }
}

async function does(action: Action, { state, facts }: Progress, saved: RotationState, call: Call): Promise<Progress> {
  switch (action.do) {
    case "wait":
      return { facts, state: await waitUntilReady(state, action.key, call) };
    case "findLost":
      return { facts, state: { ...state, lost: await settleLost(state.lost, state.fingerprint, call) } };
    case "revoke":
      return { facts, state: await revokePending(state, call) };
    case "ask": {
      const { previous, deliveredAt } = await askAboutPrevious(state, action, call);
      return { facts: { ...facts, previous }, state: deliveredAt === undefined ? state : { ...state, deliveredAt } };
    }
    case "forget":
      return { facts, state: withoutPrevious(state) };
    case "keep":
      reportKept(state, action, call);
      return { facts, state: { ...state, retireAfter: isoOf(action.fate.until) } };
    case "retire":
      return { facts, state: await retirePrevious(state, action, call) };
    case "rotate":
      return { facts, state: await rotateKey(state, action.rotation, saved, call) };
  }
}

/** Waits until an existing key is ready. It was not handed out before, so its predecessor's grace starts then. */
async function waitUntilReady(state: RotationState, key: HeldKey, call: Call): Promise<RotationState> {
  const { inputs } = state;
  const { pending, unready } = await finishPending(state.pending, key, inputs, call);
  if (unready !== undefined) throw new NotReady(call.id ?? "", { ...state, pending }, unready);
  const times = state.previous === undefined ? {} : rotationTimes(call.place.account, inputs);
  return { ...state, pending, ...times };
}

async function revokePending(state: RotationState, call: Call): Promise<RotationState> {
  const next = { ...state, pendingRevocations: await revokeAll(pendingKeys(state), call) };
  const { revokeNow } = state.inputs;
  if (revokeNow !== undefined && next.pendingRevocations.includes(revokeNow)) throw stillLive(revokeNow, next, call);
  return next;
}

/** Reports a key whose window has closed without a rotation, for example since the preview of this run. */
function reportClosedWindow({ closedSince, at }: Rotation, { row }: Call): void {
  if (closedSince === undefined) return;
  row.info(
    `the key is due for rotation since ${closedSince}, but rotationWindow is closed now. It opens again at ${isoOf(at)}`,
  );
}
