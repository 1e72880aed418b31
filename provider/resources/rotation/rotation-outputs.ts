import { rotateAt, withoutEmpty } from "../../keys/key-fields";
import { expiresAt } from "../../keys/lease";
import type { Properties } from "../../schema/resource-type";
import { type Recipients, sameRecipients } from "../../seal/recipients";
import { nextAction } from "./next-action";
import type { PlannedRotation } from "./rotation-fields";
import { hasPredecessor, isoOf, NOTHING, type RotationState, retireTime } from "./rotation-state";

/** The recipients that the program wants. A read passes outputs, in which other recipients can be queued. */
function wantedRecipients({ sealTo, queuedSealTo }: Properties): Recipients | undefined {
  const wanted = (queuedSealTo ?? sealTo) as Recipients | undefined;
  return wanted && Object.keys(wanted).length > 0 ? wanted : undefined;
}

/** The outputs of a resource with this state and these inputs. */
export function outputsOf(state: RotationState, inputs: PlannedRotation): Properties {
  const { current, previous } = state;
  const { rotatedAt, deliveredAt, historyMark } = hasPredecessor(state) ? state : NOTHING;
  const wantedTo = wantedRecipients(inputs);
  // Outputs that only a sealed key has, or lacks, are `null` while it can get one: Pulumi shows absent ones as unknown.
  const isSealed = [state.sealedTo, wantedTo].some((recipients) => recipients !== undefined);
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
    key: isSealed ? (current?.key ?? null) : current?.key,
    sealedKey: current?.sealedKey ?? (isSealed ? null : undefined),
    digest: current?.digest,
    digestKey: current?.sealedKey && state.digestKey,
    // The recipients of the current key. Others wait for the next rotation.
    sealTo: current === undefined ? wantedTo : state.sealedTo,
    queuedSealTo: current && !sameRecipients(state.sealedTo, wantedTo) ? (wantedTo ?? {}) : undefined,
    createdAt: state.createdAt,
    expiresAt: expiresAt(current?.name),
    leasedFor: current && state.leasedFor,
    rotateAt: rotateAt(state.createdAt, inputs),
    currentGone: state.currentGone || undefined,
    previousKeyId: previous?.keyId,
    previousName: previous?.name,
    previousKey: previous?.key,
    previousSealedKey: previous?.sealedKey ?? (isSealed ? null : undefined),
    previousDigest: previous?.digest,
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
