import { noteHeldBy } from "../keys/holders";
import { revokeAll } from "../keys/revoke-key";
import { revokeCommand } from "../keys/scope";
import { keysToRevoke } from "../resources/rotation/adoption";
import { readState } from "../resources/rotation/rotation-outputs";
import type { Made, Outputs } from "../schema/outputs";
import type { Context, ResourceType } from "../schema/resource-type";

/** Stands for the successor of a resource until it exists, among the resources that hold a key. */
const SUCCESSOR = "successor";

interface Predecessor extends Made {
  /** Whether the engine deleted it before its successor exists, as `deleteBeforeReplace` asks. */
  isDeleted: boolean;
}

/**
 * Revokes compromised keys without a program that tells when it has ended. The engine deletes a replaced resource only
 * after everything else has succeeded, in this run or in a later one. So a resource with a compromised key is replaced
 * by one that continues its state, and the deletion of the old resource revokes what the new one does not have.
 */
export class Handovers {
  readonly #planned = new Map<string, Predecessor>();

  /** Plans a replacement. Until then, no deletion revokes a key of the resource. */
  plan(type: ResourceType, id: string, outputs: Outputs, context: Context): void {
    this.#planned.set(context.urn, { id, outputs, isDeleted: false });
    const successor = { id: SUCCESSOR, urn: undefined };
    for (const { id } of type.holds?.(outputs) ?? []) noteHeldBy(successor, id, context);
  }

  /** The resource that a planned replacement continues; `undefined` if none is planned. */
  planned(urn: string): Made | undefined {
    return this.#planned.get(urn);
  }

  /** Notes that a resource is deleted. One that was renamed is deleted under its former URN, so only the id tells. */
  noteDeletion(id: string): void {
    for (const planned of this.#planned.values()) if (planned.id === id) planned.isDeleted = true;
  }

  /**
   * Names the keys of a resource whose successor an earlier run could not create, if it was deleted for a handover that the
   * program does not ask for any more: its state is about to go.
   */
  async reportLeft(type: ResourceType, before: Made | undefined, context: Context): Promise<void> {
    if (type.compromised === undefined || before === undefined || this.#planned.has(context.urn)) return;
    if (!(await wasDeleted(type, before, context))) return;
    for (const { id } of type.holds?.(before.outputs) ?? []) {
      context.warn(
        `key ${id} can still be live, because an earlier run deleted its resource, but could not create another one. If nobody ` +
          `needs the key, ${toRevoke(id, before)}`,
      );
    }
  }

  /** The outputs of a new resource. Those of a successor lack the compromised keys, which the old resource revokes. */
  async finish(type: ResourceType, outputs: Outputs, context: Context): Promise<Outputs> {
    const { urn, run } = context;
    const before = this.#planned.get(urn);
    if (before === undefined) return outputs;
    for (const { id } of type.holds?.(before.outputs) ?? []) {
      for (const holder of [SUCCESSOR, before.id]) run.holders.get(id)?.delete(holder);
    }
    this.#planned.delete(urn);
    const isDeleted = before.isDeleted || (await wasDeleted(type, before, context));
    if (isDeleted) return revokeCompromised(outputs, context, before.outputs.keyId);
    for (const id of (isDeleted === undefined && outputs.compromised) || []) {
      context.warn(
        `key ${id} is revoked with the old resource. An earlier run may already have deleted that, which only the state of the ` +
          `stack shows. It could not be read. If the key is still live after this run, ${toRevoke(id, before)}`,
      );
    }
    return withCompromised(outputs, []);
  }
}

/** Whether the engine deleted a resource before its successor exists, in an earlier run; `undefined` without the state. */
async function wasDeleted(type: ResourceType, { id, outputs }: Made, context: Context): Promise<boolean | undefined> {
  const [key] = type.holds?.(outputs) ?? [];
  if (key === undefined) return false;
  const holders = (await context.witness(outputs.owner))?.holdersOf(key);
  return holders?.some((holder) => holder.id === id && holder.replaced);
}

function toRevoke(id: string, { outputs: { organizationId } }: Made): string {
  return `run \`${revokeCommand(id, { account: undefined, organizationId })}\``;
}

/**
 * Revokes compromised keys at once. Returns the outputs with those that are still live.
 * @param inState - The id of the current key in the state. It must not be revoked before the state has its successor, and
 *   its consumers have had a run to get it.
 */
export async function revokeCompromised(outputs: Outputs, context: Context, inState: unknown): Promise<Outputs> {
  const state = readState(outputs);
  const toRevoke = state.compromised.filter((id) => id !== inState);
  if (toRevoke.length === 0) return outputs;
  const left = await revokeAll(keysToRevoke(toRevoke, state), state.identity, context);
  return withCompromised(outputs, [...state.compromised.filter((id) => id === inState), ...left]);
}

function withCompromised(outputs: Outputs, compromised: readonly string[]): Outputs {
  const { compromised: before = [], retired: all = [] } = outputs;
  const retired = all.filter((id) => !before.includes(id) || compromised.includes(id));
  return { ...outputs, retired, compromised };
}
