import { KeyplaneError } from "../errors";
import { textsOf } from "../keys/key-fields";
import { type DoomedKey, revokeAll } from "../keys/revoke-key";
import type { Context, Properties, ResourceType } from "../schema/resource-type";
import type { EngineCommand } from "../session/engine-command";

/** Stands for the successor of a resource until it exists, among the resources that hold a key. */
const SUCCESSOR = "successor";

/** A resource that is about to be replaced. */
interface Predecessor {
  readonly id: string;
  readonly outputs: Properties;
}

/**
 * The retirement of keys without a program to ask. The engine deletes a replaced resource only after everything else
 * has succeeded, in this run or in a later one. So a resource whose previous key is due is replaced by one with the
 * same current key, and the deletion of the old resource revokes the previous key.
 */
export class Retirements {
  /** The state of the resources that are about to be replaced, by URN. */
  readonly #planned = new Map<string, Predecessor>();
  /** Ids of keys that replacements continue to hold. */
  readonly #handedOver = new Set<string>();
  /** URNs of resources that the engine deleted before their successors exist, as `deleteBeforeReplace` asks. */
  readonly #deletedFirst = new Set<string>();

  /** Plans a replacement that keeps the current key. Until then, no deletion revokes a key of the resource. */
  plan(type: ResourceType, id: string, outputs: Properties, { urn, run }: Context): void {
    this.#planned.set(urn, { id, outputs });
    for (const { id } of type.holds?.(outputs) ?? []) run.holders.set(id, holdersOf(id, run).add(SUCCESSOR));
  }

  /** The state that a planned replacement continues; `undefined` if none is planned. */
  planned(urn: string): Properties | undefined {
    return this.#planned.get(urn)?.outputs;
  }

  /** The state of a replaced resource without the key that its successor has. */
  leftBy(urn: string, held: Properties): Properties {
    const { keyId, name, key, ...others } = held;
    return this.#handedOver.has(String(keyId)) && !this.#planned.has(urn) ? others : held;
  }

  /**
   * Throws if an earlier run replaced the resource and this command deletes it although a consumer may have failed or
   * was left out: the consumer may still have the previous key.
   */
  refuseEarlyDelete(id: string, { keyId, previousKeyId }: Properties, command: EngineCommand, { run }: Context): void {
    const current = String(keyId);
    const isReplaced = [...holdersOf(current, run)].some((holder) => holder !== id);
    if (previousKeyId === undefined || !isReplaced || this.#handedOver.has(current)) return;
    if (!command.isLimited() && !command.continuesAfterErrors()) return;
    throw new KeyplaneError(
      "KP-REVOKE",
      `key ${previousKeyId} stays live, because a consumer may still have it: this command continues after errors, or is ` +
        "limited by targets or exclusions. Run `pulumi up` without these options",
    );
  }

  noteDelete(urn: string): void {
    if (this.#planned.has(urn)) this.#deletedFirst.add(urn);
  }

  /** The outputs of a new resource. Those of a successor lack the retired keys, which the old resource revokes. */
  async handedOver(type: ResourceType, outputs: Properties, context: Context): Promise<Properties> {
    const { urn, run } = context;
    const before = this.#planned.get(urn);
    if (before === undefined) return outputs;
    for (const { id } of type.holds?.(before.outputs) ?? []) {
      for (const holder of [SUCCESSOR, before.id]) holdersOf(id, run).delete(holder);
    }
    this.#planned.delete(urn);
    this.#handedOver.add(String(outputs.keyId));
    if (this.#deletedFirst.delete(urn)) return revokeRetired(outputs, context);
    const { retired, ...others } = outputs;
    return others;
  }
}

/**
 * Revokes retired keys at once. Returns the outputs with those that are still live.
 * @param inState - The id of the current key in the state. Until the state has its successor, it must not be revoked.
 */
export async function revokeRetired(outputs: Properties, context: Context, inState?: unknown): Promise<Properties> {
  const { adopted } = outputs as { adopted?: DoomedKey };
  const [kept, due] = [true, false].map((isKept) =>
    textsOf(outputs.retired).filter((id) => (id === inState) === isKept),
  );
  const doomed = (due ?? []).map((id) => ({ id, name: adopted?.id === id ? adopted.name : undefined }));
  if (doomed.length === 0) return outputs;
  return { ...outputs, retired: [...(kept ?? []), ...(await revokeAll(doomed, String(outputs.owner), context))] };
}

function holdersOf(id: string, { holders }: Context["run"]): Set<string> {
  return holders.get(id) ?? new Set();
}
