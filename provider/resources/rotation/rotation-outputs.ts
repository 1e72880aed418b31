import { rotateAt, withoutEmpty } from "../key-fields";
import type { Properties } from "../kind";
import { nextAction } from "./next-action";
import { isoOf, type RotationState, retireTime } from "./rotation-state";

/** The outputs of a resource in this state under these inputs. */
export function outputsOf(state: RotationState, inputs: Properties): Properties {
  const { current, previous } = state;
  return withoutEmpty({
    ...inputs,
    // Its secret is the key's, which the outputs hold already.
    adopt: undefined,
    adopted: state.adopted,
    rotationTriggers: state.triggers,
    queuedTriggers: state.queuedTriggers,
    keyId: current?.keyId,
    name: current?.name,
    // A secret can be read only once, when its key is made: it lives on from state to state.
    key: current?.key,
    createdAt: state.createdAt,
    rotateAt: rotateAt(state.createdAt, inputs.rotateAfter),
    currentGone: state.currentGone || undefined,
    previousKeyId: previous?.keyId,
    previousName: previous?.name,
    previousKey: previous?.key,
    rotatedAt: previous && state.rotatedAt,
    postponedTo: previous && state.postponedTo,
    retireAfter: isoOf(retireTime(state, inputs)),
    pending: state.pending,
    pendingRevocations: state.pendingRevocations,
    retired: state.retired,
    lostNames: state.lostNames,
    credential: state.credential,
    nextAction: nextAction(state, inputs),
  });
}
