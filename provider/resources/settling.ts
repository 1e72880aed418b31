import type { Call } from "../keys/call";
import type { RecordedKey } from "../keys/finding";
import { settleLeftovers } from "../keys/leftovers";
import { settleLostForGood } from "../keys/lost";
import { mustBeRevoked, revokeAll } from "../keys/revoking";
import type { Left } from "../keys/state";
import { NotReady } from "./resource";

/**
 * Settles leftovers beside a creation or an update, and ends with it. The keys of the resource's own mark that could not be
 * revoked stay on record in its state, also if it is not ready.
 * @param requests - How many names the resource has requested by its state; absent for a new resource.
 */
export async function settling<State extends Left>(
  call: Call,
  requests: number | undefined,
  work: () => Promise<State>,
): Promise<State> {
  const settled = settleLeftovers(call, requests);
  const withLeft = async (state: State): Promise<State> => {
    const { own } = await settled;
    return own.length === 0
      ? state
      : { ...state, pendingRevocations: [...new Set([...state.pendingRevocations, ...own])] };
  };
  try {
    return await withLeft(await work());
  } catch (error) {
    if (error instanceof NotReady) throw new NotReady(error.id, await withLeft(error.state), error.message, error.code);
    await settled;
    throw error;
  }
}

/**
 * Settles what creations have left beside a deletion. Throws if a key stays live: the state, which has it on record, would
 * be gone.
 * @param pending - The keys that the resource has still to revoke, besides its own.
 * @param revokeOwn - Revokes its own keys.
 */
export async function settlingForGood(
  { lost, fingerprint, requests }: Left & Pick<RecordedKey, "fingerprint">,
  pending: readonly RecordedKey[],
  call: Call,
  revokeOwn: () => Promise<void>,
): Promise<void> {
  const settled = settleLeftovers(call, requests);
  try {
    await settleLostForGood(lost, fingerprint, call);
    await revokeOwn();
    mustBeRevoked(await revokeAll(pending, call));
  } finally {
    // Also if the deletion is refused: nothing goes on after its call.
    await settled;
  }
  const { ofNotes, own } = await settled;
  mustBeRevoked([...ofNotes, ...own], ", which an interrupted run left behind");
}
