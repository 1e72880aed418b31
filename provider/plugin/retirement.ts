import { KeyplaneError } from "../errors";
import { holdersOf } from "../keys/holders";
import { textsOf } from "../keys/key-fields";
import { revokeAll } from "../keys/revoke-key";
import { doomedIn } from "../resources/rotation/adoption";
import { stateOf } from "../resources/rotation/rotation-state";
import type { Context, Properties, ResourceType } from "../schema/resource-type";
import type { EngineCommand } from "../session/engine-command";

/** Stands for the successor of a resource until it exists, among the resources that hold a key. */
export const SUCCESSOR = "successor";

/** A resource that is about to be replaced. */
interface Predecessor {
  readonly id: string;
  readonly outputs: Properties;
  /** Whether the engine deleted it before its successor exists, as `deleteBeforeReplace` asks. */
  isDeleted: boolean;
}

/**
 * The retirement of keys without a program to ask. The engine deletes a replaced resource only after everything else
 * has succeeded, in this run or in a later one. So a resource whose previous key is due is replaced by one with the
 * same current key, and the deletion of the old resource revokes the previous key.
 */
export class Retirements {
  /** The state of the resources that are about to be replaced, by URN. */
  readonly #planned = new Map<string, Predecessor>();
  /** Ids of the keys that successors hold, by the ids of the resources that were replaced in this run. */
  readonly #handedOver = new Map<string, ReadonlySet<string>>();

  /** Plans a replacement that keeps the current key. Until then, no deletion revokes a key of the resource. */
  plan(type: ResourceType, id: string, outputs: Properties, { urn, run }: Context): void {
    this.#planned.set(urn, { id, outputs, isDeleted: false });
    for (const { id } of type.holds?.(outputs) ?? []) holdersOf(id, run).add(SUCCESSOR);
  }

  /** The state that a planned replacement continues; `undefined` if none is planned. */
  planned(urn: string): Properties | undefined {
    return this.#planned.get(urn)?.outputs;
  }

  /**
   * The part of a deleted resource that its deletion revokes. The deletion of a replaced one ends a retirement: it
   * revokes the keys that the successor does not have, whatever `revokeOnDelete` says. Throws if an earlier run replaced
   * it, and this command continues after errors or leaves out consumers, which may still have the previous key.
   * @param notes - Ids of keys that the successor says are retired, and whether the program has a resource of this URN.
   */
  leftBy(
    type: ResourceType,
    id: string,
    held: Properties,
    { retiring, isDeclared }: { readonly retiring: ReadonlySet<string>; readonly isDeclared: boolean },
    command: EngineCommand,
    { urn, run }: Pick<Context, "urn" | "run">,
  ): Properties {
    const planned = this.#planned.get(urn);
    const isPlanned = planned?.id === id;
    if (isPlanned) planned.isDeleted = true;
    if (type.retires === undefined || isPlanned) return held;
    const { keyId, name, key, ...others } = held;
    const current = String(keyId);
    const handedOver = this.#handedOver.get(id);
    const isHeld = handedOver?.has(current) || [...(run.holders.get(current) ?? [])].some((holder) => holder !== id);
    const isReplaced = isHeld || handedOver || type.holds?.(held).some((each) => retiring.has(each.id));
    if (!isReplaced) return held;
    // A successor that does not say that the current key is retired has continued it.
    const keepsCurrent = isHeld || (handedOver === undefined && !retiring.has(current));
    const doomed = held.previousKeyId ?? (keepsCurrent ? undefined : keyId);
    // Without a successor in the program, there is no consumer.
    const isSafe = handedOver !== undefined || !(isHeld || isDeclared);
    if (doomed === undefined || isSafe || !(command.isLimited() || command.continuesAfterErrors())) {
      return { ...(keepsCurrent ? others : held), revokeOnDelete: true };
    }
    throw new KeyplaneError(
      "KP-REVOKE",
      `key ${doomed} stays live, because a consumer may still have it: this command continues after errors, or is ` +
        "limited by targets or exclusions. Run `pulumi up` without these options",
    );
  }

  /** The outputs of a new resource. Those of a successor lack the retired keys, which the old resource revokes. */
  async handedOver(type: ResourceType, outputs: Properties, context: Context): Promise<Properties> {
    const { urn, run } = context;
    const before = this.#planned.get(urn);
    if (before === undefined) return outputs;
    for (const { id } of type.holds?.(before.outputs) ?? []) {
      for (const holder of [SUCCESSOR, before.id]) run.holders.get(id)?.delete(holder);
    }
    this.#planned.delete(urn);
    const { retired, ...others } = outputs;
    this.#handedOver.set(before.id, new Set(type.holds?.(others).map(({ id }) => id)));
    return before.isDeleted ? revokeRetired(outputs, context) : { ...others, retiring: retired };
  }
}

/**
 * Revokes retired keys at once. Returns the outputs with those that are still live.
 * @param inState - The id of the current key in the state. Until the state has its successor, it must not be revoked.
 */
export async function revokeRetired(outputs: Properties, context: Context, inState?: unknown): Promise<Properties> {
  const retired = textsOf(outputs.retired);
  const doomed = doomedIn(
    retired.filter((id) => id !== inState),
    stateOf(outputs),
  );
  if (doomed.length === 0) return outputs;
  const kept = retired.filter((id) => id === inState);
  return { ...outputs, retired: [...kept, ...(await revokeAll(doomed, String(outputs.owner), context))] };
}
