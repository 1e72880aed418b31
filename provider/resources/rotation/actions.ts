import { isoOf } from "../../duration";
import type { Call } from "../../keys/call";
import { revokeLostKeys } from "../../keys/lost";
import { finishPending } from "../../keys/readiness";
import { revokeAll } from "../../keys/revoking";
import type { Result } from "../resource";
import {
  type Action,
  type ActionOf,
  actionsOf,
  after,
  type FoundPrevious,
  NOTHING_DONE,
  type Rotation,
  rotationOf,
} from "./plan";
import { askAboutPrevious, reportKept, retirePrevious, stillLive } from "./retiring";
import { rotateKey, rotationTimes } from "./rotating";
import { type RotationState, toRevoke, withoutPrevious } from "./rotation-state";

/**
 * Does the first action that is due, and decides again, until nothing is due or one has a problem.
 * @param saved - The state before the run.
 * @param begun - The state under the new inputs.
 * @param now - When the run began, by this machine's clock, in milliseconds since 1970: for all decisions.
 */
export async function carryOut(
  saved: RotationState,
  begun: RotationState,
  call: Call,
  now: number,
): Promise<Result<RotationState>> {
  let state = begun;
  let facts = NOTHING_DONE;
  for (;;) {
    const action = actionsOf(state, state.inputs, facts, now).find(({ isDue }) => isDue);
    if (action === undefined) {
      reportClosedWindow(rotationOf(state, state.inputs, now), call);
      return { state };
    }
    const done = await carryOutOne(action, state, saved, call);
    if (done.problem !== undefined) return done;
    state = done.state;
    facts = after(action, { ...facts, ...(done.previous && { previous: done.previous }) });
  }
}

/** What an action has made of the state, and what it has found out. */
interface Done extends Result<RotationState> {
  readonly previous?: FoundPrevious | undefined;
}

async function carryOutOne(action: Action, state: RotationState, saved: RotationState, call: Call): Promise<Done> {
  switch (action.do) {
    case "wait":
      return waitUntilReady(state, action, call);
    case "findLost":
      return { state: { ...state, lost: await revokeLostKeys(state.lost, state.fingerprint, call) } };
    case "revoke":
      return revokePending(state, call);
    case "ask": {
      const { previous, deliveredAt } = await askAboutPrevious(state, action, call);
      return { previous, state: deliveredAt === undefined ? state : { ...state, deliveredAt } };
    }
    case "forget":
      return { state: withoutPrevious(state) };
    case "keep":
      reportKept(state, action, call);
      return { state: { ...state, retireAfter: isoOf(action.decision.until) } };
    case "retire":
      return retirePrevious(state, action, call);
    case "rotate":
      return rotateKey(state, action.rotation, saved, call);
  }
}

/** Waits until an existing key is ready. It was not handed out before, so its predecessor's grace starts then. */
async function waitUntilReady(state: RotationState, { key }: ActionOf<"wait">, call: Call): Promise<Done> {
  const { inputs } = state;
  const { pending, problem } = await finishPending(state.pending, key, inputs, call);
  if (problem !== undefined) return { state: { ...state, pending }, problem };
  const times = state.previous === undefined ? {} : rotationTimes(call.keyList.account, inputs);
  return { state: { ...state, pending, ...times } };
}

async function revokePending(state: RotationState, call: Call): Promise<Done> {
  const pendingRevocations = await revokeAll(toRevoke(state), call);
  const { revokeNow } = state.inputs;
  const isLive = revokeNow !== undefined && pendingRevocations.includes(revokeNow);
  return { state: { ...state, pendingRevocations }, problem: isLive ? stillLive(revokeNow) : undefined };
}

/** Reports a key whose window has closed without a rotation, for example since the preview of this run. */
function reportClosedWindow({ closedSince, at }: Rotation, { log }: Call): void {
  if (closedSince === undefined) return;
  log.info(
    `the key is due for rotation since ${closedSince}, but rotationWindow is closed now. It opens again at ${isoOf(at)}`,
  );
}
