import type { ApiKeyRecord, Keys } from "../../provider/api";
import { messageOf } from "../../provider/errors";
import { LiveLines } from "../live-lines";
import { note, paint, plain, print } from "../terminal";

/** The results of revocations. */
export interface Revocations {
  readonly revoked: readonly ApiKeyRecord[];
  readonly failed: readonly { readonly key: ApiKeyRecord; readonly why: string }[];
}

/** Revokes keys one after another, and verifies the result with a list. An interrupt skips the remaining keys. */
export async function revokeKeys(
  toRevoke: readonly ApiKeyRecord[],
  keys: Keys,
  signal: AbortSignal,
): Promise<Revocations> {
  const live = new LiveLines();
  const troubles = new Map<string, string>();
  for (const [at, { id, name }] of toRevoke.entries()) {
    if (signal.aborted) {
      troubles.set(id, "interrupted");
      continue;
    }
    live.show([`revoking key ${id} (${plain(name)}), ${at + 1} of ${toRevoke.length}`]);
    try {
      // A request that was sent completes despite an interrupt, or its result would be unknown.
      await keys.revoke(id, { signal });
    } catch (error) {
      troubles.set(id, messageOf(error));
    }
  }
  live.clear();
  const left = await stillLive(keys);
  // A failed or unsent revocation counts as failed even if the key is not in the list: that proves nothing.
  const failed = toRevoke.filter(({ id }) => left.has(id) || troubles.has(id));
  return {
    revoked: toRevoke.filter((key) => !failed.includes(key)),
    failed: failed.map((key) => ({ key, why: troubles.get(key.id) ?? "is still in the list" })),
  };
}

/** Ids of the live keys in a list. Empty if the list is not available. */
async function stillLive(keys: Keys): Promise<ReadonlySet<string>> {
  try {
    return new Set((await keys.list({ fresh: true })).map(({ id }) => id));
  } catch (error) {
    note(`the revocations could not be verified with a list: ${messageOf(error)}`);
    return new Set();
  }
}

/** Prints the results of revocations. */
export function printRevocations({ revoked, failed }: Revocations): void {
  for (const { id, name } of revoked) print(paint("good", "revoked"), ` ${id} ${plain(name)}`);
  for (const { key, why } of failed) print(paint("bad", "still live"), ` ${key.id} ${plain(key.name)}: ${plain(why)}`);
  print(`${revoked.length} revoked${failed.length > 0 ? `, ${failed.length} still live: run it again` : ""}`);
}
