import { messageOf } from "../errors";
import { identityIn } from "../keys/identity";
import { bothLost, lostIn } from "../keys/lost-request";
import { mustBeRevoked, revokeAll } from "../keys/revoke-key";
import { diff } from "../schema/diff";
import type { Given, Made } from "../schema/outputs";
import { type Context, NotReady, type ResourceType } from "../schema/resource-type";

/**
 * Resources that a creation or an update has left not ready. An error hook of the program can make the engine ask for the
 * same again, in the same process. Then the engine keeps nothing of the first attempt, so this does.
 */
export class UnreadyResources {
  readonly #unready = new Map<string, Made>();

  /** @param change - Gets what the attempt before has left. Whatever it throws, that is not forgotten. */
  async run(urn: string, change: (before: Made | undefined) => Promise<Made>): Promise<Made> {
    const before = this.#unready.get(urn);
    try {
      const made = await change(before);
      this.#unready.delete(urn);
      return made;
    } catch (error) {
      const isKnown = error instanceof NotReady || before === undefined;
      const reached = isKnown ? error : new NotReady(before.id, before.outputs, messageOf(error));
      if (reached instanceof NotReady) this.#unready.set(urn, reached);
      throw reached;
    }
  }
}

/** Continues with what an attempt has left, as the next run would do. A key that is of no use is revoked first. */
export async function createAgain(
  type: ResourceType,
  { id, outputs }: Made,
  inputs: Given,
  context: Context,
): Promise<Made> {
  const { hasLedger } = context;
  const { replaces } = diff(type, outputs, inputs, { now: context.now(), hasLedger, driftOnly: false });
  if (replaces.length === 0) return { id, outputs: await type.update(id, outputs, inputs, context) };
  // The program never got the key, so no consumer has it.
  const held = (type.holds?.(outputs) ?? []).map((key) => ({ ...key, createdAt: outputs.createdAt }));
  mustBeRevoked(await revokeAll(held, identityIn(outputs), context));
  const lost = (made: typeof outputs) => ({ ...made, ...bothLost(lostIn(outputs), lostIn(made)) });
  try {
    const made = await type.create(inputs, context);
    return { ...made, outputs: lost(made.outputs) };
  } catch (error) {
    throw error instanceof NotReady ? new NotReady(error.id, lost(error.outputs), error.message) : error;
  }
}
