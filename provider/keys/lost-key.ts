import type { ApiKeyRecord } from "../api/records";
import { isAnswerLost, KeyplaneError, messageOf } from "../errors";
import type { Context } from "../schema/resource-type";

/** When to look for the key of a lost request, in milliseconds after its answer was lost. */
const SETTLE_STEPS_MS = [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000];

/** A creation with an unknown result. */
export interface LostCreation {
  readonly name: string;
  /** Ids of keys that had the name before. */
  readonly strangers: ReadonlySet<string>;
  /** A key created before this time of the service, in milliseconds, is not ours. */
  readonly notBefore: number;
  readonly lost: KeyplaneError;
}

/**
 * Looks for the key of a lost request until the request can no longer take effect, and revokes the key.
 * `kept` is the id of a key that was found but could not be revoked.
 */
export async function revokeLostKey(
  unsettled: LostCreation,
  context: Context,
): Promise<{ readonly found: boolean; readonly kept?: string }> {
  const { lost } = unsettled;
  let waited = 0;
  for (const step of SETTLE_STEPS_MS) {
    const orphan = await findOrphan(unsettled, step - waited, context);
    waited = step;
    if (orphan !== undefined) {
      try {
        await context.keys().revoke(orphan);
        return { found: true };
      } catch (error) {
        context.warn(
          `key ${orphan}, which a request created whose answer was lost, could not be revoked: ${messageOf(error)}`,
        );
        return { found: true, kept: orphan };
      }
    }
    // A refusal is a complete answer: that request cannot create a key later.
    if (!isAnswerLost(lost)) throw lost;
    if (waited >= context.settings().requestTimeoutMs) break;
  }
  return { found: false };
}

/**
 * After a pause, finds the key that only a lost request can have created: it has the exact name, was never used, did
 * not exist before, and is not older than the request.
 */
async function findOrphan(unsettled: LostCreation, pauseMs: number, context: Context): Promise<string | undefined> {
  const { name, strangers, notBefore, lost } = unsettled;
  let keys: readonly ApiKeyRecord[];
  try {
    await context.account().sleep(pauseMs);
    keys = await context.keys().list({ fresh: true });
  } catch (error) {
    // Without the list, a retry could create a second key: stop, and name the key to look for.
    throw new KeyplaneError(
      "KP-UNSETTLED",
      `${lost.message}. keyplane could not find out whether the key ${name} was created (${messageOf(error)}). ` +
        "Nothing else was sent. Run `pulumi up` again to look for the key",
      { route: lost.route, requestId: lost.requestId },
    );
  }
  return keys.find(
    (key) =>
      key.name === name && key.lastUsedAt === null && !strangers.has(key.id) && Date.parse(key.createdAt) >= notBefore,
  )?.id;
}
