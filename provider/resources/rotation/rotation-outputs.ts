import { keyDigest } from "../../key-digest";
import { rotateAt, withoutEmpty } from "../../keys/key-fields";
import type { Properties } from "../../schema/resource-type";
import { nextAction } from "./next-action";
import { hasPredecessor, isoOf, NOTHING, type RotationState, retireTime } from "./rotation-state";

/** The outputs of a resource with this state and these inputs. */
export function outputsOf(state: RotationState, inputs: Properties): Properties {
  const { current, previous } = state;
  const { rotatedAt, deliveredAt, historyMark } = hasPredecessor(state) ? state : NOTHING;
  return withoutEmpty({
    ...inputs,
    // Its secret is already in the outputs, as `key`.
    adopt: undefined,
    adopted: state.adopted,
    // They can contain secrets, which the engine encrypts only under the name of an input.
    rotationTriggers: undefined,
    triggersDigest: current && state.triggers?.text,
    queuedTriggersDigest: current && state.queuedTriggers?.text,
    keyId: current?.keyId,
    name: current?.name,
    // A secret can be read only at creation, so it is carried from state to state.
    key: current?.key,
    digest: keyDigest(current?.key),
    createdAt: state.createdAt,
    rotateAt: rotateAt(state.createdAt, inputs),
    currentGone: state.currentGone || undefined,
    previousKeyId: previous?.keyId,
    previousName: previous?.name,
    previousKey: previous?.key,
    previousDigest: keyDigest(previous?.key),
    rotatedAt,
    deliveredAt,
    historyMark,
    previousUsedAt: previous && state.previousUsedAt,
    retireAfter: isoOf(retireTime(state, inputs)),
    pending: state.pending,
    pendingRevocations: state.pendingRevocations,
    // A former version of keyplane reads all of them in `retired`.
    retired: [...state.compromised, ...state.retired],
    compromised: state.compromised,
    lostNames: state.lost.lostNames,
    lostAt: state.lost.lostAt,
    // Outputs of former versions.
    ...{ credential: undefined, queuedTriggers: undefined, postponedTo: undefined },
    ...{ predecessors: undefined, retiring: undefined },
    // The identity from the inputs or, after a read, the one with the account as it is known now.
    owner: state.identity ?? inputs.owner,
    nextAction: nextAction(state, inputs),
  });
}
