import type { Call } from "../keys/call";
import type { RecordedKey } from "../keys/finding";
import type { Cleanup } from "../keys/key-state";
import { revokeLostKeysForGood } from "../keys/lost";
import { revokeOrphans } from "../keys/orphans";
import { mustBeRevoked, revokeAll } from "../keys/revoking";

/**
 * Deletes a resource: revokes its keys, what its creations have left, and orphans. Throws if a key stays live: the state, which
 * has it on record, would be gone.
 * @param pending - The keys that the resource has still to revoke, besides its own.
 * @param revokeOwn - Revokes its own keys.
 */
export async function deleteKeys(
  { lost, fingerprint }: Cleanup & Pick<RecordedKey, "fingerprint">,
  pending: readonly RecordedKey[],
  call: Call,
  revokeOwn: () => Promise<void>,
): Promise<void> {
  const pass = revokeOrphans(call);
  try {
    await revokeLostKeysForGood(lost, fingerprint, call);
    await revokeOwn();
    mustBeRevoked(await revokeAll(pending, call));
  } finally {
    // Also if the deletion is refused: nothing goes on after its call.
    await pass;
  }
  mustBeRevoked(await pass, ", an orphan of an interrupted run");
}
